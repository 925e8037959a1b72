// expect: - verified executions=6 blocked=0 transitions=228 [cc: -DN=3 -DMEALS=1]
// expect: - verified executions=8 blocked=0 transitions=227 [cc: -DN=3 -DMEALS=1] [options: --stateful]
// expect: - verified executions=1680 blocked=0 transitions=144480 [cc: -DN=3 -DMEALS=3]
// expect: - verified executions=68 blocked=0 transitions=3810 [cc: -DN=3 -DMEALS=3] [options: --stateful]
/*
 * The dining philosophers (Dijkstra 1965): N of them eat MEALS times each.  The forks are ordered, and the one with the
 * smaller number is taken first, so nobody waits for ever.
 */
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef MEALS
#define MEALS 2
#endif

static pthread_mutex_t forks[N];
static int used[N]; /* how often each fork was */

static void *dine(void *argument)
{
	long me = (long)argument, next = (me + 1) % N;
	long first = me < next ? me : next, second = me < next ? next : me;

	for (int i = 0; i < MEALS; i++) {
		pthread_mutex_lock(&forks[first]);
		pthread_mutex_lock(&forks[second]);
		used[first]++;
		used[second]++;
		pthread_mutex_unlock(&forks[second]);
		pthread_mutex_unlock(&forks[first]);
	}
	return NULL;
}

int main(void)
{
	pthread_t philosophers[N];

	for (int i = 0; i < N; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (long i = 0; i < N; i++)
		pthread_create(&philosophers[i], NULL, dine, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(philosophers[i], NULL);
	return used[0] != 2 * MEALS;
}
