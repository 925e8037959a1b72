/*
 * A bounded buffer with one condition variable.
 *
 * Producers wait while the buffer is full, consumers while it is empty; all wait for the
 * same condition variable.
 *
 * Correct: whoever changes the buffer wakes everybody.
 * Fault:   it wakes one.  The signal of a consumer, meant for a producer, can wake the other
 *          consumer, who finds nothing and sleeps again: the wake-up is lost.  Look at
 *          which thread each signal wakes in the report.  It takes two on either side.
 *
 *     inspect check examples/classic/bounded_buffer_one_condition.c
 *     inspect check -DFAULTY examples/classic/bounded_buffer_one_condition.c
 */
// expect: source verified executions=2 [cc: -DPAIRS=1] fork
// expect: source verified executions=80 [cc: -DPAIRS=2]
// expect: dpor verified executions=2 [cc: -DPAIRS=1]
// expect: dpor verified executions=80 [cc: -DPAIRS=2]
// expect: all verified executions=16 [cc: -DPAIRS=1]
// expect: all verified executions=35900 [cc: -DPAIRS=2]
// expect: source verified executions=2 [cc: -DFAULTY -DPAIRS=1]
// expect: source bug=deadlock executions=11 line=@wait replay [cc: -DFAULTY -DPAIRS=2]
// expect: source bug=deadlock executions=80 line=@wait [cc: -DFAULTY -DPAIRS=2] [options: --keep-going]
// expect: dpor bug=deadlock executions=80 line=@wait [cc: -DFAULTY -DPAIRS=2] [options: --keep-going]
// expect: all bug=deadlock executions=31560 line=@wait [cc: -DFAULTY -DPAIRS=2] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef PAIRS
#define PAIRS 2
#endif
#define SIZE 1

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE], filled;

static void wake(void)
{
#ifdef FAULTY
	pthread_cond_signal(&changed);
#else
	pthread_cond_broadcast(&changed);
#endif
}

static void *producer(void *argument)
{
	pthread_mutex_lock(&mutex);
	while (filled == SIZE)
		pthread_cond_wait(&changed, &mutex); // @wait
	buffer[filled++] = (int)(intptr_t)argument;
	wake();
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *consumer(void *unused)
{
	int item;

	(void)unused;
	pthread_mutex_lock(&mutex);
	while (filled == 0)
		pthread_cond_wait(&changed, &mutex); // @wait
	item = buffer[--filled];
	wake();
	pthread_mutex_unlock(&mutex);
	return (void *)(intptr_t)item;
}

int main(void)
{
	pthread_t producers[PAIRS], consumers[PAIRS];
	intptr_t sum = 0;

	for (int i = 0; i < PAIRS; i++) {
		pthread_create(&consumers[i], NULL, consumer, NULL);
		pthread_create(&producers[i], NULL, producer, (void *)(intptr_t)(i + 1));
	}
	for (int i = 0; i < PAIRS; i++) {
		void *item;

		pthread_join(producers[i], NULL);
		pthread_join(consumers[i], &item);
		sum += (intptr_t)item;
	}
	assert(sum == PAIRS * (PAIRS + 1) / 2);
	return 0;
}
