/*
 * Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014; JACM 2017).
 *
 * For a race between events i and j let v be what follows i without depending on
 * it, then j: the continuation in which j comes first.  Its initials are the
 * threads that can begin v.  If no initial is in the backtrack set of node i, or
 * sleeps there, one is added; then every way to reverse the race begins with a
 * thread that is explored.
 */
#include "explore/strategy.h"

#include <assert.h>

/* The first event of each thread in v, while the initials are computed. */
struct firsts {
	uint64_t seen, initial;
	uint64_t excluded; /* their next event, or the atomic block that it begins, depends on the first of the race */
	uint32_t event[MAX_THREADS];
};

/* Does an event with this clock depend on an event of v before it? */
static bool depends(const struct order *order, const struct firsts *firsts, const uint32_t *clock)
{
	for (uint64_t left = firsts->seen; left; left &= left - 1) {
		unsigned thread = (unsigned)__builtin_ctzll(left);
		if (clock[thread] >= order->local[firsts->event[thread]])
			return true;
	}
	return false;
}

/* Of an atomic block, all of it counts that is in v: it cannot begin, or go on after a wait, without the rest. */
static uint32_t last_of_block(const struct order *order, uint32_t k, uint32_t end)
{
	const struct event *events = order->trace->events;

	while (k + 1 < end && events[k + 1].forced && events[k + 1].thread == events[k].thread)
		k++;
	return k;
}

static uint64_t initials(const struct order *order, const struct race *race)
{
	const struct event *events = order->trace->events;
	struct firsts firsts = {.seen = 0};

	for (uint32_t k = race->node + 1; k < race->second; k++) {
		unsigned thread = events[k].thread;
		if ((firsts.seen | firsts.excluded) >> thread & 1)
			continue;
		uint32_t last =
			last_of_block(order, k, race->second < order->nevents ? race->second + 1 : order->nevents);
		if (order_before(order, race->node, last < race->second ? last : k)) {
			firsts.excluded |= thread_bit(thread);
			continue;
		}
		if (!depends(order, &firsts, order_clock(order, last)))
			firsts.initial |= thread_bit(thread);
		firsts.event[thread] = k;
		firsts.seen |= thread_bit(thread);
	}
	if (!(firsts.seen >> race->thread & 1) && !depends(order, &firsts, order_clock(order, race->clock)))
		firsts.initial |= thread_bit(race->thread);
	return firsts.initial;
}

static void reverse(struct search *search, const struct race *race)
{
	struct node *node = &search->nodes[race->node];
	uint64_t candidates = initials(&search->order, race);

	assert(!node->forced);
	if (candidates & (node->backtrack | node->sleep))
		return;
	candidates &= node->enabled;
	if (!candidates) {
		/* no proof covers it, so take everything: never seen, but never lose a bug either */
		node->backtrack |= node->enabled & ~node->sleep;
		return;
	}
	if (candidates >> race->thread & 1)
		node_add(node, race->thread);
	else
		node_add(node, (unsigned)__builtin_ctzll(candidates));
}

static void analyse(struct search *search, const struct trace *trace)
{
	(void)trace;
	for (uint32_t i = 0; i < search->order.nraces; i++)
		reverse(search, &search->order.races[i]);
}

const struct strategy strategy_source = {
	.name = "source",
	.uses_sleep = true,
	.analyse = analyse,
};
