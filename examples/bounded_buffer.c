/*
 * A bounded buffer, and why one condition variable is not enough with signal.
 *
 * Producers wait while the buffer is full, consumers while it is empty, all on
 * one condition variable.  A signal wakes one waiter of Inspect's choice: with
 * two producers and two consumers it can wake one that cannot use it, and in the
 * end all sleep.  Two condition variables (-DTWO_CONDITIONS) are right.
 *
 *     inspect check examples/bounded_buffer.c
 *     inspect check -DTWO_CONDITIONS examples/bounded_buffer.c
 */
// expect: source bug=deadlock executions=80 line=@wait [options: --keep-going]
// expect: source verified executions=64 [cc: -DTWO_CONDITIONS]
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#ifdef TWO_CONDITIONS
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#else
#define not_full not_empty
#endif
static int filled; /* the buffer holds one item at most */

static void *producer(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (filled)
		pthread_cond_wait(&not_full, &mutex); // @wait
	filled = 1;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *consumer(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!filled)
		pthread_cond_wait(&not_empty, &mutex); // @wait
	filled = 0;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t p1, p2, c1, c2;

	pthread_create(&c1, NULL, consumer, NULL);
	pthread_create(&c2, NULL, consumer, NULL);
	pthread_create(&p1, NULL, producer, NULL);
	pthread_create(&p2, NULL, producer, NULL);
	pthread_join(p1, NULL); // @wait
	pthread_join(p2, NULL); // @wait
	pthread_join(c1, NULL); // @wait
	pthread_join(c2, NULL); // @wait
	return 0;
}
