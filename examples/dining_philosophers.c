/*
 * A deadlock that needs everybody: the dining philosophers.
 *
 * N philosophers, each with a fork on either side, each taking the left one
 * first.  Only when all of them hold their left fork does nobody get further.
 * If the last one begins with the right fork, it cannot happen (-DPOLITE).
 *
 *     inspect check examples/dining_philosophers.c -- 3
 *     inspect check -DPOLITE examples/dining_philosophers.c -- 3
 */
// expect: source bug=deadlock executions=7 line=@fork [args: 3] [options: --keep-going]
// expect: source bug=deadlock executions=15 line=@fork [args: 4] [options: --keep-going]
// expect: source verified executions=6 [args: 3] [cc: -DPOLITE]
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int n;
static pthread_mutex_t forks[16];

static void *philosopher(void *argument)
{
	int i = (int)(intptr_t)argument;
	pthread_mutex_t *first = &forks[i], *second = &forks[(i + 1) % n];

#ifdef POLITE
	if (i == n - 1) {
		pthread_mutex_t *left = first;

		first = second;
		second = left;
	}
#endif
	pthread_mutex_lock(first); // @fork
	pthread_mutex_lock(second); // @fork
	/* here the philosopher eats */
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];

	n = argc > 1 ? atoi(argv[1]) : 3;
	for (int i = 0; i < n; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, philosopher, (void *)(intptr_t)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL); // @fork
	return 0;
}
