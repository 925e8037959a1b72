/*
 * Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014; JACM 2017).
 *
 * For a race between events i and j let v be what follows i without depending on
 * it, then j: the continuation in which j comes first.  Its initials are the
 * threads that can begin v.  If no initial is in the backtrack set of node i, or
 * sleeps there, one is added; then every way to reverse the race begins with a
 * thread that is explored.
 */
#include "search/dfs/rule.h"

#include "common/invariant.h"
#include "common/stopping.h"
#include "order/initials.h"

static void reverse(struct dfs *dfs, const struct race *race)
{
	debug_invariant(race_is_valid(dfs->order, race));
	dfs_demand(dfs, race->node, race_initials(dfs->order, race), race->thread);
}

static void analyse(struct dfs *dfs, const struct trace *trace)
{
	(void)trace;
	for (uint32_t i = 0; i < dfs->order->nraces && !stop_due(); i++)
		reverse(dfs, &dfs->order->races[i]);
}

const struct dfs_rule rule_source = {
	.uses_sleep = true,
	.analyse = analyse,
};
