// N std::threads take a lock once: every order of the critical sections, N! in all, whatever the kind of lock.
// expect: source verified executions=2 fork [args: 2]
// expect: source verified executions=6 fork [args: 3]
// expect: source verified executions=24 [args: 4]
// expect: dpor verified executions=6 blocked=1 [args: 3]
// expect: source verified executions=6 [args: 3] [cc: -DMUTEX=std::recursive_mutex -DGUARD=std::unique_lock]
// expect: source verified executions=6 [args: 3] [cc: -DMUTEX=std::timed_mutex -DGUARD=std::scoped_lock -std=c++20]
// expect: source bug=race executions=1 line=@count [args: 2] [cc: -DUNLOCKED]
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#ifndef MUTEX
#define MUTEX std::mutex
#define GUARD std::lock_guard
#endif

static MUTEX mutex;
static int counter;

static void work()
{
#ifndef UNLOCKED
	GUARD<MUTEX> guard(mutex);
#endif
	counter++; // @count
}

int main(int, char **argv)
{
	std::vector<std::thread> threads;
	int n = std::atoi(argv[1]);

	for (int i = 0; i < n; i++)
		threads.emplace_back(work);
	for (auto &thread : threads)
		thread.join();
	assert(counter == n);
}
