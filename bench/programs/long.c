/*
 * Long executions that differ near their ends: three threads do independent work, and then
 * take one lock twice each.  An argument: how many accesses to memory there are in all;
 * if negative, there are weak atomics as well, which have an analysis of their own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 3, SLOTS = 1000, TURNS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int work[THREADS][SLOTS];
static int turns, accesses;
static atomic_int relaxed[THREADS];

static void *run(void *argument)
{
	long self = (long)argument;
	int n = abs(accesses) / THREADS;

	if (accesses < 0)
		atomic_store_explicit(&relaxed[self], 1, memory_order_relaxed);
	for (int i = 0; i < n; i++)
		work[self][i % SLOTS] = i;
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&mutex);
		turns++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	accesses = argc > 1 ? atoi(argv[1]) : 10000;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return turns != THREADS * TURNS;
}
