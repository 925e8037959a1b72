/*
 * Lamport's bakery (1974): mutual exclusion of N threads from loads and stores.
 *
 * Correct: while a thread chooses its number it says so, and the others wait until it has one.
 * Fault:   it does not.  A thread that has computed its number, but not yet written it, is
 *          overlooked; then both have the same number and go in together: a race on the counter.
 *
 *     inspect check examples/classic/bakery.c
 *     inspect check -DFAULTY --keep-going examples/classic/bakery.c
 *
 * Two threads, when looking in vain does not count: 9 executions, 13 without the choosing.
 */
// expect: source verified executions=9 [cc: -DN=2]
// expect: dpor verified executions=9 blocked=4 [cc: -DN=2]
// expect: source bug=race executions=5 line=@inside replay [cc: -DFAULTY -DN=2]
// expect: source bug=assertion,race executions=13 line=@inside [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: dpor bug=assertion,race executions=13 blocked=1 line=@inside [cc: -DFAULTY -DN=2] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

#ifndef FAULTY
static atomic_bool choosing[N];
#endif
static atomic_int number[N]; /* 0: wants nothing */
static int counter;

static int choose(int me)
{
	int largest = 0;

#ifndef FAULTY
	atomic_store(&choosing[me], true);
#endif
	for (int i = 0; i < N; i++) {
		int other = i == me ? 0 : atomic_load(&number[i]);

		if (other > largest)
			largest = other;
	}
	atomic_store(&number[me], largest + 1);
#ifndef FAULTY
	atomic_store(&choosing[me], false);
#endif
	return largest + 1;
}

/* Does thread i, with this number, come before me, with mine? */
static bool before(int i, int theirs, int me, int mine)
{
	return theirs && (theirs < mine || (theirs == mine && i < me));
}

static void enter(int me)
{
	int mine = choose(me);

	for (int i = 0; i < N; i++) {
		if (i == me)
			continue;
#ifndef FAULTY
		while (atomic_load(&choosing[i]))
			;
#endif
		while (before(i, atomic_load(&number[i]), me, mine))
			;
	}
}

static void *work(void *argument)
{
	int me = (int)(intptr_t)argument;

	enter(me);
	counter++; // @inside
	atomic_store(&number[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N);
	return 0;
}
