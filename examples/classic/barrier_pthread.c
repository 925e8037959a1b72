/*
 * One barrier, used again and again: each round every thread writes its own cell, then
 * reads its neighbour's.
 *
 * Correct: two waits in each round, one between writing and reading, one between reading and the
 *          next writing.
 * Fault:   the second wait is missing.  A thread that is ahead writes its cell for the next
 *          round while its neighbour still reads it: a race.
 *
 *     inspect check -DN=3 examples/classic/barrier_pthread.c
 *     inspect check -DN=3 -DFAULTY examples/classic/barrier_pthread.c
 *
 * Who comes last to a barrier can tell (PTHREAD_BARRIER_SERIAL_THREAD), the order of the others
 * makes no difference: N^4 executions for the four barriers.
 */
// expect: source verified executions=16 fork [cc: -DN=2]
// expect: source verified executions=81 [cc: -DN=3]
// expect: dpor verified executions=16 [cc: -DN=2]
// expect: dpor verified executions=81 blocked=80 [cc: -DN=3]
// expect: all verified executions=9000 [cc: -DN=2]
// expect: source bug=assertion,race executions=1 line=@cell replay [cc: -DFAULTY -DN=2]
// expect: source bug=assertion,race executions=12 line=@cell [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: source bug=assertion,race executions=93 line=@cell [cc: -DFAULTY -DN=3] [options: --keep-going]
// expect: dpor bug=assertion,race executions=12 line=@cell [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: all bug=assertion,race executions=618 line=@cell [cc: -DFAULTY -DN=2] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#define ROUNDS 2

static pthread_barrier_t barrier;
static int cells[N];

static void *work(void *argument)
{
	int me = (int)(intptr_t)argument;

	for (int round = 1; round <= ROUNDS; round++) {
		int seen;

		cells[me] = round; // @cell
		pthread_barrier_wait(&barrier);
		seen = cells[(me + 1) % N]; // @cell
		assert(seen == round);
#ifndef FAULTY
		pthread_barrier_wait(&barrier);
#endif
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	pthread_barrier_init(&barrier, NULL, N);
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	return 0;
}
