/*
 * Virtual time.  Each thread has a clock of its own that advances by a
 * microsecond whenever it is read and by the whole interval when the thread
 * sleeps: the same in every execution, and no waiting.
 *
 * Time passes only in programs that look at a clock (FEATURE_CLOCK): in all others a thread that sleeps and looks again
 * is where it was before.
 */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"
#include "runtime/core/thread.h"
#include "runtime/process/process.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EPOCH 1000000000ull /* seconds; an arbitrary, fixed day */
#define SECOND 1000000000ull
#define MONOTONIC_START 1000ull

static bool time_passes(void)
{
	return (rt->channel->features & FEATURE_CLOCK) || rt->standalone;
}

static uint64_t read_clock(void)
{
	use_feature(FEATURE_CLOCK);
	self()->rounds.clock_reads++;
	self()->system.clock += 1000;
	return self()->system.clock;
}

/* The time on the thread's own clock; 0 if it was before the clock began. */
static uint64_t own_time(clockid_t id, const struct timespec *time)
{
	uint64_t base = id == CLOCK_REALTIME ? EPOCH : MONOTONIC_START;

	if (time->tv_sec < 0 || (uint64_t)time->tv_sec < base)
		return 0;
	return ((uint64_t)time->tv_sec - base) * SECOND + (uint64_t)time->tv_nsec;
}

/* An hour, some days, a year. */
bool clock_jump(uint32_t times)
{
	static const uint32_t hours[] = {1, 100, 10000};

	if (times >= sizeof hours / sizeof *hours)
		return false;
	self()->system.clock += hours[times] * 3600 * SECOND;
	return true;
}

bool clock_is_past(clockid_t id, const struct timespec *time)
{
	use_feature(FEATURE_CLOCK);
	return own_time(id, time) <= self()->system.clock;
}

void clock_advance(clockid_t id, const struct timespec *time)
{
	uint64_t until = own_time(id, time);

	if (until > self()->system.clock && time_passes())
		self()->system.clock = until;
}

static void pass_time(uint64_t nanoseconds)
{
	if (!rt->trial.active && time_passes())
		self()->system.clock += nanoseconds;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	uint64_t t = read_clock();

	*now = (struct timespec){.tv_sec = (time_t)((id == CLOCK_REALTIME ? EPOCH : MONOTONIC_START) + t / SECOND),
				 .tv_nsec = (long)(t % SECOND)};
	return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	uint64_t t = read_clock();

	(void)zone;
	*now = (struct timeval){.tv_sec = (time_t)(EPOCH + t / SECOND), .tv_usec = (suseconds_t)(t % SECOND / 1000)};
	return 0;
}

time_t time(time_t *now)
{
	time_t t = (time_t)(EPOCH + read_clock() / SECOND);

	if (now)
		*now = t;
	return t;
}

int timespec_get(struct timespec *now, int base)
{
	if (base != TIME_UTC)
		return 0;
	clock_gettime(CLOCK_REALTIME, now);
	return base;
}

clock_t clock(void)
{
	return (clock_t)(read_clock() / 1000);
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	if (wanted->tv_nsec < 0 || wanted->tv_nsec >= (long)SECOND || wanted->tv_sec < 0) {
		errno = EINVAL;
		return -1;
	}
	cancellation_point();
	pass_time((uint64_t)wanted->tv_sec * SECOND + (uint64_t)wanted->tv_nsec);
	if (left && !rt->trial.active)
		*left = (struct timespec){0};
	return 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *wanted, struct timespec *left)
{
	if (flags & TIMER_ABSTIME) {
		if (!time_is_valid(wanted))
			return EINVAL;
		cancellation_point();
		if (!rt->trial.active)
			clock_advance(id, wanted);
		return 0;
	}
	return nanosleep(wanted, left) ? errno : 0;
}

int usleep(useconds_t microseconds)
{
	cancellation_point();
	pass_time(microseconds * 1000ull);
	return 0;
}

unsigned sleep(unsigned seconds)
{
	cancellation_point();
	pass_time(seconds * SECOND);
	return 0;
}

int sched_yield(void)
{
	return 0;
}
