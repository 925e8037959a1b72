// Locking with a time limit: both ends are explored; the option decides.
// covers: pthread_mutex_timedlock pthread_mutex_clocklock
// misuse: pthread_mutex_timedlock pthread_mutex_clocklock
// expect: source verified executions=3 [args: timed_lock]
// expect: dpor verified executions=3 [args: timed_lock]
// expect: all verified executions=5 [args: timed_lock]
// expect: source bug=exit executions=3 [args: timed_lock_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: timed_lock_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: timed_lock_both] [options: --keep-going]
// expect: source verified executions=2 [args: timed_lock_both] [options: --timeouts=never]
// expect: dpor verified executions=2 [args: timed_lock_both] [options: --timeouts=never]
// expect: all verified executions=2 [args: timed_lock_both] [options: --timeouts=never]
// expect: source verified executions=2 [args: timed_lock_both] [options: --timeouts=last-resort]
// expect: dpor verified executions=2 [args: timed_lock_both] [options: --timeouts=last-resort]
// expect: all verified executions=2 [args: timed_lock_both] [options: --timeouts=last-resort]
// expect: source verified executions=3 [args: clock_lock]
// expect: dpor verified executions=3 [args: clock_lock]
// expect: all verified executions=5 [args: clock_lock]
// expect: source bug=exit executions=3 [args: clock_lock_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: clock_lock_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: clock_lock_both] [options: --keep-going]
// expect: source verified executions=1 [args: must_time_out]
// expect: dpor verified executions=1 [args: must_time_out]
// expect: all verified executions=1 [args: must_time_out]
// expect: source verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: dpor verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: all verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: source bug=deadlock executions=1 [args: must_time_out] line=@must_time_out [options: --timeouts=never]
// expect: dpor bug=deadlock executions=1 [args: must_time_out] line=@must_time_out [options: --timeouts=never]
// expect: all bug=deadlock executions=1 [args: must_time_out] line=@must_time_out [options: --timeouts=never]
// expect: source verified executions=66 [args: polling]
// expect: dpor verified executions=66 [args: polling]
// expect: source verified executions=1 [args: owner_died]
// expect: dpor verified executions=1 [args: owner_died]
// expect: all verified executions=1 [args: owner_died]
// expect: source verified executions=1 [args: errors]
// expect: source bug=crash executions=1 line=@timed_null [args: timed_null]
// expect: source bug=crash executions=1 line=@clock_null [args: clock_null]
// expect: source bug=crash executions=1 line=@timed_bad_time [args: timed_bad_time]
// expect: source bug=crash executions=1 line=@clock_bad_time [args: clock_bad_time]
// expect: source bug=lock executions=1 line=@timed_destroyed [args: timed_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@clock_garbage [args: clock_garbage] [says: never initialised]
#include "api.h"

#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int word;

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	word++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

CASE(timed_lock)
{
	pthread_t thread = start(work, NULL);
	struct timespec until = in_seconds(CLOCK_REALTIME, 2);
	int error = pthread_mutex_timedlock(&mutex, &until);

	assert(error == 0 || error == ETIMEDOUT);
	if (!error) {
		word++;
		assert(pthread_mutex_unlock(&mutex) == 0);
	}
	finish(thread);
	assert(word == (error ? 1 : 2));
	assert(!error || in_seconds(CLOCK_REALTIME, 0).tv_sec >= until.tv_sec);
}

CASE(timed_lock_both)
{
	pthread_t thread = start(work, NULL);
	struct timespec until = in_seconds(CLOCK_REALTIME, 2);
	int error = pthread_mutex_timedlock(&mutex, &until);

	if (!error)
		pthread_mutex_unlock(&mutex);
	finish(thread);
	exit(error == ETIMEDOUT);
}

CASE(clock_lock)
{
	pthread_t thread = start(work, NULL);
	struct timespec until = in_seconds(CLOCK_MONOTONIC, 2);
	int error = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);

	assert(error == 0 || error == ETIMEDOUT);
	if (!error)
		assert(pthread_mutex_unlock(&mutex) == 0);
	finish(thread);
	assert(word == 1);
}

CASE(clock_lock_both)
{
	pthread_t thread = start(work, NULL);
	struct timespec until = in_seconds(CLOCK_MONOTONIC, 2);
	int error = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);

	if (!error)
		pthread_mutex_unlock(&mutex);
	finish(thread);
	exit(error == ETIMEDOUT);
}

static void *wait_in_vain(void *unused)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 2);

	assert(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT); // @must_time_out
	return unused;
}

CASE(must_time_out)
{
	pthread_mutex_lock(&mutex);
	finish(start(wait_in_vain, NULL));
	pthread_mutex_unlock(&mutex);
}

/* A loop that tries again and again comes to its end. */
CASE(polling)
{
	pthread_t thread = start(work, NULL);
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	while (pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT)
		until = in_seconds(CLOCK_REALTIME, 1);
	word++;
	pthread_mutex_unlock(&mutex);
	finish(thread);
	assert(word == 2);
}

static void *lock_and_end(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

CASE(owner_died)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attributes);
	finish(start(lock_and_end, NULL));
	assert(pthread_mutex_timedlock(&mutex, &until) == EOWNERDEAD);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_mutex_timedlock(&mutex, &until) == ENOTRECOVERABLE);
}

CASE(errors)
{
	static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	struct timespec until = in_seconds(CLOCK_REALTIME, 1), bad = {.tv_nsec = -1};

	assert(pthread_mutex_timedlock(&mutex, &bad) == 0); /* it need not wait */
	assert(pthread_mutex_timedlock(&mutex, &bad) == EINVAL);
	assert(pthread_mutex_clocklock(&checking, CLOCK_THREAD_CPUTIME_ID, &until) == EINVAL);
	assert(pthread_mutex_timedlock(&checking, &until) == 0);
	assert(pthread_mutex_timedlock(&checking, &until) == EDEADLK);
	assert(pthread_mutex_clocklock(&checking, CLOCK_REALTIME, &until) == EDEADLK);
	assert(pthread_mutex_timedlock(&recursive, &until) == 0);
	assert(pthread_mutex_clocklock(&recursive, CLOCK_MONOTONIC, &until) == 0);
	assert(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
	assert(pthread_mutex_unlock(&recursive) == EPERM);
}

static struct timespec past;

static pthread_mutex_t *destroyed(void)
{
	pthread_mutex_destroy(&mutex);
	return &mutex;
}

static pthread_mutex_t *garbage(void)
{
	return memset(&mutex, 0xff, sizeof mutex);
}

MISUSE(timed_null, pthread_mutex_timedlock(NULL, &past)); // @timed_null
MISUSE(clock_null, pthread_mutex_clocklock(NULL, CLOCK_REALTIME, &past)); // @clock_null
MISUSE(timed_bad_time, pthread_mutex_timedlock(&mutex, (void *)8)); // @timed_bad_time
MISUSE(clock_bad_time, pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, (void *)8)); // @clock_bad_time
MISUSE(timed_destroyed, pthread_mutex_timedlock(destroyed(), &past)); // @timed_destroyed
MISUSE(clock_garbage, pthread_mutex_clocklock(garbage(), CLOCK_REALTIME, &past)); // @clock_garbage
