#include "order/state.h"

#include "common/invariant.h"
#include "storage/memory.h"

#include <stdlib.h>
#include <string.h>

void need_rows(struct order *order, uint32_t rows)
{
	struct order_state *state = order->state;
	uint64_t need = (uint64_t)rows * order->width;

	if (need <= state->clocks_size)
		return;
	state->clocks_size = need > 2 * state->clocks_size ? need : 2 * state->clocks_size;
	order->clocks = memory_resize(order->clocks, state->clocks_size * sizeof *order->clocks);
}

/* Signed: what most machines can compare several of at once, and no thread has that many events. */
typedef int32_t lanes __attribute__((vector_size(ROW_LANES * sizeof(int32_t)), may_alias));

void join_clock(struct order *order, uint32_t to, uint32_t from)
{
	lanes *a = (lanes *)row(order, to);
	const lanes *b = (const lanes *)row(order, from);

	debug_invariant(to != from && order->width % ROW_LANES == 0);

	for (uint32_t i = 0; i < order->width / ROW_LANES; i++) {
		lanes greater = a[i] > b[i];
		a[i] = (a[i] & greater) | (b[i] & ~greater);
	}
}

/* --- races --- */

void add_race(struct order *order, uint32_t first, uint32_t second, uint8_t thread, uint32_t clock_row)
{
	struct order_state *state = order->state;

	uint32_t node = order->chosen[first];

	debug_invariant(first < second && node <= first);
	debug_invariant(order->trace->events[first].thread != thread);
	if (second < state->from)
		return;
	/* inside an atomic block nobody else runs: it is the whole block that must come later */
	if (node != first && covers(order, clock_row, node))
		return;
	order->races = array_grow(order->races, &state->races_size, order->nraces + 1, sizeof *order->races);
	order->races[order->nraces++] =
		(struct race){.first = first, .node = node, .second = second, .thread = thread, .clock = clock_row};
}

/* The second event, which came after the beginning of the block, comes before it. */
static void add_block_race(struct order *order, uint32_t begin, uint32_t second)
{
	invariant(begin < second);
	debug_invariant(order->trace->events[begin].op.kind == EV_ATOMIC_BEGIN);
	order->races = array_grow(order->races, &order->state->races_size, order->nraces + 1, sizeof *order->races);
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

	invariant(kept >= order->state->room); /* after those of the events */
	need_rows(order, kept + 1);
	memcpy(row(order, kept), row(order, from), order->width * sizeof *order->clocks);
	return kept;
}

/* --- locks --- */

/* What would have to stay behind if the acquire came before `first`: see race_holds_back(). */
struct delay {
	const struct order *order;
	const struct acquire *acquire;
	uint32_t first;
	uint32_t others[MAX_THREADS];
	uint32_t nothers;
};

static bool is_delayed(const struct delay *delay, uint32_t event)
{
	return order_after_any(delay->order, &delay->first, 1, event) ||
	       order_after_any(delay->order, delay->others, delay->nothers, event);
}

/* In the race it still comes after what does not stay behind: other readers of the same lock. */
static void join_others(struct order *order, const struct delay *delay, uint32_t clock_row)
{
	for (uint32_t i = delay->acquire->cell->head; i;) {
		const struct access *access = &order->state->accesses.items[i - 1];
		if (!is_delayed(delay, access->event) &&
		    ops_conflict(&order->trace->events[access->event].op, delay->acquire->op))
			join_clock(order, clock_row, access->event);
		i = access->next;
	}
	for (uint32_t i = delay->acquire->cell->readers; i; i = order->state->accesses.items[i - 1].older) {
		uint32_t reader = order->state->accesses.items[i - 1].event;
		if (!is_delayed(delay, reader) && ops_conflict(&order->trace->events[reader].op, delay->acquire->op))
			join_clock(order, clock_row, reader);
	}
}

static void race_across_release(struct order *order, struct delay *delay)
{
	const struct acquire *acquire = delay->acquire;
	uint32_t before = order->nraces;

	uint32_t clock_row = keep_clock(order, acquire->clock);
	join_others(order, delay, clock_row);
	add_race(order, delay->first, acquire->event, acquire->thread, clock_row);
	if (order->nraces == before)
		return;
	order->others = array_grow(order->others, &order->state->others_size, order->nothers + delay->nothers,
				   sizeof *order->others);
	invariant(order->nraces == before + 1);
	order->races[before].others = order->nothers;
	order->races[before].nothers = delay->nothers;
	for (uint32_t i = 0; i < delay->nothers; i++)
		order->others[order->nothers++] = delay->others[i];
}

