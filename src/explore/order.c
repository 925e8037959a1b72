#include "explore/order_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wire/channel.h"

void order_init(struct order *order)
{
	struct order_state *state = xcalloc(1, sizeof *state);

	*order = (struct order){.state = state};
	state->ncells = 1024;
	state->cells = xcalloc(state->ncells, sizeof *state->cells);
}

void order_release(struct order *order)
{
	free(order->state->cells);
	free(order->state->accesses);
	free(order->state->freed);
	free(order->state->found);
	free(order->state);
	free(order->local);
	free(order->cause);
	free(order->clocks);
	free(order->races);
	free(order->others);
	*order = (struct order){0};
}

/* --- conflicts over synchronisation objects --- */

static bool is_on_heap(uint64_t object)
{
	return object - HEAP_ADDRESS < MAX_THREADS * HEAP_SIZE;
}

static bool takes_exclusively(unsigned effect)
{
	return effect == EFFECT_ACQUIRE || effect == EFFECT_TRY_ACQUIRE;
}

/* Does the effect conflict with every effect on such an object? */
static bool is_total(unsigned effect)
{
	return effect == EFFECT_CHANGE || effect == EFFECT_SIGNAL || takes_exclusively(effect);
}

static bool is_of_reader(const struct op *op)
{
	unsigned effect = event_table[op->kind].effect;

	return (takes_for_reading(effect) && op->kind != EV_ONCE_PASS) || effect == EFFECT_READ_RELEASE;
}

/* Does the thread hold the read-write lock for reading?  All it did since it last held none is still in the cell. */
static bool holds_for_reading(const struct order *order, const struct cell *cell, unsigned thread)
{
	int count = 0;

	for (uint32_t i = cell->head; i; i = order->state->accesses[i - 1].next) {
		const struct event *event = &order->trace->events[order->state->accesses[i - 1].event];
		if (event->thread == thread && is_of_reader(&event->op))
			count += event_table[event->op.kind].effect == EFFECT_READ_RELEASE ? -1 : 1;
	}
	return count > 0;
}

/*
 * The same thread again: who races with the earlier event races with this one first.  Of a
 * reader that takes its lock several times at once, a writer can come before the first only.
 */
static bool is_repeated(const struct event *earlier, const struct event *event, bool nested)
{
	if (earlier->thread != event->thread)
		return false;
	if (is_of_reader(&event->op))
		return is_of_reader(&earlier->op) && !nested &&
		       event_table[event->op.kind].effect != EFFECT_READ_RELEASE;
	return earlier->op.kind == event->op.kind && earlier->op.object2 == event->op.object2;
}

static void object_conflicts(struct order *order, uint32_t event, unsigned object_class, uint64_t object,
			     unsigned effect)
{
	struct order_state *state = order->state;
	struct cell *cell = find_cell(state, object_key(object_class, object));
	const struct event *e = &order->trace->events[event];
	uint32_t *link = &cell->head;
	bool nested = is_of_reader(&e->op) && holds_for_reading(order, cell, e->thread);

	if (effect == EFFECT_ACQUIRE || effect == EFFECT_READ_ACQUIRE)
		races_across_releases(order, &(struct acquire){.op = &e->op,
							       .cell = cell,
							       .event = event,
							       .clock = event,
							       .thread = e->thread});
	while (*link) {
		struct access *access = &state->accesses[*link - 1];
		const struct event *f = &order->trace->events[access->event];
		bool conflict = ops_conflict(&f->op, &e->op);
		if (conflict)
			note(state, access->event);
		bool hidden = (conflict && is_total(effect)) || is_repeated(f, e, nested);
		if (hidden)
			*link = access->next;
		else
			link = &access->next;
	}
	add_access(state, cell, (struct access){.event = event, .mask = 0xff});
	if (takes_exclusively(effect))
		cell->last_acquire = event;
}

