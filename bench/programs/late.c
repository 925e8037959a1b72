/*
 * A long execution whose branching is near its end, so that checkpoints help: one thread makes so many visible operations
 * (the argument), and when it has ended THREADS others compete for a lock, TIMES times each.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 3, TIMES = 2 };

static atomic_int steps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *prepare(void *argument)
{
	for (int i = *(int *)argument; i > 0; i--)
		atomic_fetch_add(&steps, 1);
	return NULL;
}

static void *compete(void *argument)
{
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int n = argc > 1 ? atoi(argv[1]) : 100000;

	pthread_create(&threads[0], NULL, prepare, &n);
	pthread_join(threads[0], NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, compete, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return shared != THREADS * TIMES;
}
