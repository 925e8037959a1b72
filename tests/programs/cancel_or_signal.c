// A signal takes a thread out of its wait, and a cancellation too: their order decides how it ends.
// expect: - bug=assertion,lock executions=11 [options: --keep-going]
// expect: - bug=assertion,lock executions=14 [options: --keep-going --stateful]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_t waiter;
static int waits;

static void *wait_for_it(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	waits = 1;
	pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *signal_it(void *unused)
{
	(void)unused;
	pthread_cond_signal(&condition);
	return NULL;
}

static void *cancel_it(void *unused)
{
	(void)unused;
	pthread_cancel(waiter);
	return NULL;
}

int main(void)
{
	pthread_t signaller, canceller;
	void *result;

	pthread_create(&waiter, NULL, wait_for_it, NULL);
	pthread_mutex_lock(&mutex);
	int has_begun = waits;
	pthread_mutex_unlock(&mutex);
	if (!has_begun)
		exit(0);
	pthread_create(&signaller, NULL, signal_it, NULL);
	pthread_create(&canceller, NULL, cancel_it, NULL);
	pthread_join(signaller, NULL);
	pthread_join(canceller, NULL);
	pthread_join(waiter, &result);
	assert(result == NULL);
	return 0;
}
