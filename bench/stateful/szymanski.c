// expect: - verified executions=29 blocked=31 transitions=1653 [cc: -DN=2 -DROUNDS=1]
// expect: - verified executions=48 blocked=0 transitions=812 [cc: -DN=2 -DROUNDS=1] [options: --stateful]
// expect: - verified executions=1522 blocked=1727 transitions=180449 [cc: -DN=2 -DROUNDS=2]
// expect: - verified executions=178 blocked=0 transitions=6091 [cc: -DN=2 -DROUNDS=2] [options: --stateful]
/*
 * Szymanski's mutual exclusion (1988) of N threads, ROUNDS times: a waiting room with a door in and a door out, and one
 * flag of five values for each thread.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

enum { AWAY, WANTS, WAITS, AT_DOOR, PASSED };

static atomic_int flag[N];
static int inside;

/* Has a thread of these a flag from `low` to `high`? */
static bool any(long first, long end, int low, int high)
{
	for (long i = first; i < end; i++) {
		int seen = flag[i];
		if (seen >= low && seen <= high)
			return true;
	}
	return false;
}

static void enter(long me)
{
	flag[me] = WANTS;
	while (any(0, N, AT_DOOR, PASSED))
		;
	flag[me] = AT_DOOR;
	if (any(0, N, WANTS, WANTS)) {
		flag[me] = WAITS;
		while (!any(0, N, PASSED, PASSED))
			;
	}
	flag[me] = PASSED;
	while (any(0, me, WAITS, PASSED))
		;
}

static void leave(long me)
{
	while (any(me + 1, N, WAITS, AT_DOOR))
		;
	flag[me] = AWAY;
}

static void *work(void *argument)
{
	long me = (long)argument;

	for (int i = 0; i < ROUNDS; i++) {
		enter(me);
		inside++;
		assert(inside == 1);
		inside--;
		leave(me);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (long i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
