#include "explore/strategies.h"

#include <string.h>

#include "common/invariant.h"
#include "search/dfs/rule.h"
#include "search/stateful/stateful.h"

#define DEPTH_FIRST(its_rule)                                                                                          \
	.rule = &(its_rule), .init = dfs_start, .take_in = dfs_take_in, .next = dfs_next, .coverage = dfs_coverage,    \
	.release = dfs_end

#define REDUCTIONS(...)                                                                                                \
	.reductions = (const char *const[])                                                                            \
	{                                                                                                              \
		__VA_ARGS__ __VA_OPT__(, ) NULL                                                                        \
	}

const struct strategy strategies[] = {
	{
		"optimal",
		"each equivalence class of interleavings exactly once",
		REDUCTIONS("source sets", "sleep sets", "wakeup trees"),
		.fits = FITS_WORKERS | FITS_NAME,
		DEPTH_FIRST(rule_optimal),
	},
	{
		"source",
		"source sets and sleep sets: each equivalence class of interleavings, few redundant starts",
		REDUCTIONS("source sets", "sleep sets"),
		.fits = FITS_WORKERS | FITS_NAME,
		DEPTH_FIRST(rule_source),
	},
	{
		"dpor",
		"Flanagan-Godefroid dynamic partial-order reduction with sleep sets and lock sets",
		REDUCTIONS("persistent sets", "sleep sets"),
		.fits = FITS_WORKERS | FITS_NAME,
		DEPTH_FIRST(rule_dpor),
	},
	{
		"all",
		"every interleaving, without any reduction: the oracle for tests",
		REDUCTIONS(),
		.idle_rounds = 2,
		.fits = FITS_WORKERS | FITS_NAME,
		DEPTH_FIRST(rule_all),
	},
	{
		STRATEGY_DDPOR,
		"as dpor, but what several workers share is shared as in Yang's dissertation: for comparison",
		REDUCTIONS("persistent sets", "sleep sets"),
		.fits = FITS_WORKERS,
		DEPTH_FIRST(rule_ddpor),
	},
	{
		STRATEGY_STATEFUL,
		"no step twice from the same state of the program",
		REDUCTIONS("states", "persistent sets"),
		.instead = &strategies[0],
		.init = stateful_init,
		.take_in = stateful_take_in,
		.next = stateful_next,
		.coverage = stateful_coverage,
		.figures = stateful_figures,
		.release = stateful_release,
	},
};

const unsigned nstrategies = sizeof strategies / sizeof *strategies;

const struct strategy *strategy_find(const char *name)
{
	for (unsigned i = 0; i < nstrategies; i++) {
		/* workers share the nodes of a depth-first search, and nothing else */
		invariant(strategies[i].rule || !(strategies[i].fits & FITS_WORKERS));
		if (!strcmp(strategies[i].name, name))
			return &strategies[i];
	}
	return NULL;
}

const struct strategy *named_strategy(const struct strategy *last)
{
	const struct strategy *next = last ? last + 1 : strategies;

	while (next < strategies + nstrategies && !(next->fits & FITS_NAME))
		next++;
	invariant(!last || (last >= strategies && last < next));
	return next < strategies + nstrategies ? next : NULL;
}
