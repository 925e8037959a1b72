/*
 * Barriers.  Who arrives before the last one waits; the last one lets them all leave and is
 * the serial thread.  Any thread can be that: the search lets each be the last.
 *
 * The state is in the pthread_barrier_t, which has no static initialiser, so one that was
 * never initialised is recognised.  Who waits is in the threads.
 */
#include "common/invariant.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/memory.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define ALIVE 0x72726162u
#define DESTROYED 0x64656d6eu

struct barrier {
	uint32_t state; /* ALIVE, DESTROYED or anything */
	uint32_t count; /* how many threads it takes */
	uint32_t arrived;
};

_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "the state fits");

static struct barrier *inside(const pthread_barrier_t *barrier)
{
	return (struct barrier *)barrier;
}

static uint32_t missing(const struct op *op)
{
	const struct barrier *data = (struct barrier *)op->object;

	return data->state == ALIVE ? data->count - data->arrived : 1;
}

static const char *in_use(uint64_t barrier)
{
	const struct barrier *data = (struct barrier *)barrier;

	return data->state == ALIVE && data->arrived ? "a barrier at which threads wait" : NULL;
}

const struct primitive primitive_BARRIER = {.missing = missing, .in_use = in_use, .size = sizeof(pthread_barrier_t)};

static void check_alive(const pthread_barrier_t *barrier, const char *function)
{
	char message[MAX_MESSAGE];

	if (inside(barrier)->state == ALIVE)
		return;
	message_set(message, function,
		    inside(barrier)->state == DESTROYED ? " of a barrier that was destroyed"
							: " of a barrier that was never initialised",
		    NULL);
	anomaly(EV_MISUSE, message);
}

/* The threads that have arrived and not been let go. */
static uint64_t waiters(const pthread_barrier_t *barrier)
{
	uint64_t found = 0;

	for (uint64_t left = rt->schedule.blocking; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		const struct thread *thread = &rt->threads[i];
		if (thread->waiting && thread->pending.kind == EV_BARRIER_LEAVE &&
		    thread->pending.object == (uint64_t)barrier)
			found |= bit(i);
	}
	return found;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)
{
	struct op op = make_op(EV_BARRIER_INIT, barrier);
	int shared = PTHREAD_PROCESS_PRIVATE;

	touch(barrier);
	if (attributes) {
		pthread_barrierattr_t own;
		read_in(&own, attributes, sizeof own);
		pthread_barrierattr_getpshared(&own, &shared);
	}
	if (!count || count > INT_MAX || (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED))
		return EINVAL;
	if (shared == PTHREAD_PROCESS_SHARED)
		anomaly(EV_REFUSED, "pthread_barrier_init of a barrier shared between processes is not supported");
	point(&op);
	if (waiters(barrier))
		anomaly(EV_MISUSE, "pthread_barrier_init of a barrier that a thread waits at");
	if (inside(barrier)->state == ALIVE && !is_in_reused_memory(barrier))
		anomaly(EV_MISUSE, "pthread_barrier_init of a barrier that is initialised already");
	memset(barrier, 0, sizeof *barrier);
	*inside(barrier) = (struct barrier){.state = ALIVE, .count = count};
	return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	struct op op = make_op(EV_BARRIER_DESTROY, barrier);

	touch(barrier);
	point(&op);
	check_alive(barrier, "pthread_barrier_destroy");
	if (inside(barrier)->arrived)
		anomaly(EV_MISUSE, "pthread_barrier_destroy of a barrier that a thread waits at");
	inside(barrier)->state = DESTROYED;
	return 0;
}

static int let_all_leave(pthread_barrier_t *barrier, struct event *event)
{
	uint64_t all = waiters(barrier);

	inside(barrier)->arrived = 0;
	event->value = all;
	for (uint64_t left = all; left; left &= left - 1) {
		struct thread *thread = &rt->threads[__builtin_ctzll(left)];
		invariant(thread->state == THREAD_LIVE);
		thread->waiting = false;
	}
	reconsider_object((uint64_t)barrier);
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct op op = make_op(EV_BARRIER_ARRIVE, barrier);

	touch(barrier);
	struct event *event = point(&op);
	check_alive(barrier, "pthread_barrier_wait");
	if (!event && inside(barrier)->count > 1)
		anomaly(EV_REFUSED, "pthread_barrier_wait outside a running thread would wait for ever");
	if (!event)
		return PTHREAD_BARRIER_SERIAL_THREAD;
	if (++inside(barrier)->arrived == inside(barrier)->count)
		return let_all_leave(barrier, event);
	op.kind = EV_BARRIER_LEAVE;
	self()->waiting = true;
	point(&op);
	invariant(!self()->waiting);
	return 0;
}
