// expect: - verified executions=1680 blocked=0 transitions=93760 [cc: -DSIZE=3]
// expect: - verified executions=129 blocked=0 transitions=5709 [cc: -DSIZE=3] [options: --stateful]
/*
 * A stack under a lock: one thread pushes SIZE items, others try as often to pop one: "stack" of the
 * benchmarks of SV-COMP.
 */
#include <assert.h>
#include <pthread.h>

#ifndef SIZE
#define SIZE 3
#endif
#ifndef POPPERS
#define POPPERS 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stack[SIZE], top;

static void *push(void *unused)
{
	for (int i = 0; i < SIZE; i++) {
		pthread_mutex_lock(&mutex);
		assert(top < SIZE);
		stack[top++] = 1;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *pop(void *unused)
{
	for (int i = 0; i < SIZE; i++) {
		pthread_mutex_lock(&mutex);
		if (top) {
			top--;
			assert(stack[top] == 1);
		}
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(void)
{
	pthread_t pusher, poppers[POPPERS];

	pthread_create(&pusher, NULL, push, NULL);
	for (int i = 0; i < POPPERS; i++)
		pthread_create(&poppers[i], NULL, pop, NULL);
	pthread_join(pusher, NULL);
	for (int i = 0; i < POPPERS; i++)
		pthread_join(poppers[i], NULL);
	return 0;
}