/* Could the acquire have come before the event at all, as far as other things order them? */
static bool may_come_before(const struct order *order, const struct acquire *acquire, uint32_t first)
{
	return first != NO_EVENT && order->trace->events[first].thread != acquire->thread &&
	       !covers(order, acquire->clock, first) && acquire->event >= order->state->from;
}

/* Who passes a `once` that is done holds nothing. */
static bool becomes_reader(const struct op *op)
{
	return takes_for_reading(event_table[op->kind].effect) && !event_is(op->kind, EV_TAKES_NOTHING);
}

/* Where each thread took the lock for reading, since it last held none; NO_EVENT: nowhere, or somebody has written since. */
static void find_readers(const struct order *order, const struct cell *cell, uint32_t acquired[])
{
	for (uint32_t i = 0; i < order->width; i++)
		acquired[i] = NO_EVENT;
	for (uint32_t i = cell->head; i; i = order->state->accesses.items[i - 1].next) {
		const struct access *access = &order->state->accesses.items[i - 1];
		if (becomes_reader(&order->trace->events[access->event].op))
			acquired[access->thread] = access->event; /* the list is newest first */
	}
}

static int change_of_reader(const struct order *order, const struct access *access)
{
	return becomes_reader(&order->trace->events[access->event].op) ? 1 : -1;
}

/*
 * A reader who would hold the lock when it is the writer's turn, because what gives it back stays behind: the event with
 * which that begins; NO_EVENT: there is none.  All that readers have done counts, also if they have had the lock again since.
 */
static uint32_t find_holder(const struct order *order, const struct delay *delay)
{
	const struct access *accesses = order->state->accesses.items;
	int count[MAX_THREADS] = {0}, since[MAX_THREADS] = {0};

	for (uint32_t i = delay->acquire->cell->readers; i; i = accesses[i - 1].older)
		if (!is_delayed(delay, accesses[i - 1].event))
			count[accesses[i - 1].thread] += change_of_reader(order, &accesses[i - 1]);
	for (uint32_t i = delay->acquire->cell->readers; i; i = accesses[i - 1].older) {
		unsigned thread = accesses[i - 1].thread;
		if (count[thread] <= 0 || is_delayed(delay, accesses[i - 1].event))
			continue;
		since[thread] += change_of_reader(order, &accesses[i - 1]);
		if (since[thread] == count[thread])
			return accesses[i - 1].event;
	}
	return NO_EVENT;
}

/*
 * A writer before this reader: every other reader who would then still hold the lock must
 * come later too.  False if one of them had it before, so that it is not this one's turn.
 */
static bool delay_readers(const struct order *order, struct delay *delay)
{
	uint32_t holder;

	while ((holder = find_holder(order, delay)) != NO_EVENT) {
		/* one that came before, or that the writer has waited for in another way, cannot come later */
		if (holder < delay->first || covers(order, delay->acquire->clock, holder))
			return false;
		invariant(delay->nothers < MAX_THREADS); /* each holder is of another thread */
		delay->others[delay->nothers++] = holder;
	}
	return true;
}

static void races_with_readers(struct order *order, const struct acquire *acquire)
{
	uint32_t acquired[MAX_THREADS];

	find_readers(order, acquire->cell, acquired);
	for (uint32_t i = 0; i < order->width; i++) {
		struct delay delay = {.order = order, .acquire = acquire, .first = acquired[i]};
		if (may_come_before(order, acquire, delay.first) && delay_readers(order, &delay))
			race_across_release(order, &delay);
	}
}

static bool has_readers(const struct order *order, const struct cell *cell)
{
	for (uint32_t i = cell->head; i; i = order->state->accesses.items[i - 1].next)
		if (becomes_reader(&order->trace->events[order->state->accesses.items[i - 1].event].op))
			return true;
	return false;
}

