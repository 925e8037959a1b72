// expect: - verified executions=4 blocked=6 transitions=207 [cc: -DROUNDS=1]
// expect: - verified executions=27 blocked=0 transitions=395 [cc: -DROUNDS=1] [options: --stateful]
// expect: - verified executions=1344 blocked=2467 transitions=247448 [cc: -DROUNDS=3]
// expect: - verified executions=321 blocked=0 transitions=13787 [cc: -DROUNDS=3] [options: --stateful]
/*
 * Dekker's mutual exclusion of two threads (1962), ROUNDS times.
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
	long me = (long)argument, other = 1 - me;

	for (int i = 0; i < ROUNDS; i++) {
		wants[me] = 1;
		while (wants[other]) {
			if (turn == other) {
				wants[me] = 0;
				while (turn == other)
					;
				wants[me] = 1;
			}
		}
		inside++;
		assert(inside == 1);
		inside--;
		turn = (int)other;
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
