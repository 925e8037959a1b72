// What needs pthread_once or pthread_rwlock is refused by name and line until those are modelled; so is true chance.
// expect: source error line=@once [cc: -DWAY=1] [says: pthread_once]
// expect: source error line=@future [cc: -DWAY=2] [says: pthread_once]
// expect: source error [cc: -DWAY=3] [says: pthread_once]
// expect: source error line=@shared [cc: -DWAY=4] [says: pthread_rwlock]
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
	} else if (WAY == 5) {
		return std::random_device()() & 1; // @random
	} else {
		std::thread thread([] { std::unique_lock<std::shared_mutex> lock(shared); }); // @shared
		std::shared_lock<std::shared_mutex> lock(shared); // @shared

		lock.unlock();
		thread.join();
	}
}