/*
 * A blocking acquire races with the acquires that it had to wait for, across the
 * releases that let it through; so this comes before the releases are joined.  A
 * writer waits for all readers since the last writer, or else for that one.
 */
void races_across_releases(struct order *order, const struct acquire *acquire)
{
	struct delay delay = {.order = order, .acquire = acquire, .first = acquire->cell->last_acquire};

	if (event_table[acquire->op->kind].effect == EFFECT_ACQUIRE && has_readers(order, acquire->cell))
		races_with_readers(order, acquire);
	else if (may_come_before(order, acquire, delay.first))
		race_across_release(order, &delay);
}

/* --- awaits --- */

/* Is the value in this set of those that the await was tried with?  It was tried with all that the location had. */
static bool has_value(const struct await *await, uint32_t set, uint64_t value)
{
	uint32_t i = 0;

	while (i < await->nvalues && await->values[i] != value)
		i++;
	invariant(i < await->nvalues);
	return set >> i & 1;
}

/* Was the value before this write there in the middle of an atomic block only, where nobody else runs? */
static bool is_hidden_by_block(const struct order *order, const struct await_write *write)
{
	const struct await_write *writes = order->trace->await_writes;

	return write->previous && order->chosen[writes[write->previous - 1].event] == order->chosen[write->event];
}

/*
 * A thread that awaits a location could have gone on before a write of it, if with the value
 * before that.  All writes of the location are ordered, so whoever could go on before one of
 * them could do so before those that came earlier once that one is out of the way: the latest
 * will do, of those that can come later at all.
 */
void races_of_await(struct order *order, uint32_t await, uint32_t event, uint32_t clock, uint8_t thread)
{
	const struct trace *trace = order->trace;
	const struct await *info = &trace->awaits[await - 1];

	invariant(await && await <= trace->nawaits);
	if (event < order->state->from)
		return;
	for (uint32_t i = info->write; i; i = trace->await_writes[i - 1].previous) {
		const struct await_write *write = &trace->await_writes[i - 1];
		invariant(i <= trace->nawait_writes && write->previous < i); /* the list ends */
		if (covers(order, clock, write->event))
			return;
		if (is_hidden_by_block(order, write) || has_value(info, info->fails, write->value))
			continue;
		uint32_t before = order->nraces;
		add_race(order, write->event, event, thread, keep_clock(order, clock));
		if (order->nraces == before)
			continue;
		order->races[before].second_is =
			has_value(info, info->writes, write->value) ? RACE_AWAIT_WRITES : RACE_AWAIT_READS;
		return;
	}
}

/* --- waits for a signal --- */

void race_of_leaving(struct order *order, uint32_t event, uint8_t thread)
{
	const struct event *events = order->trace->events;
	const struct latest *latest = &order->state->latest;
	uint32_t signal = latest->woken[thread], waits = latest->last[thread], node = order->chosen[signal];
	uint32_t before = order->nraces;

	invariant(signal != NO_EVENT && waits != NO_EVENT && waits < signal); /* is_let_through() */
	if (waits > node || !(events[node].enabled >> thread & 1))
		return; /* it could not have ended by itself then */
	add_race(order, signal, event, thread, keep_clock(order, waits));
	if (order->nraces > before)
		order->races[before].second_is = RACE_LEAVES;
}

/* Races of awaits with writes are a matter of values, and were found before. */
static bool is_awaited(const struct event *write, const struct event *e)
{
	const struct event_info *info = &event_table[e->op.kind];

	return info->object_class == OBJECT_MEMORY && e->await && event_table[write->op.kind].effect == EFFECT_WRITE;
}

/* --- conflicts --- */

/* Down to where it belongs in a heap, in which nobody is newer than those below him. */
static void sift(uint32_t *events, uint32_t at, uint32_t count)
{
	for (uint32_t below; (below = 2 * at + 1) < count; at = below) {
		below += below + 1 < count && events[below + 1] < events[below];
		if (events[at] <= events[below])
			return;
		uint32_t event = events[at];
		events[at] = events[below];
		events[below] = event;
	}
}

/* Newest first. */
static void sort_many(uint32_t *events, uint32_t count)
{
	for (uint32_t i = count / 2; i-- > 0;)
		sift(events, i, count);
	while (count-- > 1) {
		uint32_t oldest = events[0];
		events[0] = events[count];
		events[count] = oldest;
		sift(events, 0, count);
	}
}

