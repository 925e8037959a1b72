/*
 * Time limits.  A wait that has one may end without what it waits for: at any time
 * (`explore'), never, or only when no thread can do anything else (`last-resort').
 *
 * A loop around a timed wait would go on for ever if each round could time out.  So at
 * any time means once for each state that the thread's own stack and registers are in:
 * a second timeout that finds them as the first one did waits until nobody can go on.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/core/runtime.h"
#include "runtime/process/process.h"
#include "runtime/sync/sync.h"

#define SECOND 1000000000ull

bool time_is_valid(const struct timespec *time)
{
	return time->tv_nsec >= 0 && time->tv_nsec < (long)SECOND;
}

static bool was_here(const struct thread *thread, uint64_t state)
{
	for (uint32_t i = 0; i < thread->sync.ntimeouts; i++)
		if (thread->sync_lists.timeouts[i] == state)
			return true;
	return false;
}

/* Once for each state of the thread; it is used up whether or not the wait then times out. */
static bool is_new_here(uint64_t kind)
{
	struct thread *thread = self();
	uint64_t state = (thread->caller_state ^ rt->current_site) + kind;

	invariant(thread->sync.ntimeouts <= MAX_TIMEOUTS);
	if (was_here(thread, state) || thread->sync.ntimeouts == MAX_TIMEOUTS)
		return false;
	thread->sync_lists.timeouts[thread->sync.ntimeouts++] = state;
	return true;
}

enum timed timeout_mode(clockid_t clock, const struct timespec *until)
{
	if (clock_is_past(clock, until)) /* who comes again and again lets the others go on before */
		return is_new_here(2) ? TIMED_FREE : TIMED_LATE;
	switch (rt->channel->modes.timeouts) {
	case TIMEOUTS_NEVER: return TIMED_NO;
	case TIMEOUTS_LAST_RESORT: return TIMED_LATE;
	}
	return is_new_here(0) ? TIMED_FREE : TIMED_LATE;
}

void timeout_happened(clockid_t clock, const struct timespec *until)
{
	clock_advance(clock, until);
}

bool spurious_allowed(void)
{
	return rt->channel->modes.spurious_wakeups && rt->phase == PHASE_RUN && is_new_here(1);
}
