/*
 * Dynamic partial-order reduction as Flanagan and Godefroid published it (POPL
 * 2005), with sleep sets, and with lock sets for the may-be-co-enabled relation.
 *
 * In every state of the execution and for every thread's next operation, find the
 * last event that conflicts with it, may be co-enabled with it and does not happen
 * before it; there, add the thread, or one that must run first, or else all.
 *
 * Seen from an operation that thread p performed at j (or was about to perform at
 * the end), that is: each such event since p's previous event, because each was
 * the last one in the state right after it, and the last one before p's previous
 * event.
 *
 * The published set E may consist of threads that sleep, and then loses states;
 * here E is built without sleepers.
 */
#include "search/dfs/rule.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "order/initials.h"
#include "order/locksets.h"

struct dpor {
	struct locksets locksets;
	uint64_t *lockset; /* per event, held while it was performed */
	uint32_t *before; /* per event: the one before it in its thread, + 1 */
	uint32_t size;
	uint32_t block[MAX_THREADS]; /* the beginning of the atomic block that the thread is in, + 1 */
	uint32_t previous[MAX_THREADS]; /* last event of the thread so far, + 1 */
	bool all_states; /* every state in conflict is updated, not the last one only */
};

/* A thread's next operation: one that was performed, or one that was pending at the end. */
struct next {
	const struct op *op;
	unsigned thread;
	uint64_t lockset;
	uint32_t previous; /* the thread's event before, + 1 */
	uint32_t cause; /* what enabled it (order.h), + 1 */
	bool enabled; /* false: pending and blocked */
	bool forced; /* inside an atomic block, which it interrupts if it must wait */
};

static bool happens_before_next(const struct dfs *dfs, uint32_t i, const struct next *next)
{
	return (next->previous > i && order_before(dfs->order, i, next->previous - 1)) ||
	       (next->cause > i && order_before(dfs->order, i, next->cause - 1));
}

/* Apart from happens-before. */
static bool may_reverse(const struct dfs *dfs, const struct dpor *dpor, uint32_t i, const struct next *next)
{
	const struct event *event = &dfs->order->trace->events[i];

	if (event->thread == next->thread || !ops_conflict(&event->op, next->op))
		return false;
	if (!next->enabled && event_is(event->op.kind, EV_END))
		return false;
	return next->forced || event_is_too_late(event) ||
	       (ops_may_be_coenabled(&event->op, next->op) && !(dpor->lockset[i] & next->lockset));
}

/* Threads that the next operation needs to have run first, from node i on. */
static uint64_t needed(const struct dfs *dfs, uint32_t i, const struct next *next)
{
	uint64_t set = thread_bit(next->thread);
	uint32_t end = next->previous > next->cause ? next->previous : next->cause;

	for (uint32_t k = i + 1; k < end; k++)
		if (happens_before_next(dfs, k, next))
			set |= thread_bit(dfs->order->trace->events[k].thread);
	return set;
}

/* False if nothing that leads to the operation is enabled there: then an earlier event may be the one to reverse. */
static bool backtrack(struct dfs *dfs, uint32_t i, const struct next *next)
{
	uint32_t found = i;

	i = dfs->order->chosen[i]; /* inside an atomic block nobody else can run */
	invariant(i <= found);
	debug_invariant(!dfs->nodes[i].forced);
	if (i != found && happens_before_next(dfs, i, next))
		return false;
	const struct node *node = &dfs->nodes[i];
	uint64_t candidates = needed(dfs, i, next) & node->enabled & ~node->sleep;

	dfs_demand(dfs, i, candidates, next->thread);
	return candidates != 0;
}

static unsigned latest(const uint32_t cursors[MAX_THREADS], uint32_t width)
{
	unsigned best = 0;

	for (unsigned i = 1; i < width; i++)
		if (cursors[i] > cursors[best])
			best = i;
	return best;
}

/*
 * Each of those that came before could have been the last instead.  They do not conflict with each other, so once one of
 * them is, nothing is left that leads to the others.
 */
static bool is_last_of_many(const struct op *op)
{
	return op_is_last(op);
}

/*
 * Backwards through the events of the other threads, latest first.  A thread is left
 * at its first event that happens before: all its earlier ones do, too.
 */
static void consider(struct dfs *dfs, const struct dpor *dpor, const struct next *next)
{
	uint32_t cursors[MAX_THREADS], width = dfs->order->width;

	invariant(next->thread < width);
	invariant(dpor->before || !dfs->order->nevents);
	memcpy(cursors, dpor->previous, sizeof cursors);
	cursors[next->thread] = 0;
	for (;;) {
		unsigned thread = latest(cursors, width);
		if (!cursors[thread] || stop_due())
			return;
		uint32_t i = cursors[thread] - 1;
		invariant(i < dfs->order->nevents);
		debug_invariant(dfs->order->trace->events[i].thread == thread);
		bool before = happens_before_next(dfs, i, next);
		cursors[thread] = before ? 0 : dpor->before[i];
		if (before || !may_reverse(dfs, dpor, i, next))
			continue;
		if (backtrack(dfs, i, next) && i < next->previous && !dpor->all_states && !is_last_of_many(next->op))
			return;
	}
}