/* What was found, newest first, each once.  Mostly there are two or three. */
static void sort_found(struct order_state *state)
{
	uint32_t *found = state->found.items, kept = 0;

	if (state->found.count > 16) {
		sort_many(found, state->found.count);
	} else {
		for (uint32_t i = 1; i < state->found.count; i++) {
			uint32_t event = found[i], k = i;
			for (; k && found[k - 1] < event; k--)
				found[k] = found[k - 1];
			found[k] = event;
		}
	}
	for (uint32_t i = 0; i < state->found.count; i++)
		if (!kept || found[kept - 1] != found[i])
			found[kept++] = found[i];
	state->found.count = kept;
	debug_invariant(!kept || found[0] < state->known);
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

	if (e->op.kind != EV_SEM_WAIT || (f->op.kind != EV_SEM_POST && !f->opens))
		return false;
	if (f->opens)
		return true;
	for (uint32_t i = 0; i < state->found.count; i++)
		lost += order->trace->events[state->found.items[i]].op.kind == EV_SEM_POST &&
			state->found.items[i] >= post && order_before(order, post, state->found.items[i]);
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

/* A join need not wait, because the thread was joined or detached before, by this event. */
static bool is_settled_by(const struct order *order, const struct event *e, uint32_t earlier)
{
	return e->op.kind == EV_JOIN && order->state->latest.settled[e->op.target] == earlier;
}

/* It could have come before that only if the thread had ended by then. */
static void join_race(struct order *order, uint32_t earlier, uint32_t event)
{
	const struct event *e = &order->trace->events[event];
	uint32_t exited = order->state->latest.exited[e->op.target];

	if (exited != NO_EVENT && earlier < exited && order_before(order, earlier, exited))
		return;
	uint32_t clock_row = keep_clock(order, event);
	if (exited != NO_EVENT) /* else it may end later, and then the join may follow */
		join_clock(order, clock_row, exited);
	add_race(order, earlier, event, e->thread, clock_row);
}

/* Did one come to a barrier, or to its end, and the other as the last one after it? */
static bool is_followed_by_last(const struct event *earlier, const struct event *e)
{
	return op_is_last(&e->op) && event_table[e->op.kind].arrival == earlier->op.kind;
}

/*
 * With the earlier one missing it is not the last, and has nothing to do with the others that have come: `alone' is
 * its clock before any conflict.
 */
static void race_of_last(struct order *order, uint32_t earlier, uint32_t event, uint32_t alone)
{
	uint32_t before = order->nraces;

	add_race(order, earlier, event, order->trace->events[event].thread, alone);
	if (order->nraces > before)
		order->races[before].second_is = RACE_NOT_LAST;
}

static bool may_be_coenabled(const struct event *earlier, const struct event *later)
{
	return ops_may_be_coenabled(&earlier->op, &later->op) || event_is_too_late(earlier);
}

/* Order the event after all it was found to conflict with; note the races. */
void settle(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct event *e = &order->trace->events[event];

	if (state->found.count > 1)
		sort_found(state);
	uint32_t alone = op_is_last(&e->op) ? keep_clock(order, event) : event;
	for (uint32_t i = 0; i < state->found.count; i++) {
		uint32_t earlier = state->found.items[i];
		const struct event *f = &order->trace->events[earlier];
		debug_invariant(earlier < event && (!i || earlier < state->found.items[i - 1])); /* newest first */
		if (covers(order, event, earlier))
			continue;
		if (is_awaited(f, e))
			;
		else if (f->thread != e->thread && is_settled_by(order, e, earlier))
			join_race(order, earlier, event);
		else if (f->thread != e->thread && is_followed_by_last(f, e))
			race_of_last(order, earlier, event, alone);
		else if (f->thread != e->thread && may_be_coenabled(f, e) && !needs_post(order, earlier, event))
			add_race(order, earlier, event, e->thread, event);
		else if (f->thread != e->thread)
			block_race(order, earlier, event);
		join_clock(order, event, earlier);
		debug_invariant(covers(order, event, earlier));
	}
	state->found.count = 0;
}
