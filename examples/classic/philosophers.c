/*
 * The dining philosophers (Dijkstra 1965): N philosophers at a round table, one fork
 * between each two of them, both forks needed to eat.
 *
 * Correct: all take the fork on their left first, but the last one begins on the right.
 * Fault:   everybody takes the left fork first.  When all have it at once, all wait for
 *          ever.  Look at the report: each thread holds one mutex and waits for the next.
 *
 *     inspect check -DN=5 examples/classic/philosophers.c
 *     inspect check -DN=5 -DFAULTY examples/classic/philosophers.c
 *
 * Who is first at each of the N forks makes 2^N combinations.  "Always the left neighbour"
 * and "always the right neighbour" contradict themselves, so there are 2^N - 2 executions.
 * In the faulty version one of these two is possible, and is the deadlock: 2^N - 1.
 */
// expect: source verified executions=6 fork [cc: -DN=3]
// expect: source verified executions=14 [cc: -DN=4]
// expect: source verified executions=30 [cc: -DN=5]
// expect: dpor verified executions=6 [cc: -DN=3]
// expect: dpor verified executions=14 blocked=1 [cc: -DN=4]
// expect: dpor verified executions=30 blocked=5 [cc: -DN=5]
// expect: all verified executions=18909 [cc: -DN=3]
// expect: source bug=deadlock executions=7 line=@fork replay [cc: -DFAULTY -DN=3] [options: --keep-going]
// expect: source bug=deadlock executions=15 line=@fork [cc: -DFAULTY -DN=4] [options: --keep-going]
// expect: source bug=deadlock executions=31 line=@fork [cc: -DFAULTY -DN=5] [options: --keep-going]
// expect: dpor bug=deadlock executions=7 blocked=1 line=@fork [cc: -DFAULTY -DN=3] [options: --keep-going]
// expect: dpor bug=deadlock executions=15 blocked=4 line=@fork [cc: -DFAULTY -DN=4] [options: --keep-going]
// expect: dpor bug=deadlock executions=31 blocked=13 line=@fork [cc: -DFAULTY -DN=5] [options: --keep-going]
// expect: all bug=deadlock executions=9269 line=@fork [cc: -DFAULTY -DN=3] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t forks[N];
static int uses[N]; /* of each fork, by whoever holds it */

static void *philosopher(void *argument)
{
	int left = (int)(intptr_t)argument, right = (left + 1) % N;
	int first = left, second = right;

#ifndef FAULTY
	if (left == N - 1) {
		first = right;
		second = left;
	}
#endif
	pthread_mutex_lock(&forks[first]); // @fork
	pthread_mutex_lock(&forks[second]); // @fork
	uses[left]++;
	uses[right]++;
	pthread_mutex_unlock(&forks[second]);
	pthread_mutex_unlock(&forks[first]);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, philosopher, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < N; i++)
		assert(uses[i] == 2);
	return 0;
}
