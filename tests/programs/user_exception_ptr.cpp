// An exception that two threads hold: the one who lets go of it last destroys it, and that may be either.
// With RAW its text is kept beyond the exception's end.
// expect: - verified executions=108 fork
// expect: - bug=memory executions=1 [cc: -DRAW] line=@kept
#include <cassert>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

int main()
{
	std::promise<int> promise;
	auto future = promise.get_future();
	std::thread thread([promise = std::move(promise)]() mutable {
		try {
			throw std::runtime_error("bad");
		} catch (...) {
			promise.set_exception(std::current_exception());
		}
	});
	const char *text = nullptr;
	try {
		future.get();
	} catch (const std::runtime_error &error) {
		assert(std::string(error.what()) == "bad");
		text = error.what();
	}
	thread.join();
#ifdef RAW
	assert(!std::strcmp(text, "bad")); // @kept
#endif
	assert(text);
}
