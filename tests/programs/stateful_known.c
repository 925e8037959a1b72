// Programs for which a stateful search once said "verified": what is lost when an execution ends in a state that is known.
// expect: - bug=assertion executions=7 [options: --stateful --keep-going --seed=182] [cc: -DCASE=1]
// expect: - bug=assertion executions=6 [options: --stateful --keep-going --seed=185] [cc: -DCASE=1]
// expect: - bug=race executions=6 [options: --stateful --keep-going] [cc: -DCASE=2]
// expect: - bug=assertion executions=2 [options: --stateful --keep-going] [cc: -DCASE=3]
// expect: - bug=lock executions=2 [options: --stateful --keep-going] [cc: -DCASE=4]
// expect: - bug=assertion executions=70 [options: --stateful --keep-going] [cc: -DCASE=5]
// expect: - bug=assertion executions=70 [options: --stateful --keep-going --state-memory=0.28] [cc: -DCASE=5]
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "inspect.h"

#if CASE == 1 /* a wait that a signal ended could have ended before */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int x;

static void *wait_for_it(void *unused)
{
	struct timespec late = {2000000000, 0};

	pthread_mutex_lock(&mutex);
	int error = pthread_cond_timedwait(&cond, &mutex, &late);
	pthread_mutex_unlock(&mutex);
	if (error)
		atomic_store(&x, 2);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_it, NULL);
	int seen = atomic_load(&x);
	pthread_cond_signal(&cond);
	pthread_join(thread, NULL);
	assert(seen != 2);
	return 0;
}

#elif CASE == 2 /* an update that only reads in one state does not in another */
static int x;

static void *update(void *unused)
{
	int expected = 0;

	__atomic_compare_exchange_n(&x, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return unused;
}

static void *look(void *unused)
{
	if (inspect_choose(2) && x == 7)
		abort();
	return unused;
}

int main(void)
{
	pthread_t updater, looker;

	x = 1 - inspect_choose(2);
	pthread_create(&looker, NULL, look, NULL);
	pthread_create(&updater, NULL, update, NULL);
	pthread_join(looker, NULL);
	pthread_join(updater, NULL);
	return 0;
}

#elif CASE == 3 /* who joins takes over how late it is */
static atomic_int ready;

static void *sleep_or_not(void *unused)
{
	if (!atomic_load(&ready))
		sleep(5);
	return unused;
}

int main(void)
{
	time_t start = time(NULL);
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_or_not, NULL);
	atomic_store(&ready, 1);
	pthread_join(thread, NULL);
	assert(time(NULL) - start < 3);
	return 0;
}

#elif CASE == 4 /* a thread has ended with a lock */
static pthread_mutex_t *mutex;

static void *lock_or_not(void *unused)
{
	if (inspect_choose(2))
		pthread_mutex_lock(mutex);
	return unused;
}

int main(void)
{
	pthread_t thread;

	mutex = malloc(sizeof *mutex);
	pthread_mutex_init(mutex, NULL);
	pthread_create(&thread, NULL, lock_or_not, NULL);
	pthread_join(thread, NULL);
	free(mutex);
	mutex = NULL;
	return 0;
}

#elif CASE == 5 /* what comes after a state that is forgotten while an execution has ended in it */
enum { ROUNDS = 32, STEPS = 80 };

static pthread_t nobody, first, second, third;
static sem_t go_first, go_second, done, go_third, back, unused_steps;
static int joins_first;
static atomic_int x;

static void *nothing(void *unused)
{
	return unused;
}

static void *run_first(void *unused)
{
	sem_wait(&go_first);
	if (!joins_first)
		pthread_join(nobody, NULL);
	return unused;
}

static void *run_second(void *unused)
{
	sem_wait(&go_second);
	if (joins_first)
		pthread_join(nobody, NULL);
	joins_first = 0;
	sem_post(&done);
	return unused;
}

static void *run_third(void *unused)
{
	sem_wait(&go_third);
	sem_post(&back);
	atomic_store(&x, 1);
	return unused;
}

static void *count(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		atomic_fetch_add(&x, 1);
	return unused;
}

/* Many states, which have nothing to do with the rest. */
static int fill_memory(void)
{
	pthread_create(&first, NULL, count, NULL);
	pthread_create(&second, NULL, count, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}

int main(void)
{
	sem_t *all[] = {&go_first, &go_second, &done, &go_third, &back, &unused_steps};

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		sem_init(all[i], 0, 0);
	if (inspect_choose(2) == 0)
		return fill_memory();
	pthread_create(&nobody, NULL, nothing, NULL);
	pthread_create(&first, NULL, run_first, NULL);
	pthread_create(&second, NULL, run_second, NULL);
	pthread_create(&third, NULL, run_third, NULL);
	for (int i = 0; i < STEPS; i++)
		sem_post(&unused_steps);
	joins_first = inspect_choose(2);
	atomic_store(&x, 5 + joins_first);
	sem_post(&go_first);
	pthread_join(first, NULL);
	sem_post(&go_second);
	sem_wait(&done);
	sem_post(&go_third);
	sem_wait(&back);
	int seen = atomic_load(&x);
	pthread_join(third, NULL);
	inspect_assert(seen != 6);
	return 0;
}
#endif
