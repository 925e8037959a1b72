// Threads that fill, sum and free large blocks of their own, which must not take time quadratic in the size.
// expect: - verified executions=2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 30000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *sum(void *argument)
{
	int *values = malloc(N * sizeof *values);
	long mine = 0;

	for (int i = 0; i < N; i++)
		values[i] = i & 1;
	for (int i = 0; i < N; i++)
		mine += values[i];
	free(values);
	pthread_mutex_lock(&mutex);
	total += mine;
	pthread_mutex_unlock(&mutex);
	return argument;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, sum, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(total == N);
	return 0;
}
