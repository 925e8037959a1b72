// Peterson's mutual exclusion with sequentially consistent atomics; a thread that does not get in after TRIES looks
// gives up.  Announcing itself after looking at the other (BROKEN) lets both in.
// expect: source verified executions=14 fork [cc: -DTRIES=1]
// expect: source verified executions=46 [cc: -DTRIES=3]
// expect: dpor verified executions=14 [cc: -DTRIES=1]
// expect: dpor verified executions=46 [cc: -DTRIES=3]
// expect: all verified executions=5566 [cc: -DTRIES=1]
// expect: source bug=assertion,race executions=86 line=@inside [cc: -DTRIES=1 -DBROKEN] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int inside;

static bool enter(int me)
{
#ifdef BROKEN
	bool free = !wants[1 - me];

	wants[me] = 1;
	return free;
#else
	wants[me] = 1;
	turn = 1 - me;
	for (int i = 0; i < TRIES; i++) {
		if (!wants[1 - me] || turn == me)
			return true;
	}
	return false;
#endif
}

static void *work(void *argument)
{
	int me = (int)(intptr_t)argument;

	if (enter(me)) {
		inside++; // @inside
		assert(inside == 1); // @inside
		inside--; // @inside
	}
	wants[me] = 0;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, work, (void *)0);
	pthread_create(&t2, NULL, work, (void *)1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
