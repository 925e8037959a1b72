/*
 * What follows from cycles in the graph of states.
 */
#ifndef INSPECT_SEARCH_STATEFUL_CYCLES_H
#define INSPECT_SEARCH_STATEFUL_CYCLES_H

#include "search/stateful/graph.h"

/*
 * In each part of the graph that has a cycle and that no move leads out of: want each thread that can
 * move somewhere in it and never does, so that nobody is put off for ever.  True if anything was
 * wanted that was not before.
 */
bool cycles_complete(struct state_graph *graph);

/*
 * A livelock: a way round through states in which threads try and try again and nobody gets anywhere.
 * Nothing is written, only locks are taken and given back; each thread that can move somewhere on
 * the way does, and finds something not as it wants it, or else no move leads out of there.  Nobody who was left behind in a loop could go on somewhere there.  The way is a list of edges from a vertex back to it,
 * the caller's to free; NULL when there is none.
 *
 * Or: one thread goes round alone, whatever it does, and no move leads to any end.
 */
uint32_t *cycles_find_livelock(const struct state_graph *graph, uint32_t *count);

/* Are there ways round from which none leads to an end of the process?  Redundant ones count as well. */
bool cycles_never_end(const struct state_graph *graph);

#endif
