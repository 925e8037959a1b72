#include "search/strategy.h"

#include <string.h>

#include "search/explore.h"

static const struct strategy *const strategies[] = {&strategy_optimal, &strategy_source, &strategy_dpor, &strategy_all};

enum { NSTRATEGIES = sizeof strategies / sizeof *strategies };

/* What `--help` says of each, in the same order. */
const struct strategy_name strategy_names[] = {
	{"optimal", "each equivalence class of interleavings exactly once"},
	{"source", "source sets and sleep sets: each equivalence class of interleavings, few redundant starts"},
	{"dpor", "Flanagan-Godefroid dynamic partial-order reduction with sleep sets and lock sets"},
	{"all", "every interleaving, without any reduction: the oracle for tests"},
	{NULL, NULL},
};

const struct strategy *strategy_find(const char *name)
{
	for (unsigned i = 0; i < NSTRATEGIES; i++)
		if (!strcmp(strategies[i]->name, name))
			return strategies[i];
	return NULL;
}
