#include "explore/order_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void need_rows(struct order *order, uint32_t rows)
{
	struct order_state *state = order->state;
	uint64_t need = (uint64_t)rows * order->width;

	if (need <= state->clocks_size)
		return;
	state->clocks_size = need > 2 * state->clocks_size ? need : 2 * state->clocks_size;
	order->clocks = xrealloc(order->clocks, state->clocks_size * sizeof *order->clocks);
}

/* Signed: what most machines can compare several of at once, and no thread has that many events. */
typedef int32_t unit __attribute__((vector_size(ROW_UNIT * sizeof(int32_t)), may_alias));

void join_clock(struct order *order, uint32_t to, uint32_t from)
{
	unit *a = (unit *)row(order, to);
	const unit *b = (const unit *)row(order, from);

	for (uint32_t i = 0; i < order->width / ROW_UNIT; i++) {
		unit greater = a[i] > b[i];
		a[i] = (a[i] & greater) | (b[i] & ~greater);
	}
}

/* --- races --- */

void add_race(struct order *order, uint32_t first, uint32_t second, uint8_t thread, uint32_t clock_row)
{
	struct order_state *state = order->state;

	uint32_t node = first;

	assert(first < second && order->trace->events[first].thread != thread);
	if (second < state->from)
		return;
	while (order->trace->events[node].forced)
		node--;
	/* inside an atomic block nobody else runs: it is the whole block that must come later */
	if (node != first && covers(order, clock_row, node))
		return;
	order->races = grow(order->races, &state->races_size, order->nraces + 1, sizeof *order->races);
	order->races[order->nraces++] =
		(struct race){.first = first, .node = node, .second = second, .thread = thread, .clock = clock_row};
}

/* The second event, which came after the beginning of the block, comes before it. */
static void add_block_race(struct order *order, uint32_t begin, uint32_t second)
{
	order->races = grow(order->races, &order->state->races_size, order->nraces + 1, sizeof *order->races);
	order->races[order->nraces++] = (struct race){.first = begin,
						      .node = begin,
						      .second = second,
						      .thread = order->trace->events[second].thread,
						      .clock = second};
}

/* A row of its own with the clock as it is now: later joins must not show in the race. */
static uint32_t keep_clock(struct order *order, uint32_t from)
{
	uint32_t kept = order->state->rows++;

	need_rows(order, kept + 1);
	memcpy(row(order, kept), row(order, from), order->width * sizeof *order->clocks);
	return kept;
}

/* In the race it still comes after what does not depend on the first: other readers of the same lock. */
static void join_others(struct order *order, const struct acquire *acquire, uint32_t first, uint32_t clock_row)
{
	for (uint32_t i = acquire->cell->head; i;) {
		const struct access *access = &order->state->accesses[i - 1];
		if (!order_before(order, first, access->event) &&
		    ops_conflict(&order->trace->events[access->event].op, acquire->op))
			join_clock(order, clock_row, access->event);
		i = access->next;
	}
}

static void race_across_release(struct order *order, uint32_t first, const struct acquire *acquire)
{
	if (first == NO_EVENT || order->trace->events[first].thread == acquire->thread ||
	    covers(order, acquire->clock, first) || acquire->event < order->state->from)
		return;
	uint32_t clock_row = keep_clock(order, acquire->clock);
	join_others(order, acquire, first, clock_row);
	add_race(order, first, acquire->event, acquire->thread, clock_row);
}

/*
 * A blocking acquire races with the acquires that it had to wait for, across the
 * releases that let it through; so this comes before the releases are joined.  A
 * writer waits for all readers since the last writer, or else for that one.
 */
void races_across_releases(struct order *order, const struct acquire *acquire)
{
	bool readers = false;

	for (uint32_t i = acquire->cell->head; i && event_table[acquire->op->kind].effect == EFFECT_ACQUIRE;) {
		const struct access *access = &order->state->accesses[i - 1];
		if (takes_for_reading(event_table[order->trace->events[access->event].op.kind].effect)) {
			readers = true;
			race_across_release(order, access->event, acquire);
		}
		i = access->next;
	}
	if (!readers)
		race_across_release(order, acquire->cell->last_acquire, acquire);
}

/* --- conflicts --- */

static int newest_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* What was found, newest first, each once.  Mostly there are two or three. */
static void sort_found(struct order_state *state)
{
	uint32_t *found = state->found, kept = 0;

	if (state->nfound > 16) {
		qsort(found, state->nfound, sizeof *found, newest_first);
	} else {
		for (uint32_t i = 1; i < state->nfound; i++) {
			uint32_t event = found[i], k = i;
			for (; k && found[k - 1] < event; k--)
				found[k] = found[k - 1];
			found[k] = event;
		}
	}
	for (uint32_t i = 0; i < state->nfound; i++)
		if (!kept || found[kept - 1] != found[i])
			found[kept++] = found[i];
	state->nfound = kept;
}

/*
 * Would the wait on a semaphore have been impossible without this post, and what
 * depends on the post?  No other wait came in between: all of them conflict.
 */
static bool needs_post(const struct order *order, uint32_t post, uint32_t event)
{
	const struct order_state *state = order->state;
	const struct event *e = &order->trace->events[event], *f = &order->trace->events[post];
	uint64_t lost = 0;

	if (e->op.kind != EV_SEM_WAIT || f->op.kind != EV_SEM_POST)
		return false;
	for (uint32_t i = 0; i < state->nfound; i++)
		lost += order->trace->events[state->found[i]].op.kind == EV_SEM_POST && state->found[i] >= post &&
			order_before(order, post, state->found[i]);
	return e->value <= lost;
}

/*
 * Where a thread has to wait inside its atomic block, others get in.  So what enables such
 * a wait races with the whole block: it could have come too late, or else early enough.
 */
static void block_race(struct order *order, uint32_t earlier, uint32_t event)
{
	const struct event *e = &order->trace->events[event];
	uint32_t begin = order->state->latest.block[e->thread];

	if (begin == NO_EVENT || event < order->state->from)
		return;
	if (e->forced)
		add_race(order, earlier, event, e->thread, event);
	else if (begin < earlier && !covers(order, earlier, begin))
		add_block_race(order, begin, earlier);
}

/* Order the event after all it was found to conflict with; note the races. */
void settle(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct event *e = &order->trace->events[event];

	if (state->nfound > 1)
		sort_found(state);
	for (uint32_t i = 0; i < state->nfound; i++) {
		uint32_t earlier = state->found[i];
		const struct event *f = &order->trace->events[earlier];
		if (covers(order, event, earlier))
			continue;
		if (f->thread != e->thread && ops_may_be_coenabled(&f->op, &e->op) &&
		    !needs_post(order, earlier, event))
			add_race(order, earlier, event, e->thread, event);
		else if (f->thread != e->thread)
			block_race(order, earlier, event);
		join_clock(order, event, earlier);
	}
	state->nfound = 0;
}
