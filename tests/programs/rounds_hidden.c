// Waiting loops whose rounds change what is in no variable of the program: such a round is not for nothing.
// expect: optimal bug=assertion executions=3 blocked=1 line=@seen [cc: -DERRNO] [options: --keep-going]
// expect: source bug=assertion executions=3 blocked=1 line=@seen [cc: -DERRNO] [options: --keep-going --seed=1]
// expect: - bug=assertion executions=5 blocked=1 line=@seen [cc: -DERRNO] [options: --keep-going --stateful]
// expect: optimal bug=assertion executions=3 blocked=1 line=@seen [cc: -DMASK] [options: --keep-going]
// expect: optimal bug=deadlock executions=4 blocked=1 [cc: -DCANCEL] [options: --keep-going]
// expect: - bug=livelock executions=3 blocked=0 [cc: -DALONE] [options: --stateful]
// expect: - verified executions=3 blocked=0 [cc: -DPASSED]
// expect: - verified executions=3 blocked=0 [cc: -DPASSED] [options: --seed=1]
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int flag, word;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *wait_for_it(void *unused)
{
#if defined ERRNO
	errno = 0;
	while (sem_trywait(&semaphore))
		;
	assert(errno != EAGAIN); // @seen
#elif defined MASK
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	while (!atomic_load(&flag))
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	assert(!sigismember(&set, SIGUSR1)); // @seen
#elif defined CANCEL
	while (!atomic_load(&flag))
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_wait(&semaphore); /* for ever, if it cannot be cancelled */
#elif defined ALONE
	/* nobody will set the flag, whatever is done to the lock around it */
	for (int seen = 0; !seen;) {
		while (atomic_exchange(&word, 1))
			;
		seen = atomic_load(&flag);
		atomic_store(&word, 0);
	}
#else
	/* the deadline is over: each wait ends at once, and lets others in */
	struct timespec then = {1, 0};

	pthread_mutex_lock(&mutex);
	while (!done)
		pthread_cond_timedwait(&changed, &mutex, &then);
	pthread_mutex_unlock(&mutex);
#endif
	return unused;
}

static void *do_it(void *unused)
{
#if defined ERRNO
	sem_post(&semaphore);
#elif defined PASSED
	pthread_mutex_lock(&mutex);
	done = 1;
	pthread_mutex_unlock(&mutex);
#elif defined ALONE
	atomic_store(&flag, 0);
#else
	atomic_store(&flag, 1);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&semaphore, 0, 0);
	pthread_create(&threads[0], NULL, wait_for_it, NULL);
	pthread_create(&threads[1], NULL, do_it, NULL);
	pthread_join(threads[1], NULL);
#ifdef CANCEL
	pthread_cancel(threads[0]);
#endif
	pthread_join(threads[0], NULL);
	return 0;
}
