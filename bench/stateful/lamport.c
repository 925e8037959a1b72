// expect: - verified executions=16 blocked=0 transitions=590 [cc: -DN=2 -DROUNDS=1]
// expect: - verified executions=128 blocked=0 transitions=2862 [cc: -DN=2 -DROUNDS=1] [options: --stateful]
// expect: - verified executions=1906 blocked=0 transitions=136828 [cc: -DN=2 -DROUNDS=2]
// expect: - verified executions=444 blocked=0 transitions=19174 [cc: -DN=2 -DROUNDS=2] [options: --stateful]
/*
 * Lamport's fast mutual exclusion (1987) of N threads, ROUNDS times: without contention, seven accesses to memory whatever N is.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int trying[N + 1], x, y;
static int inside;

static void enter(int me)
{
	for (;;) {
		trying[me] = 1;
		x = me;
		if (y) {
			trying[me] = 0;
			while (y)
				;
			continue;
		}
		y = me;
		if (x == me)
			return;
		trying[me] = 0;
		for (int i = 1; i <= N; i++) {
			while (trying[i])
				;
		}
		if (y == me)
			return;
		while (y)
			;
	}
}

static void *work(void *argument)
{
	int me = (int)(long)argument;

	for (int i = 0; i < ROUNDS; i++) {
		enter(me);
		inside++;
		assert(inside == 1);
		inside--;
		y = 0;
		trying[me] = 0;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (long i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
