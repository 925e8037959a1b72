/*
 * A slow second opinion on what order.h says about a trace, and on the trace itself.
 *
 * Everything is computed again, from the first event on and from pairs of operations:
 * happens-before of all pairs of events, the races, and what the enabled sets must and must
 * not contain as far as that can be seen in a trace.  It costs the square of the length of
 * the trace, so long ones are looked at now and then only.
 *
 * Builds with SANITIZE=1 ask for it after every execution; others never do.  A new kind of
 * race (races.c) needs its rule here as well.
 */
#ifndef INSPECT_ORDER_SECOND_OPINION_H
#define INSPECT_ORDER_SECOND_OPINION_H

#include "order/order.h"

struct second_opinion {
	uint64_t saved; /* pairs that may be looked at */
};

/* Is it time for the next one? */
bool second_opinion_due(struct second_opinion *second, const struct trace *trace);

/*
 * What is wrong, naming the event, or NULL.  The order was computed with the same `from`.
 * The text is the caller's to free.
 */
char *second_opinion(const struct order *order, uint32_t from);

#endif