/* A wait inside an atomic block: what it conflicts with could have come before the block (order.c). */
static void consider_block(struct dfs *dfs, struct dpor *dpor, uint32_t event)
{
	const struct event *events = dfs->order->trace->events;
	uint32_t begin = dpor->block[events[event].thread];

	invariant(begin <= event);
	for (uint32_t i = begin; begin && !events[event].forced && i < event && !stop_due(); i++) {
		struct next next = {.op = &events[i].op,
				    .thread = events[i].thread,
				    .previous = dpor->before[i],
				    .cause = dfs->order->cause[i],
				    .enabled = true};
		if (events[i].thread != events[event].thread && ops_conflict(&events[i].op, &events[event].op) &&
		    !happens_before_next(dfs, begin - 1, &next))
			backtrack(dfs, begin - 1, &next);
	}
}

static void follow_blocks(struct dpor *dpor, uint32_t i, const struct event *event)
{
	if (event->op.kind == EV_ATOMIC_BEGIN)
		dpor->block[event->thread] = i + 1;
	if (event->op.kind == EV_ATOMIC_END)
		dpor->block[event->thread] = 0;
}

static void consider_pending(struct dfs *dfs, struct dpor *dpor, const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->npending; i++) {
		const struct pending *pending = &trace->pending[i];
		if (pending->waiting && !pending->enabled)
			continue; /* until it is signalled, nothing but the signal matters */
		if (trace->ending == ENDING_ASLEEP && pending->enabled)
			continue; /* it sleeps: considered when it was explored */
		struct op op = pending->op;
		if (pending->await)
			op.kind = pending->instead;
		struct next next = {.op = &op,
				    .thread = pending->thread,
				    .lockset = dpor->locksets.held[pending->thread],
				    .previous = dpor->previous[pending->thread],
				    .cause = dfs->order->pending_cause[pending->thread],
				    .enabled = pending->enabled};
		consider(dfs, dpor, &next);
	}
}

/* What is no operation of the execution: a wait that ends before the signal comes that ended it. */
static void consider_leaving(struct dfs *dfs, const struct dpor *dpor)
{
	for (uint32_t i = 0; i < dfs->order->nraces; i++) {
		const struct race *race = &dfs->order->races[i];
		if (race->second_is != RACE_LEAVES)
			continue;
		debug_invariant(race_is_valid(dfs->order, race));
		invariant(race->second >= dfs->order->nevents || dpor->before);
		struct op op = race_second_op(dfs->order, race);
		struct next next = {.op = &op,
				    .thread = race->thread,
				    .previous = race->second < dfs->order->nevents ? dpor->before[race->second]
										   : dpor->previous[race->thread],
				    .enabled = true};
		backtrack(dfs, race->first, &next);
	}
}

static void analyse(struct dfs *dfs, const struct trace *trace)
{
	struct dpor *dpor = dfs->data;

	invariant(dfs->nnodes == trace->nevents && dfs->order->nevents == trace->nevents);
	dpor->locksets = (struct locksets){0};
	memset(dpor->previous, 0, sizeof dpor->previous);
	memset(dpor->block, 0, sizeof dpor->block);
	if (dpor->size < trace->nevents) {
		dpor->size = 2 * trace->nevents;
		dpor->lockset = memory_resize(dpor->lockset, dpor->size * sizeof *dpor->lockset);
		dpor->before = memory_resize(dpor->before, dpor->size * sizeof *dpor->before);
	}
	for (uint32_t i = 0; i < trace->nevents && !stop_due(); i++) {
		const struct event *event = &trace->events[i];
		bool timeout = event->op.kind == EV_TIMEOUT;
		struct op op = event->op;
		if (timeout) /* what it waited for in vain is as if it were still pending */
			op.kind = (uint8_t)event->instead;
		dpor->lockset[i] = dpor->locksets.held[event->thread];
		locksets_follow(&dpor->locksets, event);
		struct next next = {.op = &op,
				    .thread = event->thread,
				    .lockset = dpor->lockset[i],
				    .previous = dpor->previous[event->thread],
				    .cause = dfs->order->cause[i],
				    .enabled = !timeout,
				    .forced = event->forced};
		if (i + 1 >= dfs->branch && !event_is(event->op.kind, EV_LOCAL))
			consider(dfs, dpor, &next);
		if (i + 1 >= dfs->branch)
			consider_block(dfs, dpor, i);
		follow_blocks(dpor, i, event);
		invariant(dpor->previous[event->thread] <= i);
		dpor->before[i] = dpor->previous[event->thread];
		dpor->previous[event->thread] = i + 1;
	}
	if (stop_due())
		return;
	consider_pending(dfs, dpor, trace);
	consider_leaving(dfs, dpor);
}

static void init(struct dfs *dfs)
{
	dfs->data = memory_new_clear(1, sizeof(struct dpor));
}

static void init_ddpor(struct dfs *dfs)
{
	struct dpor *dpor;

	init(dfs);
	dpor = dfs->data;
	dpor->all_states = true;
}

static void release(struct dfs *dfs)
{
	struct dpor *dpor = dfs->data;

	memory_free(dpor->lockset);
	memory_free(dpor->before);
	memory_free(dpor);
}

const struct dfs_rule rule_dpor = {
	.uses_sleep = true,
	.init = init,
	.analyse = analyse,
	.release = release,
};

/* Yang's dissertation, 2009: what workers share goes away as a copy, so each update must be made everywhere. */
const struct dfs_rule rule_ddpor = {
	.uses_sleep = true,
	.gives_copies = true,
	.init = init_ddpor,
	.analyse = analyse,
	.release = release,
};
