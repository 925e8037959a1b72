/*
 * A counting barrier made of a mutex and a condition variable, used for two rounds.
 *
 * Correct: a waiting thread waits for the round (the generation) to change.
 * Fault:   it waits for the count to be zero again.  A fast thread can be in the barrier of
 *          the next round before a slow one has looked: the slow one sees a count of one,
 *          sleeps on, and is missing in the next round.  Such a barrier works once.
 *
 *     inspect check -DN=3 examples/classic/barrier_counting.c
 *     inspect check -DN=3 -DFAULTY examples/classic/barrier_counting.c
 *
 * Two threads: 2 orders of arrival.  Then the first one, woken, has the mutex before the other
 * arrives again (2 orders of arrival in the second round) or after (1): 2 * 3 = 6 executions.
 * Three threads: 360, and 204 in the faulty version, where fewer come through.
 */
// expect: source verified executions=6 fork [cc: -DN=2]
// expect: source verified executions=360 [cc: -DN=3]
// expect: dpor verified executions=6 [cc: -DN=2]
// expect: dpor verified executions=360 blocked=1 [cc: -DN=3]
// expect: source bug=deadlock executions=1 line=@wait replay [cc: -DFAULTY -DN=2]
// expect: source bug=deadlock executions=6 line=@wait [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: source bug=deadlock executions=204 line=@wait [cc: -DFAULTY -DN=3] [options: --keep-going]
// expect: dpor bug=deadlock executions=6 line=@wait [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: dpor bug=deadlock executions=204 blocked=1 line=@wait [cc: -DFAULTY -DN=3] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#define ROUNDS 2

static struct barrier {
	pthread_mutex_t mutex;
	pthread_cond_t full;
	int arrived;
	unsigned generation;
} barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static int done[ROUNDS][N];

static void barrier_wait(struct barrier *b)
{
	pthread_mutex_lock(&b->mutex);
	if (++b->arrived == N) {
		b->arrived = 0;
		b->generation++;
		pthread_cond_broadcast(&b->full);
	} else {
#ifdef FAULTY
		while (b->arrived != 0)
			pthread_cond_wait(&b->full, &b->mutex); // @wait
#else
		unsigned mine = b->generation;

		while (b->generation == mine)
			pthread_cond_wait(&b->full, &b->mutex);
#endif
	}
	pthread_mutex_unlock(&b->mutex);
}

static void *work(void *argument)
{
	int me = (int)(intptr_t)argument;

	for (int round = 0; round < ROUNDS; round++) {
		done[round][me] = 1;
		barrier_wait(&barrier);
		for (int i = 0; i < N; i++)
			assert(done[round][i]);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
