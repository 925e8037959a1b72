#include "order/initials.h"

#include "common/invariant.h"
#include "wire/plan.h"

/* The first event of each thread in the continuation, while the initials are computed. */
struct firsts {
	uint64_t seen, initial;
	uint64_t excluded; /* their next event, or the atomic block that it begins, depends on the first of the race */
	uint64_t blocks; /* threads in `excluded` because of the rest of an atomic block … */
	uint32_t event[MAX_THREADS]; /* of those in `seen`; … and what the block begins with, of those in `blocks` */
};

/* Does an event with this clock come after the event that is noted for one of the threads? */
static bool comes_after(const struct order *order, const struct firsts *firsts, uint64_t threads, const uint32_t *clock)
{
	for (uint64_t left = threads; left; left &= left - 1) {
		unsigned thread = (unsigned)__builtin_ctzll(left);
		debug_invariant(order->trace->events[firsts->event[thread]].thread == thread);
		if (clock[thread] >= order->local[firsts->event[thread]])
			return true;
	}
	return false;
}

/* Does an event with this clock depend on an event of the continuation before it? */
static bool depends(const struct order *order, const struct firsts *firsts, const uint32_t *clock)
{
	return comes_after(order, firsts, firsts->seen, clock);
}

/*
 * Does it depend on an atomic block that must stay behind?  What it depends on there need not happen after the
 * race's first event itself, if something later in the block does.
 */
static bool is_behind_block(const struct order *order, const struct firsts *firsts, const uint32_t *clock)
{
	return comes_after(order, firsts, firsts->blocks, clock);
}

/* How the thread could have ended its wait without the signal, after which it took the mutex again. */
static struct op op_leaving(const struct op *signal, const struct op *wake, unsigned thread)
{
	return (struct op){.kind = EV_COND_TIMEOUT, /* or another end, but they all conflict with the same */
			   .site = wake->site,
			   .object = signal->object,
			   .object2 = wake->object,
			   .size = CANCELLABLE(thread)};
}

struct op race_second_op(const struct order *order, const struct race *race)
{
	const struct trace *trace = order->trace;
	struct op op = {0};

	if (race->second < trace->nevents) {
		const struct event *event = &trace->events[race->second];
		op = event->op;
		if (event->op.kind == EV_TIMEOUT && !event_is(trace->events[race->first].op.kind, EV_QUIET))
			op.kind = (uint8_t)event->instead; /* it gets what it waited for in vain */
	} else {
		for (uint32_t i = 0; i < trace->npending; i++)
			if (trace->pending[i].thread == race->thread)
				op = trace->pending[i].op;
	}
	invariant(op.kind != EV_NOTHING);
	switch (race->second_is) {
	case RACE_AWAIT_READS: op.kind = EV_ATOMIC_LOAD; break;
	case RACE_AWAIT_WRITES: op.kind = EV_ATOMIC_RMW; break;
	case RACE_NOT_LAST: op.kind = event_table[op.kind].arrival; break;
	case RACE_LEAVES: return op_leaving(&trace->events[race->first].op, &op, race->thread);
	}
	return op;
}

/*
 * Does the second operation depend on none of the events that then come before it?  Its clock
 * does not say: in that state it may turn out to be something that conflicts with more.
 */
static bool second_is_initial(const struct order *order, const struct race *race, const struct firsts *firsts)
{
	struct op op = race_second_op(order, race);

	const uint32_t *clock = order_clock(order, race->clock);

	if (firsts->seen >> race->thread & 1 || depends(order, firsts, clock) || is_behind_block(order, firsts, clock))
		return false;
	if (race->second_is != RACE_NOT_LAST)
		op.kind = (uint8_t)event_at_its_strongest(op.kind);
	uint64_t footprint = op_footprint(&op);
	for (uint32_t k = race->node + 1; k < race->second; k++) {
		const struct event *event = &order->trace->events[k];
		if (footprint & order->footprints[k] && event->thread != race->thread &&
		    !race_holds_back(order, race, k) && ops_conflict(&op, &event->op))
			return false;
	}
	return true;
}

/* The first event of its thread in the continuation. */
static void take_first(const struct order *order, const struct race *race, struct firsts *firsts, uint32_t k)
{
	const struct event *events = order->trace->events;
	uint64_t thread = thread_bit(events[k].thread);
	/* of an atomic block, all of it counts: it cannot begin, or go on after a wait, without the rest */
	uint32_t last = end_of_block(events, k, race->second < order->nevents ? race->second + 1 : order->nevents);
	bool held_back = race_holds_back(order, race, k);

	invariant(last >= k && !((firsts->seen | firsts->excluded) & thread));
	firsts->event[events[k].thread] = k;
	if (held_back || race_holds_back(order, race, last < race->second ? last : k) ||
	    is_behind_block(order, firsts, order_clock(order, last))) {
		firsts->excluded |= thread;
		if (!held_back)
			firsts->blocks |= thread;
		return;
	}
	if (!depends(order, firsts, order_clock(order, last)))
		firsts->initial |= thread;
	firsts->seen |= thread;
}

uint64_t race_initials(const struct order *order, const struct race *race)
{
	struct firsts firsts = {.seen = 0};
	uint32_t passed = 0, looks = 0;

	debug_invariant(race_is_valid(order, race));

	for (uint32_t k = race->node + 1; k < race->second; k++, looks++) {
		uint64_t known = firsts.seen | firsts.excluded;
		if (passed++ == ORDER_PASSED) {
			k = order_next_of_any(order, ~known, k - 1);
			passed = 0;
			if (k >= race->second)
				break;
		}
		if (known >> order->briefs[k].thread & 1)
			continue;
		passed = 0;
		take_first(order, race, &firsts, k);
	}
	order_count_looks(order, looks);
	invariant(!(firsts.seen & firsts.excluded)); /* who stays behind takes no part */
	invariant(!(firsts.initial & ~firsts.seen) && !(firsts.blocks & ~firsts.excluded));
	if (second_is_initial(order, race, &firsts))
		firsts.initial |= thread_bit(race->thread);
	return firsts.initial;
}
