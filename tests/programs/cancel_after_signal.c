// A request that comes when a signal has ended the wait, but before that has returned: it may be acted upon (POSIX.1-2017, 2.9.5.2).
// The signal is then for another thread, if one waits.
// expect: - bug=deadlock,lock executions=4 replay [options: --keep-going] [cc: -DCASE=1]
// expect: all bug=deadlock,lock executions=30 [options: --keep-going] [cc: -DCASE=1]
// expect: - bug=deadlock,lock executions=5 [options: --keep-going --stateful] [cc: -DCASE=1]
// expect: - verified executions=43 blocked=2 [cc: -DCASE=2]
// expect: - verified executions=67 [options: --stateful] [cc: -DCASE=2]
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, waiters, cancelled;

static void leave(void *unused)
{
	(void)unused;
	cancelled++;
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_it(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
#if CASE == 1
	while (!ready)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
#else
	waiters++;
	pthread_cleanup_push(leave, NULL);
	pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(0);
	pthread_mutex_unlock(&mutex);
#endif
	return NULL;
}

int main(void)
{
	pthread_t first, second;
	void *result;

	pthread_create(&first, NULL, wait_for_it, NULL);
#if CASE == 1
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_broadcast(&condition);
	pthread_mutex_unlock(&mutex);
	pthread_cancel(first);
	pthread_join(first, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
#else
	pthread_create(&second, NULL, wait_for_it, NULL);
	pthread_mutex_lock(&mutex);
	int both = waiters == 2;
	if (both)
		pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	if (!both)
		return 0;
	pthread_cancel(first);
	pthread_join(first, &result);
	/* if the first got the signal and was cancelled all the same, the second has it; else it must be told */
	if (result != PTHREAD_CANCELED) {
		pthread_mutex_lock(&mutex);
		pthread_cond_broadcast(&condition);
		pthread_mutex_unlock(&mutex);
	}
	pthread_join(second, NULL);
	assert((result == PTHREAD_CANCELED) == (cancelled == 1));
#endif
	return 0;
}
