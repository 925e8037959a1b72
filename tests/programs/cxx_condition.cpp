// std::condition_variable: without a condition to look at, a signal that comes first is lost.  It is sent after the
// unlock, so the wait comes before the lock of the other side, before the signal, or too late.
// expect: source bug=deadlock executions=3 line=@wait fork replay [cc: -DWAY=1] [options: --keep-going]
// expect: dpor bug=deadlock executions=3 line=@wait [cc: -DWAY=1] [options: --keep-going]
// expect: source verified executions=2 fork [cc: -DWAY=2]
// expect: dpor verified executions=2 [cc: -DWAY=2]
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;
static bool ready;

static void waiter()
{
	std::unique_lock<std::mutex> lock(mutex);

	if (WAY == 1)
		condition.wait(lock); // @wait
	else
		condition.wait(lock, [] { return ready; });
}

int main()
{
	std::thread thread(waiter);

	{
		std::lock_guard<std::mutex> lock(mutex);
		ready = true;
	}
	condition.notify_one();
	thread.join();
}
