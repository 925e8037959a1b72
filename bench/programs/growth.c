// Executions of a given length, with a given number of threads.
//   growth EVENTS THREADS    each thread locks, reads and writes a variable of all, unlocks, so often that an execution
//                            has about EVENTS events
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long value;
static int rounds;

static void *count(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&mutex);
		value++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int events = argc > 1 ? atoi(argv[1]) : 100, n = argc > 2 ? atoi(argv[2]) : 2;
	pthread_t threads[64];

	rounds = (events - 3 * n) / (4 * n);
	if (rounds < 1)
		rounds = 1;
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
