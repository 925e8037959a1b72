/*
 * Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014; JACM 2017).
 *
 * For a race between events i and j let v be what follows i without depending on
 * it, then j: the continuation in which j comes first.  Its initials are the
 * threads that can begin v.  If no initial is in the backtrack set of node i, or
 * sleeps there, one is added; then every way to reverse the race begins with a
 * thread that is explored.
 */
#include "search/strategy.h"

#include "common/stopping.h"
#include "order/initials.h"

static void reverse(struct search *search, const struct race *race)
{
	search_ask(search, race->node, race_initials(&search->order, race), race->thread);
}

static void analyse(struct search *search, const struct trace *trace)
{
	(void)trace;
	for (uint32_t i = 0; i < search->order.nraces && !stop_due(); i++)
		reverse(search, &search->order.races[i]);
}

const struct strategy strategy_source = {
	.name = "source",
	.uses_sleep = true,
	.analyse = analyse,
};
