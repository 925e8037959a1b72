// A handler that is registered while destructor functions run is run after them.
// expect: optimal bug=assertion executions=4 line=@after [options: --keep-going] fork replay
// expect: source bug=assertion executions=4 line=@after [options: --keep-going]
// expect: dpor bug=assertion executions=4 line=@after [options: --keep-going]
// expect: all bug=assertion executions=6 line=@after [options: --keep-going]
// expect: - bug=assertion executions=4 line=@after [options: --keep-going --seed=1]
// expect: - bug=assertion executions=4 line=@after [options: --keep-going --stateful --exact-states]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int destroyed;

__attribute__((destructor)) static void destroy(void)
{
	destroyed = 1;
}

static void handler(void)
{
	assert(!destroyed); // @after
}

static void *hurry(void *unused)
{
	atexit(handler);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hurry, NULL);
	return 0;
}
