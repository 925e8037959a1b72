// expect: - verified executions=4 blocked=6 transitions=190 [cc: -DROUNDS=1]
// expect: - verified executions=26 blocked=0 transitions=329 [cc: -DROUNDS=1] [options: --stateful]
// expect: - verified executions=588 blocked=1098 transitions=91344 [cc: -DROUNDS=3]
// expect: - verified executions=194 blocked=0 transitions=5981 [cc: -DROUNDS=3] [options: --stateful]
/*
 * Peterson's mutual exclusion of two threads (1981), ROUNDS times.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif

static atomic_int wants[2], turn;
static int inside;

static void *work(void *argument)
{
	long me = (long)argument;

	for (int i = 0; i < ROUNDS; i++) {
		wants[me] = 1;
		turn = (int)(1 - me);
		while (wants[1 - me] && turn != me)
			;
		inside++;
		assert(inside == 1);
		inside--;
		wants[me] = 0;
	}
	return NULL;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, work, (void *)0L);
	pthread_create(&two, NULL, work, (void *)1L);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
