/*
 * Mutual exclusion from loads and stores: Peterson's algorithm.
 *
 * The critical section is an ordinary variable: if both threads could ever be
 * inside at once, Inspect would report a race on it.  A thread that finds the
 * other one inside gives up after two looks, so that every execution ends.  What
 * happens when a thread announces its wish too late: -DBROKEN.
 *
 *     inspect check examples/peterson_lock.c
 *     inspect check -DBROKEN examples/peterson_lock.c
 */
// expect: source verified executions=28
// expect: source bug=race executions=24 line=@inside [cc: -DBROKEN] [options: --keep-going]
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_bool wants[2];
static atomic_int turn;
static int visits;

static bool enter(int me)
{
#ifndef BROKEN
	wants[me] = true;
#endif
	turn = 1 - me;
	for (int look = 0; look < 2; look++) {
		if (!wants[1 - me] || turn == me) {
#ifdef BROKEN
			wants[me] = true;
#endif
			return true;
		}
	}
	return false;
}

static void *work(void *argument)
{
	int me = (int)(intptr_t)argument;

	if (enter(me))
		visits++; // @inside
	wants[me] = false;
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
