/*
 * The strategy interface: the one place where a search plugs in.
 *
 * A strategy sees one finished execution at a time and says which one to run next:
 *
 *   init      before the first execution: sets search->own, which must not be NULL, from search->setup
 *   take_in   after every execution, also one that was abandoned.  Its events from `from` on are new.  search->order
 *             has clocks for all events and the races whose second event is new
 *   next      the next plan, made of the last one, which is still as it was returned; false when there is none
 *   coverage  what the executions so far stand for, whenever it is asked.  Only COVERAGE_ALL lets a program be verified
 *   figures   what it wants reports to say, into the result; may be NULL
 *   release   frees search->own, at the end or before the search starts again
 *
 * It may rely on this: the execution took the steps of the plan, and then went on by itself (wire/plan.h).  It must see
 * to this: when it has no more plans and says COVERAGE_ALL, every execution of the program is equivalent to one that
 * was run.  It must not run executions or change anything but search->own, insight and lost.
 *
 * Those that look for interleavings depth first share dfs/dfs.h and differ in a rule (dfs/rule.h).  Only these can be
 * shared between workers: their parts are packed by dfs/unit.h.
 *
 * How to add one: its file, and a row in explore/strategies.c (CONTRIBUTING.md has the steps).  It must find the same bugs
 * as `all` on every test program, unless it says COVERAGE_PART when it has no more plans: then it is never "verified".
 */
#ifndef INSPECT_SEARCH_STRATEGY_H
#define INSPECT_SEARCH_STRATEGY_H

#include "result/finding.h"
#include "search/search.h"

struct dfs_rule;

/* What it can be combined with. */
enum strategy_fits {
	FITS_WORKERS = 1, /* several may share the search, which can be saved and resumed */
	FITS_NAME = 2, /* --search=NAME chooses it; others are chosen by options of their own */
};

struct strategy {
	const char *name, *help;
	const char *const *reductions; /* what makes it faster than trying every interleaving: NULL-terminated */
	unsigned fits; /* enum strategy_fits */
	unsigned
		idle_rounds; /* not 0: busy waiting is no operation; loops may go round for nothing so often (struct modes) */
	const struct dfs_rule *rule; /* of a depth-first search, or NULL */
	const struct strategy *instead; /* what can go on where it is lost, or NULL */
	void (*init)(struct search *search);
	void (*take_in)(struct search *search, const struct trace *trace, uint32_t from);
	bool (*next)(struct search *search, struct plan *plan);
	enum coverage (*coverage)(const struct search *search);
	void (*figures)(const struct search *search, struct result *result);
	void (*release)(struct search *search);
};

#endif
