/*
 * Condition variables.  A pthread_cond_t holds whether it is alive and its clock; who
 * waits is in the threads.  The waiters are a set; a signal chooses one of them, and the
 * explorer tries each choice.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/core/thread.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/memory.h"
#include "runtime/state/state.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <string.h>

uint64_t cond_waiters(uint64_t cond)
{
	uint64_t waiters = 0;

	for (uint64_t left = rt->schedule.blocking; left; left &= left - 1) {
		unsigned i = __builtin_ctzll(left);
		if (rt->threads[i].waiting && rt->threads[i].sync.wait_cond == cond)
			waiters |= bit(i);
	}
	return waiters;
}

/* A signal that finds nobody is a look. */
static enum event_kind kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;
	bool nobody = event_is(op->kind, EV_LETS_GO) && !cond_waiters(op->object);

	if (nobody && op->kind == EV_COND_SIGNAL)
		return EV_COND_SIGNAL_NONE;
	if (nobody && op->kind == EV_COND_BROADCAST)
		return EV_COND_BROADCAST_NONE;
	return op->kind;
}

static const char *in_use(uint64_t cond)
{
	return cond_waiters(cond) ? "a condition variable at which threads wait" : NULL;
}

const struct primitive primitive_COND = {.kind = kind, .in_use = in_use, .size = sizeof(pthread_cond_t)};

/* The first word of a pthread_cond_t is ours; zero is what an unmarked static initialiser gives. */
#define INITIALISED 0x646e6f63u
#define STATIC 0x646e6f64u
#define DESTROYED 0x64656d6eu

static uint32_t *state_of(const pthread_cond_t *cond)
{
	return (uint32_t *)cond;
}

/* The event, if there is one, is the operation on it. */
static void check_alive(const pthread_cond_t *cond, struct event *event, const char *function)
{
	uint32_t state = *state_of(cond);
	char message[MAX_MESSAGE];

	if (state == 0 && zero_is_uninitialised(cond) && note_uninitialised(event))
		*state_of(cond) = STATIC;
	if (state == INITIALISED || state == STATIC || state == 0)
		return;
	message_set(message, function,
		    state == DESTROYED ? " of a condition variable that was destroyed"
				       : " of a condition variable that was never initialised",
		    NULL);
	anomaly(EV_MISUSE, message);
}

static clockid_t *clock_of(pthread_cond_t *cond)
{
	return (clockid_t *)(state_of(cond) + 1);
}

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
	struct op op = make_op(EV_COND_INIT, cond);
	int shared = PTHREAD_PROCESS_PRIVATE;
	clockid_t clock = CLOCK_REALTIME;

	touch(cond);
	if (attributes) {
		pthread_condattr_t own;
		read_in(&own, attributes, sizeof own);
		pthread_condattr_getpshared(&own, &shared);
		pthread_condattr_getclock(&own, &clock);
	}
	if ((shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return EINVAL;
	if (shared == PTHREAD_PROCESS_SHARED)
		anomaly(EV_REFUSED, "pthread_cond_init of a condition shared between processes is not supported");
	point(&op);
	if (cond_waiters((uint64_t)cond))
		anomaly(EV_MISUSE, "pthread_cond_init of a condition variable that a thread waits on");
	if (*state_of(cond) == INITIALISED && !is_in_reused_memory(cond))
		anomaly(EV_MISUSE, "pthread_cond_init of a condition variable that is initialised already");
	memset(cond, 0, sizeof *cond);
	*state_of(cond) = INITIALISED;
	*clock_of(cond) = clock;
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond)
{
	struct op op = make_op(EV_COND_DESTROY, cond);

	touch(cond);
	check_alive(cond, point(&op), "pthread_cond_destroy");
	if (cond_waiters((uint64_t)cond))
		anomaly(EV_MISUSE, "pthread_cond_destroy of a condition variable that a thread waits on");
	*state_of(cond) = DESTROYED;
	return 0;
}

/* --- waiting --- */

static void check_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	touch(cond);
	touch(mutex);
	if (!mutex_is_mine((uint64_t)mutex))
		anomaly(EV_MISUSE, "pthread_cond_wait with a mutex that the thread does not hold");
	if (mutex->__data.__count > 1)
		anomaly(EV_MISUSE, "pthread_cond_wait with a recursive mutex that is locked more than once");
	if (rt->phase != PHASE_RUN)
		anomaly(EV_REFUSED, "pthread_cond_wait outside a running thread would wait for ever");
}

static void check_one_mutex(uint64_t cond, uint64_t mutex)
{
	for (uint64_t left = cond_waiters(cond); left; left &= left - 1)
		if (rt->threads[__builtin_ctzll(left)].sync.wait_mutex != mutex)
			anomaly(EV_MISUSE, "pthread_cond_wait with another mutex than the threads that wait already");
}

/* What ends the wait besides a signal, as the operation that the thread waits in. */
static struct op waiting_op(const struct op *wait, enum timed timed, bool spurious)
{
	struct op op = {.kind = EV_COND_TIMEOUT, .site = wait->site, .object = wait->object, .object2 = wait->object2};

