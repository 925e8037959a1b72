/*
 * A bounded buffer with two condition variables: a monitor as in the textbooks.
 *
 * Correct: a thread that was woken looks again whether it may go on (`while`).
 * Fault:   it does not (`if`).  Between the signal and the moment when the woken consumer has
 *          the mutex again, another consumer can come and take the item: the buffer is empty
 *          though the wait is over.  Look for the thread that overtakes in the report.
 *
 *     inspect check examples/classic/bounded_buffer_two_conditions.c
 *     inspect check -DFAULTY examples/classic/bounded_buffer_two_conditions.c
 */
// expect: source verified executions=2 [cc: -DPAIRS=1] fork
// expect: source verified executions=64 [cc: -DPAIRS=2]
// expect: dpor verified executions=2 [cc: -DPAIRS=1]
// expect: dpor verified executions=64 [cc: -DPAIRS=2]
// expect: all verified executions=18 [cc: -DPAIRS=1]
// expect: all verified executions=38563 [cc: -DPAIRS=2]
// expect: source verified executions=2 [cc: -DFAULTY -DPAIRS=1]
// expect: source bug=assertion executions=3 line=@empty replay [cc: -DFAULTY -DPAIRS=2]
// expect: source bug=assertion executions=70 blocked=14 line=@empty [cc: -DFAULTY -DPAIRS=2] [options: --keep-going]
// expect: dpor bug=assertion executions=70 blocked=14 line=@empty [cc: -DFAULTY -DPAIRS=2] [options: --keep-going]
// expect: all bug=assertion executions=26798 line=@empty [cc: -DFAULTY -DPAIRS=2] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef PAIRS
#define PAIRS 2
#endif
#define SIZE 1

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE], filled;

static void wait_for_change(pthread_cond_t *condition, int unwanted)
{
#ifdef FAULTY
	if (filled == unwanted)
		pthread_cond_wait(condition, &mutex);
#else
	while (filled == unwanted)
		pthread_cond_wait(condition, &mutex);
#endif
}

static void *producer(void *argument)
{
	pthread_mutex_lock(&mutex);
	wait_for_change(&not_full, SIZE);
	assert(filled < SIZE); // @empty
	buffer[filled++] = (int)(intptr_t)argument;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *consumer(void *unused)
{
	int item;

	(void)unused;
	pthread_mutex_lock(&mutex);
	wait_for_change(&not_empty, 0);
	assert(filled > 0); // @empty
	item = buffer[--filled];
	pthread_cond_signal(&not_full);
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
