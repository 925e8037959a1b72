// N threads lock, increment, unlock: every order of the critical sections, N! in all.
// expect: optimal verified executions=720 [args: 6] [options: --seed=1]
// expect: optimal verified executions=720 [args: 6] [options: --seed=2]
// expect: optimal verified executions=2 fork [args: 2]
// expect: optimal verified executions=6 fork [args: 3]
// expect: optimal verified executions=24 fork [args: 4]
// expect: optimal verified executions=120 [args: 5]
// expect: optimal verified executions=720 [args: 6]
// expect: optimal verified executions=5040 [args: 7]
// expect: optimal verified executions=40320 [args: 8]
// expect: source verified executions=2 fork [args: 2]
// expect: source verified executions=6 fork [args: 3]
// expect: source verified executions=24 [args: 4]
// expect: source verified executions=120 [args: 5]
// expect: source verified executions=720 [args: 6]
// expect: source verified executions=5040 [args: 7]
// expect: dpor verified executions=2 [args: 2]
// expect: dpor verified executions=6 [args: 3]
// expect: dpor verified executions=24 [args: 4]
// expect: dpor verified executions=120 [args: 5]
// expect: all verified executions=6 [args: 2]
// expect: all verified executions=66 [args: 3]
// expect: - verified executions=24 [args: 4]
// expect: source incomplete executions=100 [args: 7] [options: --max-executions=100]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *unused)
{
	pthread_mutex_lock(&mutex);
	counter++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t threads[16];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, increment, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	assert(counter == n);
	return 0;
}
