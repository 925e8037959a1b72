/*
 * Who holds which locks at a point of an execution, computed by following its
 * operations from the start; and, at its end, who waits for whom.
 *
 * Driven by the object class and the effect of each operation (wire/events.def).
 * A new class of locks is a row of lock_classes in held.c; a new effect that takes
 * or releases is a case of held_follow().
 */
#ifndef INSPECT_ORDER_HELD_H
#define INSPECT_ORDER_HELD_H

#include <stdbool.h>
#include <stddef.h>

#include "storage/vector.h"
#include "wire/plan.h"

struct held_lock {
	uint64_t object;
	uint32_t thread;
	uint32_t since; /* event: that acquired it */
};

/* One lock was taken or given up. */
struct held_change {
	struct held_lock lock;
	uint32_t at; /* where it was among the items */
	bool taken;
};

/* In the order of acquisition. */
struct held {
	struct held_lock *items; /* a vector */
	uint32_t count, size;
	bool remembers; /* all changes, so that held_back() can take them back */
	VECTOR(struct held_change) changes;
};

/* The locks held after the first `nevents` operations. */
void held_init(struct held *held, const struct event *events, uint32_t nevents);
/* One more operation is performed, as event i. */
void held_follow(struct held *held, const struct event *event, uint32_t i);
/* Take back all changes after the first `nchanges`. */
void held_back(struct held *held, uint32_t nchanges);
void held_release(struct held *held);
/* The first of those who hold the object, or NULL. */
const struct held_lock *held_owner(const struct held *held, uint64_t object);

/* --- who waits for whom --- */

enum wait {
	WAIT_NOT, /* the thread can go on */
	WAIT_LOCK, /* until its holder releases it */
	WAIT_END, /* join: until its target ends */
	WAIT_EVENT, /* until some thread, any, does something: signals, posts, arrives */
};

/* An end of an execution: the operations it left undone and the locks held then.  All borrowed. */
struct standstill {
	const struct pending *pending;
	uint32_t npending;
	const struct held *held;
};

enum wait pending_wait(const struct pending *pending);
/* What the thread was to do next, or NULL when it has ended. */
const struct pending *standstill_pending(const struct standstill *standstill, uint32_t thread);
/* The thread that this one waits for; MAX_THREADS when it is no particular one. */
uint32_t standstill_awaited(const struct standstill *standstill, const struct pending *pending);
/*
 * The threads that can never go on, whatever the others do: each waits for a lock
 * whose holder has ended or is one of them, or for the end of one of them.  Who waits
 * for a signal is never among them: somebody might have sent it.
 */
uint64_t standstill_stuck(const struct standstill *standstill);
/* Threads of the set that wait for each other in a circle, in that order; 0 when there are none. */
uint32_t standstill_cycle(const struct standstill *standstill, uint64_t set, uint32_t cycle[MAX_THREADS]);

#endif
