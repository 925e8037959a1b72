// thread_local objects are destroyed at the end of their thread, the last one first, and main's before static objects.
// Two threads with three destructors each that take a lock: 6! / (3! 3!) orders.
// expect: source verified executions=1 fork
// expect: source verified executions=20 fork [cc: -DTHREADS=2]
// expect: dpor verified executions=20 [cc: -DTHREADS=2]
// expect: source bug=race executions=1 line=@log [cc: -DTHREADS=2 -DUNLOCKED]
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#ifndef THREADS
#define THREADS 1
#endif

static std::mutex mutex;
static std::string *order = new std::string;

struct noisy {
	std::string name;

	explicit noisy(const char *text) : name(text)
	{
	}
	~noisy()
	{
#ifndef UNLOCKED
		std::lock_guard<std::mutex> lock(mutex);
#endif
		*order += name; // @log
	}
	void touch()
	{
	}
};

static thread_local noisy first("a"), second("b");

/* Its constructor runs before main and uses a thread_local object; its destructor runs after that of the object. */
struct early {
	early()
	{
		first.touch();
	}
	~early()
	{
		assert(order->size() == 3 * THREADS + 2 && order->substr(3 * THREADS) == "ba");
	}
};

static early last;

static void work()
{
	static thread_local noisy inner("c");

	inner.touch();
	first.touch(); /* makes both */
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(work);
	for (auto &thread : threads)
		thread.join();
	assert(THREADS > 1 || *order == "bac");
}
