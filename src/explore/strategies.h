/*
 * The table of strategies (search/strategy.h).
 */
#ifndef INSPECT_EXPLORE_STRATEGIES_H
#define INSPECT_EXPLORE_STRATEGIES_H

#include "search/strategy.h"

/* Names of those that options choose. */
#define STRATEGY_DDPOR "ddpor"
#define STRATEGY_STATEFUL "stateful"

/* All of them; the one that is used unless something else is asked for comes first. */
extern const struct strategy strategies[];
extern const unsigned nstrategies;

/* The next one that --search=NAME can choose; the first for NULL, NULL after the last. */
const struct strategy *named_strategy(const struct strategy *last);

/* NULL when there is no strategy of that name. */
const struct strategy *strategy_find(const char *name);

#endif
