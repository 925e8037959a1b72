#include "order/state.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "storage/memory.h"
#include "wire/channel.h"

void order_init(struct order *order)
{
	struct order_state *state = memory_new_clear(1, sizeof *state);

	*order = (struct order){.state = state};
}

void order_release(struct order *order)
{
	for (unsigned i = 0; i < MAX_THREADS; i++)
		memory_free(order->state->own[i].events);
	table_release(&order->state->keys);
	memory_free(order->state->cells);
	vector_release(&order->state->accesses);
	vector_release(&order->state->freed);
	vector_release(&order->state->undo);
	memory_free(order->state->extents);
	vector_release(&order->state->found);
	memory_free(order->state);
	memory_free(order->local);
	memory_free(order->chosen);
	memory_free(order->cause);
	memory_free(order->footprints);
	memory_free(order->briefs);
	memory_free(order->clocks);
	memory_free(order->races);
	memory_free(order->others);
	*order = (struct order){0};
}

/* --- conflicts over synchronisation objects --- */

/* In memory that can be freed or unmapped? */
static bool can_be_freed(uint64_t object)
{
	return object - HEAP_ADDRESS < MAX_THREADS * HEAP_SIZE ||
	       object - MAPPINGS_ADDRESS < MAX_THREADS * MAPPINGS_SIZE;
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

/* Does it take a lock for reading and hold it, or give it back? */
static bool is_of_reader(const struct op *op)
{
	unsigned effect = event_table[op->kind].effect;

	return (takes_for_reading(effect) && !event_is(op->kind, EV_TAKES_NOTHING)) || effect == EFFECT_READ_RELEASE;
}

/* Does the thread hold the read-write lock for reading?  All it did since it last held none is still in the cell. */
static bool holds_for_reading(const struct order *order, const struct cell *cell, unsigned thread)
{
	int count = 0;

	for (uint32_t i = cell->head; i; i = order->state->accesses.items[i - 1].next) {
		const struct access *access = &order->state->accesses.items[i - 1];
		const struct event *event = &order->trace->events[access->event];
		if (access->thread == thread && is_of_reader(&event->op))
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

/* Waits conflict with who cancels their thread, and not with others who change something about it. */
static bool cancels_on(const struct event *earlier, const struct event *event)
{
	return earlier->op.kind == EV_CANCEL && event->op.kind != EV_CANCEL;
}

static void object_conflicts(struct order *order, uint32_t event, unsigned object_class, uint64_t object,
			     unsigned effect)
{
	struct order_state *state = order->state;
	struct cell *cell = cell_of(state, object_key(object_class, object));
	const struct event *e = &order->trace->events[event];
	enum array array = ARRAY_CELLS;
	uint32_t *link = &cell->head;
	bool nested = is_of_reader(&e->op) && holds_for_reading(order, cell, e->thread);

	if (effect == EFFECT_ACQUIRE || effect == EFFECT_READ_ACQUIRE)
		races_across_releases(order, &(struct acquire){.op = &e->op,
							       .cell = cell,
							       .event = event,
							       .clock = event,
							       .thread = e->thread});
	while (*link) {
		struct access *access = &state->accesses.items[*link - 1];
		const struct event *f = &order->trace->events[access->event];
		bool conflict = ops_conflict(&f->op, &e->op);
		if (conflict)
			conflict_found(state, access->event);
		bool hidden = (conflict && is_total(effect) && !cancels_on(f, e)) || is_repeated(f, e, nested);
		if (hidden) {
			state_put(state, array, link, access->next);
			continue;
		}
		link = &access->next;
		array = ARRAY_ACCESSES;
	}
	add_access(order, cell, (struct access){.event = event, .mask = 0xff, .older = cell->readers});
	if (is_of_reader(&e->op))
		state_put(state, ARRAY_CELLS, &cell->readers, state->accesses.count);
	if (takes_exclusively(effect))
		state_put(state, ARRAY_CELLS, &cell->last_acquire, event);
	if (cell->readers && (takes_exclusively(effect) || effect == EFFECT_CHANGE))
		state_put(state, ARRAY_CELLS, &cell->readers, 0);
}

/* The end of the process, or a timeout that nobody else could prevent, conflicts with the last visible event of every thread. */
static void end_conflicts(struct order *order, uint32_t event)
{
	const uint32_t *last = order->state->latest.last_visible;

	for (uint32_t i = 0; i < order->width; i++)
		if (last[i] != NO_EVENT && i != order->trace->events[event].thread)
			conflict_found(order->state, last[i]);
}

/* The races of a lock that was waited for in vain; it takes no part in the object's history. */
static void races_of_waiting(struct order *order, struct acquire waiting)
{
	const struct event_info *info = &event_table[waiting.op->kind];

	if (info->effect != EFFECT_ACQUIRE && info->effect != EFFECT_READ_ACQUIRE)
		return;
	waiting.cell = cell_find(order->state, object_key(info->object_class, waiting.op->object));
	if (waiting.cell)
		races_across_releases(order, &waiting);
}

/* Has a thread that waits on a condition variable been let through since it began to? */
static bool is_let_through(const struct latest *latest, unsigned thread)
{
	uint32_t woken = latest->woken[thread], last = latest->last[thread];

	return woken != NO_EVENT && last != NO_EVENT && woken > last;
}

/* Its race is that of an operation that is still pending. */
static void timeout_races(struct order *order, uint32_t event)
{
	const struct event *e = &order->trace->events[event];
	struct op op = e->op;

	op.kind = (uint8_t)e->instead;
	if (op.kind == EV_COND_WAKE && !is_let_through(&order->state->latest, e->thread))
		return; /* nobody kept it waiting for the mutex */
	races_of_waiting(order, (struct acquire){.op = &op, .event = event, .clock = event, .thread = e->thread});
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
	else if (info->object_class == OBJECT_SYSTEM)
		system_conflicts(order, event);
	else if (info->object_class != OBJECT_NONE)
		object_conflicts(order, event, info->object_class, op->object, info->effect);
	if (info->object_class != OBJECT_MEMORY && op->size) /* CANCELLABLE() */
		object_conflicts(order, event, OBJECT_THREAD, op->size - 1, EFFECT_TEST);
	if (op->kind == EV_CANCEL || (info->object_class == OBJECT_COND && info->effect == EFFECT_SIGNAL))
		object_conflicts(order, event, OBJECT_PROCESS, 0, EFFECT_TEST); /* whatever they are about */
	if (op->kind == EV_FUTEX_WAIT)
		object_conflicts(order, event, OBJECT_COND, op->object, EFFECT_WAIT);
	if (info->effect == EFFECT_WAIT)
		object_conflicts(order, event, OBJECT_MUTEX, op->object2, EFFECT_RELEASE);
	bool uses_object = op_is_on(op, OBJECT_DIES);
	bool accessed = op_has_object(op) && op->order == OBJECT_ACCESSED;
	if (accessed || (uses_object && can_be_freed(op->object)))
		use_object(order, event, op->object);
	if (op->object2 && (accessed || (uses_object && can_be_freed(op->object2))))
		use_object(order, event, op->object2);
	settle(order, event);
}

/* --- what enables what --- */

/* The event that made this operation possible, if another thread's did. */
static uint32_t cause_of(const struct latest *latest, const struct op *op, unsigned thread)
{
	if (op->kind == EV_JOIN) /* after a detach or another join it need not wait */
		return latest->settled[op->target] != NO_EVENT ? NO_EVENT : latest->exited[op->target];
	if (event_is(op->kind, EV_LET_GO))
		return latest->woken[thread];
	if (latest->last[thread] == NO_EVENT)
		return latest->created[thread];
	return NO_EVENT;
}

/* The clock of a thread's next operation before any conflict; returns its cause, + 1. */
static uint32_t begin_clock(struct order *order, uint32_t clock_row, const struct op *op, unsigned thread)
{
	const struct latest *latest = &order->state->latest;
	uint32_t *clock = row(order, clock_row);
	uint32_t cause = cause_of(latest, op, thread);

	if (latest->last[thread] != NO_EVENT)
		memcpy(clock, row(order, latest->last[thread]), order->width * sizeof *clock);
	else
		memset(clock, 0, order->width * sizeof *clock);
	if (latest->last[thread] == NO_EVENT && latest->created[thread] != NO_EVENT)
		join_clock(order, clock_row, latest->created[thread]);
	if (cause != NO_EVENT)
		join_clock(order, clock_row, cause);
	return cause + 1;
}

static void remember(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	struct latest *latest = &state->latest;
	const struct event *e = &order->trace->events[event];

	state_put(state, ARRAY_LATEST, &latest->last[e->thread], event);
	if (!event_is(e->op.kind, EV_LOCAL))
		state_put(state, ARRAY_LATEST, &latest->last_visible[e->thread], event);
	switch (e->op.kind) {
	case EV_CREATE:
		debug_invariant(e->op.target < MAX_THREADS);
		state_put(state, ARRAY_LATEST, &latest->created[e->op.target], event);
		break;
	case EV_EXIT: state_put(state, ARRAY_LATEST, &latest->exited[e->thread], event); break;
	case EV_ATOMIC_BEGIN: state_put(state, ARRAY_LATEST, &latest->block[e->thread], event); break;
	case EV_ATOMIC_END: state_put(state, ARRAY_LATEST, &latest->block[e->thread], NO_EVENT); break;
	case EV_JOIN:
	case EV_TRYJOIN:
	case EV_DETACH:
		debug_invariant(e->op.target < MAX_THREADS);
		if (latest->settled[e->op.target] == NO_EVENT)
			state_put(state, ARRAY_LATEST, &latest->settled[e->op.target], event);
		break;
	}
	if (event_is(e->op.kind, EV_LETS_GO))
		for (uint64_t left = e->value; left; left &= left - 1)
			state_put(state, ARRAY_LATEST, &latest->woken[__builtin_ctzll(left)], event);
}

/* The event as the last of its thread. */
static void add_own(struct order *order, uint32_t event, unsigned thread)
{
	struct own_events *own = &order->state->own[thread];
	uint32_t number = order->local[event];

	debug_invariant(number);
	debug_invariant(number == 1 || own->events[number - 2] < event);
	own->events = array_grow(own->events, &own->size, number, sizeof *own->events);
	own->events[number - 1] = event;
}

/* Clocks only grow along happens-before. */
static bool row_covers(const struct order *order, uint32_t later, uint32_t earlier)
{
	const uint32_t *a = order_clock(order, earlier), *b = order_clock(order, later);

	for (uint32_t i = 0; i < order->width; i++)
		if (a[i] > b[i])
			return false;
	return true;
}

static void one_event(struct order *order, uint32_t event)
{
	const struct event *e = &order->trace->events[event];
	uint32_t last = order->state->latest.last[e->thread];

	debug_invariant(event == order->state->known); /* one after the other */
	debug_invariant(e->thread < order->width);
	debug_invariant(e->op.kind < EV_COUNT && e->op.kind != EV_NOTHING);
	extent_keep(order->state, event);
	order->local[event] = last == NO_EVENT ? 1 : order->local[last] + 1;
	order->chosen[event] = e->forced && event ? order->chosen[event - 1] : event;
	add_own(order, event, e->thread);
	order->footprints[event] = op_footprint(&e->op);
	order->briefs[event] = (struct brief){.thread = e->thread,
					      .local = event_is(e->op.kind, EV_LOCAL),
					      .block = e->forced || e->op.kind == EV_ATOMIC_BEGIN,
					      .arrival = op_arrives(&e->op)};
	order->cause[event] = begin_clock(order, event, &e->op, e->thread);
	if (event_table[e->op.kind].object_class == OBJECT_MEMORY && e->await)
		races_of_await(order, e->await, event, event, e->thread);
	if (event_is_wake(e->op.kind) && is_let_through(&order->state->latest, e->thread))
		race_of_leaving(order, event, e->thread);
	conflicts(order, event);
	row(order, event)[e->thread] = order->local[event];
	debug_invariant(last == NO_EVENT || row_covers(order, event, last));
	debug_invariant(order->cause[event] <= event);
	if (order->briefs[event].block && !order->briefs[event].local)
		state_put(order->state, ARRAY_LATEST, &order->state->latest.last_block, event);
	remember(order, event);
}

/* An operation that was still pending when the execution ended. */
static void one_pending(struct order *order, const struct pending *pending)
{
	const struct trace *trace = order->trace;
	uint32_t n = order->nevents, clock_row = order->state->rows++;

	invariant(pending->thread < order->width && clock_row >= n);
	bool ended = n && event_is(trace->events[n - 1].op.kind, EV_END);

	need_rows(order, clock_row + 1);
	order->pending_cause[pending->thread] = begin_clock(order, clock_row, &pending->op, pending->thread);
	if (ended && pending->enabled && trace->events[n - 1].thread != pending->thread)
		add_race(order, n - 1, n, pending->thread, clock_row);
	if (pending->await)
		races_of_await(order, pending->await, n, clock_row, pending->thread);
	if (event_is_wake(pending->op.kind) && is_let_through(&order->state->latest, pending->thread))
		race_of_leaving(order, n, pending->thread);
	if (pending->enabled || pending->waiting)
		return;
	races_of_waiting(
		order, (struct acquire){.op = &pending->op, .event = n, .clock = clock_row, .thread = pending->thread});
}

/* --- where the events of a thread are --- */

uint32_t order_next_of(const struct order *order, unsigned thread, uint32_t event)
{
	const uint32_t *events = order->state->own[thread].events;
	uint32_t last = order->state->latest.last[thread], low = 0, high = last == NO_EVENT ? 0 : order->local[last];

	if (!high || last <= event)
		return order->nevents;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (events[middle] <= event)
			low = middle + 1;
		else
			high = middle;
	}
	debug_invariant(events[low] > event && (!low || events[low - 1] <= event));
	return events[low];
}

uint32_t order_next_of_any(const struct order *order, uint64_t threads, uint32_t event)
{
	uint32_t next = order->nevents;

	for (uint32_t i = 0; i < order->width; i++) {
		uint32_t own = threads >> i & 1 ? order_next_of(order, i, event) : next;
		next = own < next ? own : next;
	}
	return next;
}

bool order_has_block_after(const struct order *order, uint32_t event)
{
	uint32_t last = order->state->latest.last_block;

	return last != NO_EVENT && last > event;
}

void order_count_looks(const struct order *order, uint32_t looks)
{
	order->state->looks += looks;
}

uint64_t order_looks(const struct order *order)
{
	return order->state->looks;
}

/* --- the trace --- */

void order_forget(struct order *order)
{
	back_to(order->state, 0);
	order_give_up(order);
}

bool race_is_valid(const struct order *order, const struct race *race)
{
	const struct event *events = order->trace->events;

	return race->node <= race->first && race->first < race->second && race->second <= order->nevents &&
	       race->thread < order->width && events[race->first].thread != race->thread &&
	       !events[race->node].forced && race->clock < order->state->rows &&
	       race->others + race->nothers <= order->nothers &&
	       (race->second == order->nevents || events[race->second].thread == race->thread);
}

static bool races_are_valid(const struct order *order)
{
	for (uint32_t i = 0; i < order->nraces; i++)
		if (!race_is_valid(order, &order->races[i]))
			return false;
	return true;
}

/* There is room for so many events, and then for what belongs to the races. */
static void make_room(struct order *order, uint32_t nevents)
{
	struct order_state *state = order->state;

	while (state->room < nevents)
		state->room = state->room ? 2 * state->room : 64;
	order->local = array_grow(order->local, &state->local_size, state->room, sizeof *order->local);
	order->chosen = array_grow(order->chosen, &state->chosen_size, state->room, sizeof *order->chosen);
	order->cause = array_grow(order->cause, &state->cause_size, state->room, sizeof *order->cause);
	order->footprints =
		array_grow(order->footprints, &state->footprints_size, state->room, sizeof *order->footprints);
	order->briefs = array_grow(order->briefs, &state->briefs_size, state->room, sizeof *order->briefs);
	state->extents = array_grow(state->extents, &state->extents_size, state->room, sizeof *state->extents);
	need_rows(order, state->room + 1);
}

void order_begin(struct order *order, const struct trace *trace, uint32_t from)
{
	struct order_state *state = order->state;

	back_to(state, from < state->known ? from : state->known);
	invariant(state->known <= from);
	make_room(order, from + 1);
	order->trace = trace;
	order->nraces = order->nothers = 0;
	state->from = from;
	state->rows = state->room;
	invariant(from < state->room);
	state->found.count = 0;
	state->begun = true;
}

void order_give_up(struct order *order)
{
	order->state->begun = false;
}

bool order_is_begun(const struct order *order, uint32_t from)
{
	return order->state->begun && order->state->from == from;
}

void order_follow(struct order *order, uint32_t nevents)
{
	struct order_state *state = order->state;

	invariant(state->begun);
	if (nevents > state->room || order->trace->nthreads > order->width)
		return; /* what was computed will have to be computed again */
	for (; state->known < nevents && !stop_due(); state->known++)
		one_event(order, state->known);
}

void order_compute(struct order *order, const struct trace *trace, uint32_t from)
{
	struct order_state *state = order->state;

	invariant(trace->nthreads >= 1 && trace->nthreads <= MAX_THREADS);
	invariant(from <= trace->nevents);
	if (trace->nthreads > order->width) { /* all rows get another length */
		order->width = (trace->nthreads + ROW_LANES - 1) / ROW_LANES * ROW_LANES;
		order_forget(order);
	}
	if (!order_is_begun(order, from) || trace->nevents > state->room) {
		make_room(order, trace->nevents);
		order_begin(order, trace, from);
	}
	order->nevents = trace->nevents;
	order_follow(order, trace->nevents);
	state->begun = false;
	if (trace->ending == ENDING_STOPPED || stop_due())
		return;
	invariant(state->known == trace->nevents);
	for (uint32_t i = 0; i < trace->npending; i++)
		one_pending(order, &trace->pending[i]);
	debug_invariant(races_are_valid(order));
	slow_invariant(order_state_is_valid(state));
}
