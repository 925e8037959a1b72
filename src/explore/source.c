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

#include "explore/initials.h"

static void reverse(struct search *search, const struct race *race)
{
	struct node *node = &search->nodes[race->node];
	uint64_t candidates = race_initials(&search->order, race);

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
