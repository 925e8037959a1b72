// std::call_once, also with a routine that throws the first time, promises, std::async and std::shared_mutex; true
// chance is refused.
// expect: source verified executions=2 fork [cc: -DWAY=1]
// expect: source verified executions=4 [cc: -DWAY=2]
// expect: source verified executions=1 [cc: -DWAY=3]
// expect: source verified executions=2 [cc: -DWAY=4]
// expect: source verified executions=4 [cc: -DWAY=6]
// expect: dpor verified executions=4 [cc: -DWAY=6]
// expect: source error line=@random [cc: -DWAY=5] [says: std::random_device]
#include <cassert>
#include <future>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>

static std::once_flag flag;
static std::shared_mutex shared;
static int initialised;

static void initialise()
{
	std::call_once(flag, [] { initialised++; }); // @once
}

static int attempts;

static void try_once()
{
	try {
		std::call_once(flag, [] {
			if (++attempts == 1)
				throw 1;
			initialised++;
		});
	} catch (int) {
	}
}

static void try_twice()
{
	try_once();
	try_once();
}

int main()
{
	if (WAY == 1) {
		std::thread x(initialise), y(initialise);

		x.join();
		y.join();
		assert(initialised == 1);
	} else if (WAY == 2) {
		std::promise<int> promise;
		std::thread thread([&promise] { promise.set_value(3); }); // @future

		assert(promise.get_future().get() == 3); // @future
		thread.join();
	} else if (WAY == 3) {
		assert(std::async(std::launch::async, [] { return 3; }).get() == 3);
	} else if (WAY == 6) {
		std::thread x(try_twice), y(try_twice);

		x.join();
		y.join();
		assert(initialised == 1 && attempts == 2);
	} else if (WAY == 5) {
		return std::random_device()() & 1; // @random
	} else {
		std::thread thread([] { std::unique_lock<std::shared_mutex> lock(shared); }); // @shared
		std::shared_lock<std::shared_mutex> lock(shared); // @shared

		lock.unlock();
		thread.join();
	}
}