/* The end of the process, or a timeout that nobody else could prevent, conflicts with the last visible event of every thread. */
static void end_conflicts(struct order *order, uint32_t event)
{
	for (uint32_t i = 0; i < order->width; i++)
		if (order->state->last_visible[i] != NO_EVENT && i != order->trace->events[event].thread)
			note(order->state, order->state->last_visible[i]);
}

/* A lock that was waited for in vain: its race is that of an operation that is still pending. */
static void timeout_races(struct order *order, uint32_t event)
{
	const struct event *e = &order->trace->events[event];
	struct op op = e->op;

	op.kind = (uint8_t)e->instead;
	const struct event_info *info = &event_table[op.kind];
	if (info->effect != EFFECT_ACQUIRE && info->effect != EFFECT_READ_ACQUIRE)
		return;
	struct cell *cell = find_cell(order->state, object_key(info->object_class, op.object));
	races_across_releases(
		order, &(struct acquire){.op = &op, .cell = cell, .event = event, .clock = event, .thread = e->thread});
}

static void conflicts(struct order *order, uint32_t event)
{
	const struct op *op = &order->trace->events[event].op;
	const struct event_info *info = &event_table[op->kind];

	if (op->kind == EV_TIMEOUT)
		timeout_races(order, event);
	if (info->flags & (EV_END | EV_QUIET))
		end_conflicts(order, event);
	else if (info->object_class == OBJECT_MEMORY)
		memory_conflicts(order, event);
	else if (info->object_class != OBJECT_NONE)
		object_conflicts(order, event, info->object_class, op->object, info->effect);
	if (info->object_class != OBJECT_MEMORY && op->size) /* CANCELLABLE() */
		object_conflicts(order, event, OBJECT_THREAD, op->size - 1, EFFECT_TEST);
	if (op->kind == EV_FUTEX_WAIT)
		object_conflicts(order, event, OBJECT_COND, op->object, EFFECT_WAIT);
	if (info->effect == EFFECT_WAIT)
		object_conflicts(order, event, OBJECT_MUTEX, op->object2, EFFECT_RELEASE);
	if (info->object_class != OBJECT_MEMORY && is_on_heap(op->object))
		use_object(order, event, op->object);
	if (is_on_heap(op->object2))
		use_object(order, event, op->object2);
	settle(order, event);
}

/* --- what enables what --- */

/* The event that made this operation possible, if another thread's did. */
static uint32_t cause_of(const struct order_state *state, const struct op *op, unsigned thread)
{
	if (op->kind == EV_JOIN) /* after a detach or another join it need not wait */
		return state->settled[op->target] != NO_EVENT ? NO_EVENT : state->exited[op->target];
	if (op->kind == EV_COND_WAKE || op->kind == EV_BARRIER_LEAVE || op->kind == EV_FUTEX_WOKEN)
		return state->woken[thread];
	if (state->last[thread] == NO_EVENT)
		return state->created[thread];
	return NO_EVENT;
}

/* The clock of a thread's next operation before any conflict; returns its cause, + 1. */
static uint32_t begin_clock(struct order *order, uint32_t clock_row, const struct op *op, unsigned thread)
{
	struct order_state *state = order->state;
	uint32_t *clock = row(order, clock_row);
	uint32_t cause = cause_of(state, op, thread);

	if (state->last[thread] != NO_EVENT)
		memcpy(clock, row(order, state->last[thread]), order->width * sizeof *clock);
	else
		memset(clock, 0, order->width * sizeof *clock);
	if (state->last[thread] == NO_EVENT && state->created[thread] != NO_EVENT)
		join_clock(order, clock_row, state->created[thread]);
	if (cause != NO_EVENT)
		join_clock(order, clock_row, cause);
	return cause + 1;
}

