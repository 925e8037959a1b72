// A handler that is registered while another thread exits is run if it comes before the last look for handlers.
// expect: optimal bug=assertion executions=5 line=@late [options: --keep-going] fork replay
// expect: source bug=assertion executions=5 line=@late [options: --keep-going]
// expect: dpor bug=assertion executions=5 line=@late [options: --keep-going]
// expect: all bug=assertion executions=7 line=@late [options: --keep-going]
// expect: - bug=assertion executions=5 line=@late [options: --keep-going --stateful --exact-states]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int begun;

static void late(void)
{
	assert(!begun); // @late
}

static void handler(void)
{
	begun = 1;
}

static void *hurry(void *unused)
{
	atexit(late);
	return unused;
}

int main(void)
{
	pthread_t thread;

	atexit(handler);
	pthread_create(&thread, NULL, hurry, NULL);
	return 0;
}
