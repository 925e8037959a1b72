/*
 * Dekker's algorithm (1962): the first mutual exclusion of two threads without special hardware.
 *
 * Correct: announce the wish, then look at the other's; who has not the turn steps back until he
 *          has it.
 * Fault:   look first, announce then.  Both can find that nobody else wants to enter: a race on
 *          the counter.
 *
 *     inspect check examples/classic/dekker.c
 *     inspect check -DFAULTY --keep-going examples/classic/dekker.c
 *
 * Thread 1 first: thread 0, which has the turn, waits with its wish up (1).  Thread 0 first:
 * thread 1 comes when it is through (1), or steps back, and thread 0 has looked before thread 1
 * announced its wish (1) or after it took it back (1).  4 executions, when looking in vain does
 * not count.
 */
// expect: source verified executions=4 blocked=6
// expect: dpor verified executions=4 blocked=6
// expect: source bug=race executions=2 line=@inside replay [cc: -DFAULTY]
// expect: source bug=assertion,race executions=10 line=@inside [cc: -DFAULTY] [options: --keep-going]
// expect: dpor bug=assertion,race executions=10 line=@inside [cc: -DFAULTY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_bool wants[2];
static atomic_int turn;
static int counter;

#ifdef FAULTY
static void enter(int me)
{
	while (atomic_load(&wants[1 - me]))
		;
	atomic_store(&wants[me], true);
}
#else
static void enter(int me)
{
	atomic_store(&wants[me], true);
	while (atomic_load(&wants[1 - me])) {
		if (atomic_load(&turn) == me)
			continue;
		atomic_store(&wants[me], false);
		while (atomic_load(&turn) != me)
			;
		atomic_store(&wants[me], true);
	}
}
#endif

static void leave(int me)
{
	atomic_store(&turn, 1 - me);
	atomic_store(&wants[me], false);
}

static void *work(void *argument)
{
	int me = (int)(intptr_t)argument;

	enter(me);
	counter++; // @inside
	leave(me);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
