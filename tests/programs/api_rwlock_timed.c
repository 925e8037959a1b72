// Read-write locks with a time limit, by either clock.
// covers: pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
// misuse: pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
// expect: source bug=exit executions=3 [args: read_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: read_both] [options: --keep-going]
// expect: all bug=exit executions=5 [args: read_both] [options: --keep-going]
// expect: source bug=exit executions=3 [args: write_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: write_both] [options: --keep-going]
// expect: all bug=exit executions=5 [args: write_both] [options: --keep-going]
// expect: source bug=exit executions=3 [args: clock_read_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: clock_read_both] [options: --keep-going]
// expect: all bug=exit executions=5 [args: clock_read_both] [options: --keep-going]
// expect: source bug=exit executions=3 [args: clock_write_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: clock_write_both] [options: --keep-going]
// expect: all bug=exit executions=5 [args: clock_write_both] [options: --keep-going]
// expect: source verified executions=2 [args: read_both] [options: --timeouts=never]
// expect: dpor verified executions=2 [args: read_both] [options: --timeouts=never]
// expect: all verified executions=2 [args: read_both] [options: --timeouts=never]
// expect: source verified executions=2 [args: write_both] [options: --timeouts=last-resort]
// expect: dpor verified executions=2 [args: write_both] [options: --timeouts=last-resort]
// expect: all verified executions=2 [args: write_both] [options: --timeouts=last-resort]
// expect: source verified executions=1 [args: reader_keeps_writer_out]
// expect: dpor verified executions=1 [args: reader_keeps_writer_out]
// expect: all verified executions=1 [args: reader_keeps_writer_out]
// expect: source bug=deadlock executions=1 [args: reader_keeps_writer_out] line=@keeps_out [options: --timeouts=never]
// expect: dpor bug=deadlock executions=1 [args: reader_keeps_writer_out] line=@keeps_out [options: --timeouts=never]
// expect: all bug=deadlock executions=1 [args: reader_keeps_writer_out] line=@keeps_out [options: --timeouts=never]
// expect: source verified executions=1 [args: errors]
// expect: source bug=crash executions=1 line=@timedrd_null [args: timedrd_null]
// expect: source bug=crash executions=1 line=@timedwr_null [args: timedwr_null]
// expect: source bug=crash executions=1 line=@clockrd_null [args: clockrd_null]
// expect: source bug=crash executions=1 line=@clockwr_null [args: clockwr_null]
// expect: source bug=crash executions=1 line=@timedrd_bad_time [args: timedrd_bad_time]
// expect: source bug=lock executions=1 line=@timedwr_destroyed [args: timedwr_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@clockrd_destroyed [args: clockrd_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@clockwr_garbage [args: clockwr_garbage] [says: never initialised]
#include "api.h"

#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int word;

static void *write_it(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	word++;
	pthread_rwlock_unlock(&lock);
	return unused;
}

typedef int timed_function(pthread_rwlock_t *, const struct timespec *);
typedef int clock_function(pthread_rwlock_t *, clockid_t, const struct timespec *);

static void finish_both(pthread_t thread, int error)
{
	assert(error == 0 || error == ETIMEDOUT);
	if (!error) {
		assert(word == 0 || word == 1);
		assert(pthread_rwlock_unlock(&lock) == 0);
	}
	finish(thread);
	exit(error == ETIMEDOUT);
}

static void timed(timed_function *function)
{
	pthread_t thread = start(write_it, NULL);
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	finish_both(thread, function(&lock, &until));
}

static void by_clock(clock_function *function)
{
	pthread_t thread = start(write_it, NULL);
	struct timespec until = in_seconds(CLOCK_MONOTONIC, 1);

	finish_both(thread, function(&lock, CLOCK_MONOTONIC, &until));
}

CASE(read_both)
{
	timed(pthread_rwlock_timedrdlock);
}

CASE(write_both)
{
	timed(pthread_rwlock_timedwrlock);
}

CASE(clock_read_both)
{
	by_clock(pthread_rwlock_clockrdlock);
}

CASE(clock_write_both)
{
	by_clock(pthread_rwlock_clockwrlock);
}

static void *try_in_vain(void *unused)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	assert(pthread_rwlock_timedrdlock(&lock, &until) == 0);
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_rwlock_timedwrlock(&lock, &until) == ETIMEDOUT); // @keeps_out
	assert(pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &until) == ETIMEDOUT);
	return unused;
}

CASE(reader_keeps_writer_out)
{
	pthread_rwlock_rdlock(&lock);
	finish(start(try_in_vain, NULL));
	pthread_rwlock_unlock(&lock);
}

CASE(errors)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1), bad = {.tv_nsec = -1};

	assert(pthread_rwlock_timedrdlock(&lock, &bad) == EINVAL);
	assert(pthread_rwlock_timedwrlock(&lock, &bad) == EINVAL);
	assert(pthread_rwlock_clockrdlock(&lock, 77, &until) == EINVAL);
	assert(pthread_rwlock_clockwrlock(&lock, CLOCK_THREAD_CPUTIME_ID, &until) == EINVAL);
	assert(pthread_rwlock_wrlock(&lock) == 0);
	assert(pthread_rwlock_timedrdlock(&lock, &until) == EDEADLK);
	assert(pthread_rwlock_timedwrlock(&lock, &until) == EDEADLK);
	assert(pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &until) == EDEADLK);
	assert(pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &until) == EDEADLK);
}

static struct timespec past;

static pthread_rwlock_t *destroyed(void)
{
	pthread_rwlock_destroy(&lock);
	return &lock;
}

static pthread_rwlock_t *garbage(void)
{
	return memset(&lock, 0xff, sizeof lock);
}

MISUSE(timedrd_null, pthread_rwlock_timedrdlock(NULL, &past)); // @timedrd_null
MISUSE(timedwr_null, pthread_rwlock_timedwrlock(NULL, &past)); // @timedwr_null
MISUSE(clockrd_null, pthread_rwlock_clockrdlock(NULL, CLOCK_REALTIME, &past)); // @clockrd_null
MISUSE(clockwr_null, pthread_rwlock_clockwrlock(NULL, CLOCK_REALTIME, &past)); // @clockwr_null
MISUSE(timedrd_bad_time, pthread_rwlock_timedrdlock(&lock, (void *)8)); // @timedrd_bad_time
MISUSE(timedwr_destroyed, pthread_rwlock_timedwrlock(destroyed(), &past)); // @timedwr_destroyed
MISUSE(clockrd_destroyed, pthread_rwlock_clockrdlock(destroyed(), CLOCK_REALTIME, &past)); // @clockrd_destroyed
MISUSE(clockwr_garbage, pthread_rwlock_clockwrlock(garbage(), CLOCK_REALTIME, &past)); // @clockwr_garbage