	make_cancellable(&op);
	if (spurious && timed == TIMED_FREE)
		op.choices = 2;
	else if (spurious)
		op.kind = EV_COND_SPURIOUS;
	else if (timed != TIMED_FREE && op.size)
		op.kind = EV_COND_CANCELLED;
	else if (timed != TIMED_FREE) /* nothing does */
		op = (struct op){.kind = EV_COND_WAKE, .site = wait->site, .object = wait->object2};
	return op;
}

/* How a wait came to its end. */
enum outcome { SIGNALLED, SPURIOUS, TIMED_OUT, CANCELLED };

static enum outcome outcome_of(const struct event *event)
{
	if (event->op.kind == EV_COND_CANCELLED)
		return CANCELLED;
	if (event->op.kind == EV_COND_SPURIOUS || event->choice == 1)
		return SPURIOUS;
	return is_timeout(event->op.kind) ? TIMED_OUT : SIGNALLED;
}

/* `error` is what came of taking the mutex again: the owner of a robust one may have died. */
static enum outcome wait(pthread_cond_t *cond, pthread_mutex_t *mutex, enum timed timed, int *error)
{
	bool spurious = spurious_allowed();
	struct op op = make_op(EV_COND_WAIT, cond);
	struct thread *thread = self();

	op.object2 = (uint64_t)mutex;
	check_alive(cond, point(&op), "pthread_cond_wait");
	check_one_mutex((uint64_t)cond, (uint64_t)mutex);
	thread->waiting = true;
	thread->sync.wait_cond = (uint64_t)cond;
	thread->sync.wait_mutex = (uint64_t)mutex;
	mutex_give_back((uint64_t)mutex);
	struct op waiting = waiting_op(&op, timed, spurious);
	struct event *event = timed_point(&waiting, timed);
	invariant(event && thread->sync.wait_cond == (uint64_t)cond);
	enum outcome outcome = outcome_of(event);
	thread->waiting = false;
	thread->sync.wait_cond = 0;
	if (outcome != SIGNALLED) {
		struct op again = {.kind = EV_COND_WAKE, .site = op.site, .object = (uint64_t)mutex};
		point(&again);
	}
	*error = mutex_take_over((uint64_t)mutex);
	if (outcome != CANCELLED && cancel_is_chosen()) {
		if (thread->sync.passed_over & cond_waiters((uint64_t)cond))
			pthread_cond_signal(cond); /* the signal is not lost on a thread that is cancelled */
		outcome = CANCELLED;
	}
	thread->sync.passed_over = 0;
	if (outcome == CANCELLED)
		act_on_cancel();
	return outcome;
}

int STATEFUL(pthread_cond_wait)(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int error;

	check_wait(cond, mutex);
	cancellation_point();
	wait(cond, mutex, TIMED_NO, &error);
	return error;
}

int STATEFUL(pthread_cond_clockwait)(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				     const struct timespec *until)
{
	struct timespec own;
	int error;

	check_wait(cond, mutex);
	read_in(&own, until, sizeof own);
	until = &own;
	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || !time_is_valid(until))
		return EINVAL;
	cancellation_point();
	enum timed timed = timeout_mode(clock, until);
	if (wait(cond, mutex, timed, &error) != TIMED_OUT)
		return error;
	timeout_happened(clock, until);
	return error ? error : ETIMEDOUT;
}

int STATEFUL(pthread_cond_timedwait)(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	touch(cond);
	return STATEFUL(pthread_cond_clockwait)(cond, mutex, *clock_of(cond), until);
}

/* --- waking --- */

static void wake_waiter(unsigned number)
{
	struct thread *thread = &rt->threads[number];

	invariant(thread->state == THREAD_LIVE);
	invariant(thread->waiting && thread->sync.wait_cond);
	thread->waiting = false;
	thread->timed = TIMED_NO;
	thread->cancel.possible = false;
	thread->pending =
		(struct op){.kind = EV_COND_WAKE, .site = thread->pending.site, .object = thread->sync.wait_mutex};
	rt->schedule.late &= ~bit(number);
	state_of_another_changes(number);
	reconsider_thread(number);
}

static unsigned nth_member(uint64_t set, unsigned n)
{
	invariant(n < (unsigned)__builtin_popcountll(set));
	while (n--)
		set &= set - 1;
	return (unsigned)__builtin_ctzll(set);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	struct op op = make_op(EV_COND_SIGNAL, cond);

	touch(cond);
	struct event *event = point(&op);
	check_alive(cond, event, "pthread_cond_signal");
	uint64_t waiters = cond_waiters((uint64_t)cond);
	if (!event || !waiters)
		return 0;
	unsigned woken = nth_member(waiters, event->choice);
	event->value = bit(woken);
	if (rt->channel->features & FEATURE_CANCEL)
		rt->threads[woken].sync.passed_over = waiters & ~bit(woken);
	wake_waiter(woken);
	return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	struct op op = make_op(EV_COND_BROADCAST, cond);

	touch(cond);
	struct event *event = point(&op);
	check_alive(cond, event, "pthread_cond_broadcast");
	uint64_t waiters = cond_waiters((uint64_t)cond);
	if (!event || !waiters)
		return 0;
	event->value = waiters;
	for (uint64_t left = waiters; left; left &= left - 1)
		wake_waiter((unsigned)__builtin_ctzll(left));
	return 0;
}
