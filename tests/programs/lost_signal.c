// A wait without a condition to look at: when the signal comes first, nobody ever wakes the waiter.
// expect: source bug=deadlock executions=2 line=@wait fork replay [options: --keep-going]
// expect: dpor bug=deadlock executions=2 line=@wait [options: --keep-going]
// expect: all bug=deadlock executions=2 line=@wait [options: --keep-going]
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *waiter(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&ready, &mutex); // @wait
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *signaller(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, waiter, NULL);
	pthread_create(&t2, NULL, signaller, NULL);
	pthread_join(t1, NULL); // @wait
	pthread_join(t2, NULL);
	return 0;
}
