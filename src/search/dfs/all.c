/*
 * Every interleaving: at each state every enabled thread is explored.  No theory,
 * no reduction, nothing to go wrong: what the others are tested against.
 */
#include "search/strategy.h"

static void analyse(struct search *search, const struct trace *trace)
{
	(void)trace;
	for (uint32_t i = search->branch; i < search->nnodes; i++)
		if (!search->nodes[i].forced)
			search->nodes[i].backtrack = search->nodes[i].enabled;
}

const struct strategy strategy_all = {
	.name = "all",
	.analyse = analyse,
};
