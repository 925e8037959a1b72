/*
 * A lost wake-up.
 *
 * The waiter looks at `ready` without the mutex, decides to wait, and only then
 * takes the mutex.  If the signal comes in between, nobody is there to be woken,
 * and the waiter sleeps for ever: a deadlock.  The flag is atomic, so there is no
 * race to warn of it.  The repair: look while holding the mutex (-DFIXED).
 *
 *     inspect check examples/lost_wakeup.c
 *     inspect check -DFIXED examples/lost_wakeup.c
 */
// expect: source bug=deadlock executions=3 line=@sleep [options: --keep-going]
// expect: source verified executions=2 [cc: -DFIXED]
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
#else
	if (!ready) {
		pthread_mutex_lock(&mutex);
		pthread_cond_wait(&changed, &mutex); // @sleep
		pthread_mutex_unlock(&mutex);
	}
#endif
	return unused;
}

static void *signaller(void *unused)
{
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, waiter, NULL);
	pthread_create(&t2, NULL, signaller, NULL);
	pthread_join(t1, NULL); // @sleep
	pthread_join(t2, NULL);
	return 0;
}
