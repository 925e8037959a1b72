// Loops that poll: a round that changes nothing might as well not have happened.  Each of these ends under any fair scheduler.
// expect: optimal verified executions=1 blocked=1 [cc: -DMUTEX]
// expect: source verified executions=1 blocked=1 [cc: -DMUTEX]
// expect: dpor verified executions=1 blocked=1 [cc: -DMUTEX]
// expect: all verified executions=3 blocked=1 [cc: -DMUTEX]
// expect: optimal verified executions=1 blocked=1 [cc: -DMUTEX -DSLEEP]
// expect: optimal verified executions=1 blocked=1 [cc: -DMUTEX -DSLEEP] [options: --seed=1]
// expect: - verified executions=2 blocked=0 [cc: -DMUTEX -DSLEEP] [options: --stateful]
// expect: optimal verified executions=1 blocked=1 [cc: -DRWLOCK]
// expect: optimal verified executions=1 blocked=1 [cc: -DSEMAPHORE]
// expect: optimal verified executions=1 blocked=2 [cc: -DTRYLOCK]
// expect: optimal verified executions=1 blocked=1 [cc: -DTRYJOIN]
// expect: all verified executions=3 blocked=1 [cc: -DTRYJOIN]
// expect: optimal verified executions=1 blocked=0 [cc: -DCOUNTER]
// expect: optimal verified executions=1 blocked=1 [cc: -DOUTPUT]
// expect: optimal verified executions=3 blocked=0 [cc: -DDEADLINE]
// expect: optimal verified executions=4 blocked=0 [cc: -DDEADLINE -DFINE]
// expect: optimal bug=assertion executions=5 blocked=0 line=@late [cc: -DDEADLINE -DLATE] [options: --keep-going]
// expect: optimal verified executions=1 blocked=1 [cc: -DDEADLINE -DLATE] [options: --timeouts=never]
// expect: optimal verified executions=1 blocked=3 [cc: -DLOOPS]
// expect: optimal bug=assertion executions=2 blocked=3 line=@seen [cc: -DSEEN] [options: --keep-going]
// expect: all bug=assertion executions=105 blocked=73 line=@seen [cc: -DSEEN] [options: --keep-going]
// expect: optimal bug=assertion executions=2 blocked=3 line=@seen [cc: -DSEEN] [options: --keep-going --seed=1]
// expect: - bug=assertion executions=6 blocked=0 line=@seen [cc: -DSEEN] [options: --keep-going --stateful]
// expect: optimal bug=livelock executions=1 blocked=0 line=@poll replay [cc: -DMUTEX -DNEVER] [options: --keep-going]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int stop;
static atomic_int flag;

#if defined MUTEX || defined SEEN
static int poll_flag(void)
{
	pthread_mutex_lock(&mutex);
	int value = stop; // @poll
	pthread_mutex_unlock(&mutex);
	return value;
}
#elif defined RWLOCK
static int poll_flag(void)
{
	pthread_rwlock_rdlock(&rwlock);
	int value = stop;
	pthread_rwlock_unlock(&rwlock);
	return value;
}
#elif defined SEMAPHORE
static int poll_flag(void)
{
	sem_wait(&semaphore);
	int value = stop;
	sem_post(&semaphore);
	return value;
}
#elif defined TRYLOCK
static int poll_flag(void)
{
	int value = 0;

	if (!pthread_mutex_trylock(&mutex)) {
		value = stop;
		pthread_mutex_unlock(&mutex);
	}
	return value;
}
#else
static int poll_flag(void)
{
	return atomic_load(&flag);
}
#endif

#ifdef LOOPS
static atomic_int rows[10][4];

/* ten loops, one after the other, in each round */
static int all_set(void)
{
	int count = 0;

#define LOOK_AT(row)                                                                                                   \
	for (int i = 0; i < 4; i++)                                                                                    \
		if (row > 7)                                                                                           \
			count += atomic_load(&rows[row][i]);
	LOOK_AT(0)
	LOOK_AT(1)
	LOOK_AT(2)
	LOOK_AT(3)
	LOOK_AT(4)
	LOOK_AT(5)
	LOOK_AT(6)
	LOOK_AT(7)
	LOOK_AT(8)
	LOOK_AT(9)
	return count == 2;
}
#endif

static void *wait_for_it(void *unused)
{
#if defined COUNTER
	int looks = 0; /* which nobody wants to know */
	while (!poll_flag())
		looks++;
#elif defined OUTPUT
	while (!poll_flag())
		printf("not yet\n");
#elif defined DEADLINE && defined FINE
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	long end = now.tv_sec + 5;
	while (!poll_flag() && now.tv_sec < end)
		clock_gettime(CLOCK_MONOTONIC, &now);
#elif defined DEADLINE
	time_t end = time(NULL) + 5;
	while (!poll_flag() && time(NULL) < end)
		;
#ifdef LATE
	assert(atomic_load(&flag)); // @late
#endif
#elif defined LOOPS
	while (!all_set())
		;
#else
	while (!poll_flag())
#ifdef SLEEP
		usleep(10);
#else
		;
#endif
#ifdef SEEN
	/* what the other one saw of our rounds */
	assert(!atomic_load(&flag)); // @seen
#endif
#endif
	return unused;
}

static void *do_it(void *unused)
{
#if defined SEEN
	if (pthread_mutex_trylock(&mutex))
		atomic_store(&flag, 1);
	else
		pthread_mutex_unlock(&mutex);
#endif
#if defined NEVER
#elif defined MUTEX || defined TRYLOCK || defined SEEN
	pthread_mutex_lock(&mutex);
	stop = 1;
	pthread_mutex_unlock(&mutex);
#elif defined RWLOCK
	pthread_rwlock_wrlock(&rwlock);
	stop = 1;
	pthread_rwlock_unlock(&rwlock);
#elif defined SEMAPHORE
	sem_wait(&semaphore);
	stop = 1;
	sem_post(&semaphore);
#elif defined LOOPS
	atomic_store(&rows[8][1], 1);
	atomic_store(&rows[9][3], 1);
#elif !defined TRYJOIN
	atomic_store(&flag, 1);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&semaphore, 0, 1);
#ifdef TRYJOIN
	pthread_create(&threads[1], NULL, do_it, NULL);
	while (pthread_tryjoin_np(threads[1], NULL))
		;
	return 0;
#endif
	pthread_create(&threads[0], NULL, wait_for_it, NULL);
	pthread_create(&threads[1], NULL, do_it, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
