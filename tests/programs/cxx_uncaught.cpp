// std::terminate is a crash: an exception that nobody catches, with its type and the line of the throw; a thread that
// is destroyed before it was joined; a function that promised not to throw.
// expect: source bug=crash executions=1 line=@thread fork replay [cc: -DWAY=1] [says: uncaught exception of type std::runtime_error: broken]
// expect: source bug=crash executions=1 line=@main [cc: -DWAY=2] [says: uncaught exception of type int]
// expect: source bug=crash executions=1 line=@joinable [cc: -DWAY=3] [says: std::terminate was called]
// expect: source bug=crash executions=1 line=@promise [cc: -DWAY=4] [says: uncaught exception of type own::error]
// expect: source bug=crash executions=6 line=@order [cc: -DWAY=5] [options: --keep-going]
// expect: source bug=assertion executions=1 [cc: -DWAY=6] [says: abort() was called]
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

static std::atomic<int> turns;

namespace own
{
struct error {
};
} // namespace own

static void broken()
{
	throw std::runtime_error("broken"); // @thread
}

static void fail()
{
	throw own::error(); // @promise
}

static void promise() noexcept
{
	fail();
}

static void in_turn(int turn)
{
	if (turns++ != turn)
		throw std::logic_error("out of turn"); // @order
}

static void run()
{
	switch (WAY) {
	case 1: std::thread(broken).join(); break;
	case 2: throw 3; // @main
	case 3: {
		std::thread forgotten([] {}); // @joinable
		break;
	}
	case 4: promise(); break;
	case 5: {
		std::thread x(in_turn, 0);
		in_turn(1);
		x.join();
		break;
	}
	case 6: std::set_terminate([] { std::abort(); }); std::terminate();
	}
}

int main()
{
	run();
}
