// Waiting on a condition variable with a time limit, by either clock.
// covers: pthread_cond_timedwait pthread_cond_clockwait pthread_condattr_setclock
// misuse: pthread_cond_timedwait pthread_cond_clockwait
// expect: source verified executions=4 [args: timed]
// expect: dpor verified executions=4 [args: timed]
// expect: all verified executions=6 [args: timed]
// expect: source bug=exit executions=4 [args: timed_both] [options: --keep-going]
// expect: dpor bug=exit executions=4 [args: timed_both] [options: --keep-going]
// expect: all bug=exit executions=6 [args: timed_both] [options: --keep-going]
// expect: source verified executions=2 [args: timed_both] [options: --timeouts=last-resort]
// expect: dpor verified executions=2 [args: timed_both] [options: --timeouts=last-resort]
// expect: all verified executions=2 [args: timed_both] [options: --timeouts=last-resort]
// expect: source verified executions=2 [args: timed_both] [options: --timeouts=never]
// expect: dpor verified executions=2 [args: timed_both] [options: --timeouts=never]
// expect: all verified executions=2 [args: timed_both] [options: --timeouts=never]
// expect: source verified executions=4 [args: timed_both] [options: --timeouts=never --spurious-wakeups]
// expect: dpor verified executions=4 [args: timed_both] [options: --timeouts=never --spurious-wakeups]
// expect: all verified executions=6 [args: timed_both] [options: --timeouts=never --spurious-wakeups]
// expect: source verified executions=1 [args: nobody_signals]
// expect: dpor verified executions=1 [args: nobody_signals]
// expect: all verified executions=1 [args: nobody_signals]
// expect: source verified executions=1 [args: nobody_signals] [options: --timeouts=last-resort]
// expect: dpor verified executions=1 [args: nobody_signals] [options: --timeouts=last-resort]
// expect: all verified executions=1 [args: nobody_signals] [options: --timeouts=last-resort]
// expect: source bug=deadlock executions=1 [args: nobody_signals] [options: --timeouts=never] line=@nobody_signals
// expect: dpor bug=deadlock executions=1 [args: nobody_signals] [options: --timeouts=never] line=@nobody_signals
// expect: all bug=deadlock executions=1 [args: nobody_signals] [options: --timeouts=never] line=@nobody_signals
// expect: source verified executions=4 [args: monotonic]
// expect: dpor verified executions=4 [args: monotonic]
// expect: all verified executions=6 [args: monotonic]
// expect: source verified executions=4 [args: by_clock]
// expect: dpor verified executions=4 [args: by_clock]
// expect: all verified executions=6 [args: by_clock]
// expect: source bug=exit executions=4 [args: by_clock_both] [options: --keep-going]
// expect: dpor bug=exit executions=4 [args: by_clock_both] [options: --keep-going]
// expect: all bug=exit executions=6 [args: by_clock_both] [options: --keep-going]
// expect: source verified executions=1 [args: past]
// expect: source verified executions=1 [args: errors]
// expect: source bug=lock executions=1 line=@timed_unlocked [args: timed_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@clock_unlocked [args: clock_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@timed_destroyed [args: timed_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@clock_garbage [args: clock_garbage] [says: never initialised]
// expect: source bug=crash executions=1 line=@timed_null [args: timed_null]
// expect: source bug=crash executions=1 line=@clock_null [args: clock_null]
// expect: source bug=crash executions=1 line=@timed_null_mutex [args: timed_null_mutex]
// expect: source bug=crash executions=1 line=@timed_bad_time [args: timed_bad_time]
// expect: source bug=crash executions=1 line=@clock_bad_time [args: clock_bad_time]
#include "api.h"

