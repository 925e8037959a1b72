// main returns while the thread runs; the bug lies behind the return and must be found all the same.
// expect: source bug=assertion executions=5 line=@late fork replay [options: --keep-going]
// expect: dpor bug=assertion executions=5 line=@late [options: --keep-going]
// expect: all bug=assertion executions=5 line=@late [options: --keep-going]
// expect: source bug=assertion executions=2 line=@late
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int steps;

static void *work(void *unused)
{
	steps++;
	steps++;
	assert(steps != 2); // @late
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	return 0;
}
