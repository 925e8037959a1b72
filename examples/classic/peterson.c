/*
 * Peterson's algorithm (1981): mutual exclusion of two threads from loads and stores.
 *
 * Correct: announce the wish, then give the other one precedence, then wait.
 * Fault:   the first two the other way round.  Thread 0 gives way, thread 1 gives way, announces its
 *          wish, sees no other wish and enters; thread 0 announces its wish, sees that the turn
 *          is its own, and enters as well: a race on the counter.
 *
 *     inspect check examples/classic/peterson.c
 *     inspect check -DFAULTY --keep-going examples/classic/peterson.c
 *
 * The one who gives way first enters first, either because it did not see the other's wish or
 * because it saw the turn; the other one enters after it has left: 2 * 2 = 4 executions, when
 * looking in vain does not count.
 */
// expect: source verified executions=4 blocked=6
// expect: dpor verified executions=4 blocked=6
// expect: source bug=race executions=4 blocked=2 line=@inside replay [cc: -DFAULTY]
// expect: source bug=assertion,race executions=14 blocked=4 line=@inside [cc: -DFAULTY] [options: --keep-going]
// expect: dpor bug=assertion,race executions=14 blocked=4 line=@inside [cc: -DFAULTY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_bool wants[2];
static atomic_int turn;
static int counter;

static void enter(int me)
{
	int other = 1 - me;

#ifdef FAULTY
	atomic_store(&turn, other);
	atomic_store(&wants[me], true);
#else
	atomic_store(&wants[me], true);
	atomic_store(&turn, other);
#endif
	while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
		;
}

static void leave(int me)
{
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