#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set_ready(void *unused)
{
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* Waits until it is ready or the time is up. */
static int wait_ready(clockid_t clock, bool by_clock)
{
	struct timespec until = in_seconds(clock, 3);
	int error = 0;

	pthread_mutex_lock(&mutex);
	while (!ready && !error)
		error = by_clock ? pthread_cond_clockwait(&cond, &mutex, clock, &until)
				 : pthread_cond_timedwait(&cond, &mutex, &until);
	assert(error == 0 || error == ETIMEDOUT);
	assert(error || ready);
	assert(!error || in_seconds(clock, 0).tv_sec >= until.tv_sec);
	assert(pthread_mutex_trylock(&mutex) == EBUSY); /* held again, either way */
	pthread_mutex_unlock(&mutex);
	return error;
}

CASE(timed)
{
	pthread_t thread = start(set_ready, NULL);

	wait_ready(CLOCK_REALTIME, false);
	finish(thread);
}

CASE(timed_both)
{
	pthread_t thread = start(set_ready, NULL);
	int error = wait_ready(CLOCK_REALTIME, false);

	finish(thread);
	exit(error == ETIMEDOUT);
}

CASE(nobody_signals)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	pthread_mutex_lock(&mutex);
	assert(pthread_cond_timedwait(&cond, &mutex, &until) == ETIMEDOUT); // @nobody_signals
	pthread_mutex_unlock(&mutex);
}

CASE(monotonic)
{
	pthread_condattr_t attributes;

	assert(pthread_condattr_init(&attributes) == 0);
	assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
	assert(pthread_cond_init(&cond, &attributes) == 0);
	pthread_t thread = start(set_ready, NULL);
	wait_ready(CLOCK_MONOTONIC, false);
	finish(thread);
	assert(pthread_cond_destroy(&cond) == 0);
}

CASE(by_clock)
{
	pthread_t thread = start(set_ready, NULL);

	wait_ready(CLOCK_MONOTONIC, true);
	finish(thread);
}

CASE(by_clock_both)
{
	pthread_t thread = start(set_ready, NULL);
	int error = wait_ready(CLOCK_MONOTONIC, true);

	finish(thread);
	exit(error == ETIMEDOUT);
}

CASE(past)
{
	struct timespec past = {.tv_sec = 1};

	pthread_mutex_lock(&mutex);
	assert(pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
	assert(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
}

CASE(errors)
{
	struct timespec bad = {.tv_nsec = 1000000000}, until = in_seconds(CLOCK_REALTIME, 1);

	pthread_mutex_lock(&mutex);
	assert(pthread_cond_timedwait(&cond, &mutex, &bad) == EINVAL);
	assert(pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &bad) == EINVAL);
	assert(pthread_cond_clockwait(&cond, &mutex, CLOCK_PROCESS_CPUTIME_ID, &until) == EINVAL);
	pthread_mutex_unlock(&mutex);
}

static struct timespec past_time;

static pthread_mutex_t *held(void)
{
	pthread_mutex_lock(&mutex);
	return &mutex;
}

static pthread_cond_t *destroyed(void)
{
	pthread_cond_destroy(&cond);
	return &cond;
}

static pthread_cond_t *garbage(void)
{
	return memset(&cond, 0xff, sizeof cond);
}

MISUSE(timed_unlocked, pthread_cond_timedwait(&cond, &mutex, &past_time)); // @timed_unlocked
MISUSE(clock_unlocked, pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &past_time)); // @clock_unlocked
MISUSE(timed_destroyed, pthread_cond_timedwait(destroyed(), held(), &past_time)); // @timed_destroyed
MISUSE(clock_garbage, pthread_cond_clockwait(garbage(), held(), CLOCK_REALTIME, &past_time)); // @clock_garbage
MISUSE(timed_null, pthread_cond_timedwait(NULL, held(), &past_time)); // @timed_null
MISUSE(clock_null, pthread_cond_clockwait(NULL, held(), CLOCK_REALTIME, &past_time)); // @clock_null
MISUSE(timed_null_mutex, pthread_cond_timedwait(&cond, NULL, &past_time)); // @timed_null_mutex
MISUSE(timed_bad_time, pthread_cond_timedwait(&cond, held(), (void *)8)); // @timed_bad_time
MISUSE(clock_bad_time, pthread_cond_clockwait(&cond, held(), CLOCK_REALTIME, (void *)8)); // @clock_bad_time