static void remember(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct event *e = &order->trace->events[event];

	state->last[e->thread] = event;
	if (!event_is(e->op.kind, EV_LOCAL))
		state->last_visible[e->thread] = event;
	switch (e->op.kind) {
	case EV_CREATE: state->created[e->op.target] = event; break;
	case EV_EXIT: state->exited[e->thread] = event; break;
	case EV_ATOMIC_BEGIN: state->block[e->thread] = event; break;
	case EV_ATOMIC_END: state->block[e->thread] = NO_EVENT; break;
	case EV_JOIN:
	case EV_TRYJOIN:
	case EV_DETACH:
		if (state->settled[e->op.target] == NO_EVENT)
			state->settled[e->op.target] = event;
		break;
	case EV_COND_SIGNAL:
	case EV_COND_BROADCAST:
	case EV_BARRIER_LAST:
	case EV_FUTEX_WAKE:
	case EV_FUTEX_WAKE_ALL:
		for (uint64_t left = e->value; left; left &= left - 1)
			state->woken[__builtin_ctzll(left)] = event;
		break;
	}
}

static void one_event(struct order *order, uint32_t event)
{
	const struct event *e = &order->trace->events[event];

	assert(e->thread < order->width && e->op.kind < EV_COUNT && e->op.kind != EV_NOTHING);
	order->local[event] = ++order->state->count[e->thread];
	order->cause[event] = begin_clock(order, event, &e->op, e->thread);
	if (event_table[e->op.kind].object_class == OBJECT_MEMORY && e->await)
		races_of_await(order, e->await, event, event, e->thread);
	conflicts(order, event);
	row(order, event)[e->thread] = order->local[event];
	remember(order, event);
}

/* An operation that was still pending when the execution ended. */
static void one_pending(struct order *order, const struct pending *pending)
{
	struct order_state *state = order->state;
	const struct trace *trace = order->trace;
	uint32_t n = order->nevents, clock_row = state->rows++;
	bool ended = n && event_is(trace->events[n - 1].op.kind, EV_END);
	const struct event_info *info = &event_table[pending->op.kind];

	need_rows(order, clock_row + 1);
	order->pending_cause[pending->thread] = begin_clock(order, clock_row, &pending->op, pending->thread);
	if (ended && pending->enabled && trace->events[n - 1].thread != pending->thread)
		add_race(order, n - 1, n, pending->thread, clock_row);
	if (pending->await)
		races_of_await(order, pending->await, n, clock_row, pending->thread);
	if ((info->effect != EFFECT_ACQUIRE && info->effect != EFFECT_READ_ACQUIRE) || pending->enabled ||
	    pending->waiting)
		return;
	struct cell *cell = find_cell(state, object_key(info->object_class, pending->op.object));
	races_across_releases(order, &(struct acquire){.op = &pending->op,
						       .cell = cell,
						       .event = n,
						       .clock = clock_row,
						       .thread = pending->thread});
}

void order_compute(struct order *order, const struct trace *trace, uint32_t from)
{
	struct order_state *state = order->state;

	assert(trace->nthreads >= 1 && trace->nthreads <= MAX_THREADS && from <= trace->nevents);
	order->trace = trace;
	order->nevents = trace->nevents;
	order->nraces = order->nothers = 0;
	order->width = trace->nthreads;
	state->from = from;
	state->rows = trace->nevents;
	state->epoch++;
	state->used = state->naccesses = state->nfound = state->nfreed = 0;
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		state->last[i] = state->last_visible[i] = NO_EVENT;
		state->created[i] = state->exited[i] = state->woken[i] = state->block[i] = NO_EVENT;
		state->count[i] = 0;
		state->settled[i] = NO_EVENT;
	}
	order->local = grow(order->local, &state->local_size, trace->nevents + 1, sizeof *order->local);
	order->cause = grow(order->cause, &state->cause_size, trace->nevents + 1, sizeof *order->cause);
	need_rows(order, trace->nevents + 1);
	for (uint32_t i = 0; i < trace->nevents; i++)
		one_event(order, i);
	if (trace->ending == ENDING_STOPPED)
		return;
	for (uint32_t i = 0; i < trace->npending; i++)
		one_pending(order, &trace->pending[i]);
}
