/*
 * Data races that hide behind weak atomics.
 *
 * The races of order.h are between events that nothing orders in the interleaving.
 * Two plain accesses can be ordered there by a relaxed atomic store and the load
 * that reads from it, and still race by the rules of C: only what synchronises
 * counts.  This second pass over a trace computes that smaller order, with release
 * and acquire, release sequences and fences, and lists the racing pairs.
 *
 * It is only needed for traces that have weak atomics at all: where every load
 * acquires and every store releases, the first kind of race comes to light in
 * another interleaving.
 */
#ifndef INSPECT_ORDER_WEAK_H
#define INSPECT_ORDER_WEAK_H

#include "order/order.h"

struct weak;

struct weak *weak_new(void);
void weak_free(struct weak *weak);

/*
 * Find the pairs.  The events before `from` are those of the trace that was looked at
 * before, unless weak_forget() was called since.  The second event of a pair is `from`
 * or later, at least one of the two is a plain access.  The array belongs to *weak;
 * only first, second and thread of each race are set.
 */
const struct race *weak_races(struct weak *weak, const struct trace *trace, uint32_t from, uint32_t *nraces);

/* The next trace may have nothing in common with the last one. */
void weak_forget(struct weak *weak);

#endif
