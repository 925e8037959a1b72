/*
 * Happens-before of one trace, by vector clocks, and the races in it.
 *
 * Events are ordered by program order, by the conflict relation of wire/events.h
 * and by what enables what: create before the child's first event, a thread's
 * exit before its join, a signal before the wake-up it causes.
 *
 * A race is a pair of conflicting events of two threads that nothing else orders
 * and that could have come the other way round.  Between mutex operations that is
 * acquire and acquire: a release enables, it does not race.  What a thread was
 * about to do when the execution ended takes part as if it came last: a thread
 * blocked on a mutex races with the acquire that blocks it, and every enabled
 * thread with the end of the process.
 */
#ifndef INSPECT_ORDER_ORDER_H
#define INSPECT_ORDER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/plan.h"

#include "common/invariant.h"

/* What the second does when it comes first. */
enum race_second {
	RACE_SAME, /* what it did or was about to do, or what that turns out to be then */
	RACE_AWAIT_READS, /* it is an await … */
	RACE_AWAIT_WRITES, /* … */
	RACE_LEAVES, /* it was woken by the first, and ends its wait without that */
	RACE_NOT_LAST, /* it was the last to arrive, or to end, and is not if the first comes later */
};

struct race {
	uint32_t first; /* event */
	uint32_t node; /* where it can be reversed: first, or the beginning of its atomic block */
	uint32_t second; /* event, or nevents for an operation that was still pending */
	uint32_t clock; /* row: the clock of the second without what the first caused */
	uint32_t others; /* index into order->others: events besides the first that must come later as well … */
	uint32_t nothers; /* … and how many of them: other readers of a lock, for a writer */
	uint8_t thread; /* of the second */
	uint8_t second_is; /* enum race_second */
};

/* What is asked of an event most often. */
struct brief {
	uint8_t thread;
	bool local; /* EV_LOCAL */
	bool block; /* it begins an atomic block, or belongs to one, or is forced for another reason */
	bool arrival; /* at a barrier, or at the end of a thread, as one that is not the last */
};

/* One of several arrivals that commute, as long as it is not the last one (events.def). */
static inline bool op_arrives(const struct op *op)
{
	return event_table[op->kind].last != EV_NOTHING;
}

static inline bool op_is_last(const struct op *op)
{
	return event_table[op->kind].arrival != EV_NOTHING;
}

struct order {
	const struct trace *trace;
	uint32_t width; /* the length of a clock: at least as many as there are threads */
	uint32_t nevents;
	uint32_t *local; /* per event: its number within its thread, from 1 */
	uint32_t *chosen; /* per event: itself, or the one before it that is not forced, where its thread was chosen */
	struct brief *briefs; /* per event */
	uint64_t *footprints; /* per event: what it touches (wire/events.h) */
	uint32_t *cause; /* per event: the event of another thread that enabled it, + 1, or 0 */
	uint32_t pending_cause[MAX_THREADS]; /* the same for the pending operation of each thread */
	uint32_t *clocks; /* rows of `width`: one per event, then the extra ones of this trace's races */
	struct race *races;
	uint32_t nraces;
	uint32_t *others; /* of all races */
	uint32_t nothers;
	struct order_state *state;
};

void order_init(struct order *order);
void order_release(struct order *order);

/*
 * Compute everything for the trace.  Its events before `from` are those of the trace that
 * was computed before, unless order_forget() was called since: they are not looked at
 * again, and what it costs depends on the others only.  Only races whose second event is
 * `from` or later are listed: the others were seen when that part of the trace was new.
 * Listed in the order of their second event, latest first event first.
 * Where stop_due() (common/stopping.h), not all of it may be computed.
 */
void order_compute(struct order *order, const struct trace *trace, uint32_t from);

/*
 * The same in parts, for a trace that is still being written: events before `from` are as above, order_follow() takes in those
 * of the next that will not change any more, and order_compute() comes when it is complete; or order_give_up(), when there is
 * to be another trace instead.
 */
void order_begin(struct order *order, const struct trace *trace, uint32_t from);
void order_follow(struct order *order, uint32_t nevents);
void order_give_up(struct order *order);
bool order_is_begun(const struct order *order, uint32_t from);

/* Facts about one race of the last trace, as the comments of struct race say them. */
bool race_is_valid(const struct order *order, const struct race *race);

/* The next trace may have nothing in common with the last one. */
void order_forget(struct order *order);

static inline const uint32_t *order_clock(const struct order *order, uint32_t row)
{
	return order->clocks + (uint64_t)row * order->width;
}

/* The first event of the thread after this one; nevents if there is none.  Takes the logarithm of the length. */
uint32_t order_next_of(const struct order *order, unsigned thread, uint32_t event);
/* The same for the first of any of these threads. */
uint32_t order_next_of_any(const struct order *order, uint64_t threads, uint32_t event);
/* Is there, after this event, one whose brief says `block`, and that is not local? */
bool order_has_block_after(const struct order *order, uint32_t event);

/*
 * Who goes through the events after one of them, and is interested in some threads only, passes by this many that
 * do not concern him before he asks for the next that does: mostly there is one soon.
 */
enum { ORDER_PASSED = 16 };
/* How many were looked at so, all together: tests see by that how the work grows with the length. */
void order_count_looks(const struct order *order, uint32_t looks);
uint64_t order_looks(const struct order *order);

/* Does event a happen before event b (a < b)?  Also true for a == b. */
static inline bool order_before(const struct order *order, uint32_t a, uint32_t b)
{
	debug_invariant(a <= b);
	return order->local[a] <= order_clock(order, b)[order->trace->events[a].thread];
}

/* Is the event one of these, or does one of them happen before it? */
static inline bool order_after_any(const struct order *order, const uint32_t *events, uint32_t count, uint32_t event)
{
	for (uint32_t i = 0; i < count; i++)
		if (events[i] <= event && order_before(order, events[i], event))
			return true;
	return false;
}

/* Must the event, which comes after the race's node, stay behind when the race is reversed? */
static inline bool race_holds_back(const struct order *order, const struct race *race, uint32_t event)
{
	return order_before(order, race->node, event) ||
	       order_after_any(order, order->others + race->others, race->nothers, event);
}

/* The last event before `end` of the atomic block that the event begins or goes on with; itself if there is none. */
static inline uint32_t end_of_block(const struct event *events, uint32_t event, uint32_t end)
{
	while (event + 1 < end && events[event + 1].forced && events[event + 1].thread == events[event].thread)
		event++;
	return event;
}

/* Which bytes of the eight-byte word (an address / 8) a memory operation touches. */
static inline uint8_t bytes_of_word(const struct op *op, uint64_t word)
{
	uint64_t start = word * 8, end = op->object + op->size;
	unsigned mask = 0xff;

	debug_invariant(start < end && op->object < start + 8);
	if (start < op->object)
		mask &= 0xffu << (op->object - start);
	if (start + 8 > end)
		mask &= 0xffu >> (start + 8 - end);
	return (uint8_t)mask;
}

#endif
