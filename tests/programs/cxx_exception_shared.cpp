// Exceptions that several threads hold and throw again: who drops the last reference destroys them.
// expect: - verified executions=6 fork [cc: -DWAY=1]
// expect: all verified executions=34177 [cc: -DWAY=1]
// expect: all verified executions=34177 [cc: -DWAY=1] [options: --seed=1]
// expect: all verified executions=34177 [cc: -DWAY=1] [options: --jobs=2]
// expect: source verified executions=6 [cc: -DWAY=1]
// expect: dpor verified executions=6 [cc: -DWAY=1]
// expect: - verified executions=126 [cc: -DWAY=1] [options: --stateful]
// expect: - verified executions=6 fork [cc: -DWAY=2]
// expect: all verified executions=3270 [cc: -DWAY=2]
// expect: source verified executions=6 [cc: -DWAY=2]
// expect: - verified executions=6 [cc: -DWAY=2] [options: --seed=2]
// expect: - verified executions=24 [cc: -DWAY=3]
// expect: source verified executions=24 [cc: -DWAY=3]
// expect: dpor verified executions=24 [cc: -DWAY=3]
#include <cassert>
#include <exception>
#include <future>
#include <stdexcept>
#include <thread>

#if WAY == 1
/* the handlers have the last references */
static void look(std::exception_ptr pointer)
{
	try {
		std::rethrow_exception(std::move(pointer));
	} catch (int number) {
		assert(number == 5);
	}
}

int main()
{
	std::exception_ptr pointer = std::make_exception_ptr(5), other = pointer;
	std::thread thread([&other] { look(std::move(other)); });

	look(std::move(pointer));
	thread.join();
}
#elif WAY == 2
/* with a destructor, thrown on inside the handler */
static std::atomic<int> alive;

struct counted {
	counted()
	{
		alive++;
	}
	counted(const counted &)
	{
		alive++;
	}
	~counted()
	{
		alive--;
	}
};

static void look(std::exception_ptr pointer)
{
	try {
		try {
			std::rethrow_exception(std::move(pointer));
		} catch (...) {
			throw;
		}
	} catch (counted &) {
		assert(alive > 0);
	}
}

int main()
{
	std::exception_ptr pointer;

	try {
		throw counted();
	} catch (...) {
		pointer = std::current_exception();
	}
	std::thread thread(look, pointer);
	look(std::move(pointer));
	thread.join();
	assert(alive == 0);
}
#else
/* nested, by way of a promise */
int main()
{
	std::promise<void> promise;
	std::future<void> future = promise.get_future();
	std::thread thread([&promise] {
		try {
			try {
				throw std::runtime_error("inside");
			} catch (...) {
				std::throw_with_nested(std::logic_error("outside"));
			}
		} catch (...) {
			promise.set_exception(std::current_exception());
		}
	});

	try {
		future.get();
		assert(false);
	} catch (const std::logic_error &outside) {
		try {
			std::rethrow_if_nested(outside);
			assert(false);
		} catch (const std::runtime_error &inside) {
			assert(inside.what()[0] == 'i');
		}
	}
	thread.join();
}
#endif
