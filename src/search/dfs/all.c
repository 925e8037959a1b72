/*
 * Every interleaving: at each state every enabled thread is explored.  No theory,
 * no reduction, nothing to go wrong: what the others are tested against.
 */
#include "search/dfs/rule.h"

#include "common/invariant.h"

static void analyse(struct dfs *dfs, const struct trace *trace)
{
	(void)trace;
	invariant(!dfs->rule->uses_sleep && dfs->branch <= dfs->nnodes);
	for (uint32_t i = dfs->branch; i < dfs->nnodes; i++)
		if (!dfs->nodes[i].forced)
			dfs->nodes[i].backtrack = dfs->nodes[i].enabled;
}

const struct dfs_rule rule_all = {
	.analyse = analyse,
};
