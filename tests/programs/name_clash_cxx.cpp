// The same in C++, with C's linkage and without.
// expect: - verified executions=2 fork
// expect: all verified executions=8
#include <cassert>
#include <mutex>
#include <thread>

int reads;
extern "C" {
int writes;
void refresh()
{
	writes++;
}
void anomaly_at(int n)
{
	reads += n;
}
int sem_post(int n)
{
	return n * 2;
}
}

namespace runtime
{
struct point {
	int x;
};
} // namespace runtime

static std::mutex mutex;

static void run()
{
	std::lock_guard<std::mutex> guard(mutex);
	refresh();
	anomaly_at(sem_post(runtime::point{3}.x));
}

int main()
{
	std::thread thread(run);
	run();
	thread.join();
	assert(reads == 12 && writes == 2);
}
