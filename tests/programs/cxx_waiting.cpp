// What C++20 builds on waiting for an atomic: semaphores, latches, barriers, and a change that nobody is told about.
// expect: source verified executions=4 fork [cc: -std=c++20 -DWAY=1]
// expect: dpor verified executions=4 [cc: -std=c++20 -DWAY=1]
// expect: all verified executions=383 [cc: -std=c++20 -DWAY=1]
// expect: source verified executions=66 fork [cc: -std=c++20 -DWAY=2]
// expect: source verified executions=42 fork [cc: -std=c++20 -DWAY=3]
// expect: source verified executions=6 fork [cc: -std=c++20 -DWAY=4]
// expect: all verified executions=373 [cc: -std=c++20 -DWAY=4]
// expect: source bug=deadlock executions=3 line=@wait fork replay [cc: -std=c++20 -DWAY=5] [options: --keep-going]
// expect: dpor bug=deadlock executions=3 line=@wait [cc: -std=c++20 -DWAY=5] [options: --keep-going]
// expect: all bug=deadlock executions=28 line=@wait [cc: -std=c++20 -DWAY=5] [options: --keep-going]
// expect: source bug=deadlock executions=112 line=@both [cc: -std=c++20 -DWAY=6] [options: --keep-going]
// expect: dpor bug=deadlock executions=112 blocked=6 line=@both [cc: -std=c++20 -DWAY=6] [options: --keep-going]
// expect: source verified executions=112 fork [cc: -std=c++20 -DWAY=7]
// expect: source error line=@timeout [cc: -std=c++20 -DWAY=8] [says: with a timeout is not supported]
// expect: source verified executions=3 fork [cc: -std=c++20 -DWAY=9]
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <latch>
#include <semaphore>
#include <stop_token>
#include <thread>

static std::counting_semaphore<4> semaphore(0);
static std::latch latch(2);
static std::atomic<int> number;
static int data;

static void notify()
{
	number = 1;
	number.notify_one();
}

static void wait()
{
	number.wait(0); // @both
}

int main()
{
#if WAY == 1
	std::jthread thread([] {
		data = 1;
		semaphore.release();
	});
	semaphore.acquire();
	assert(data == 1);
#elif WAY == 2
	std::jthread x([] { latch.count_down(); }), y([] { latch.count_down(); });
	latch.wait();
#elif WAY == 3
	std::barrier barrier(2);
	std::jthread thread([&barrier] { barrier.arrive_and_wait(); });
	barrier.arrive_and_wait();
#elif WAY == 4
	std::jthread thread(notify);
	number.wait(0);
#elif WAY == 5
	std::jthread thread([] { number = 1; });
	number.wait(0); // @wait
#elif WAY == 6
	/* one wake for two that wait */
	std::jthread x(wait), y(wait);
	notify();
#elif WAY == 7
	std::jthread x(wait), y(wait);
	number = 1;
	number.notify_all();
#elif WAY == 8
	semaphore.try_acquire_for(std::chrono::seconds(1)); // @timeout
#elif WAY == 9
	/* a std::jthread asks its thread to stop, and joins it */
	std::jthread thread([](std::stop_token token) { data = token.stop_requested(); });
#endif
}
