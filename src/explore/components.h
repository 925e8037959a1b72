/*
 * Cycles in the graph of states: what must not be put off for ever.
 */
#ifndef INSPECT_EXPLORE_COMPONENTS_H
#define INSPECT_EXPLORE_COMPONENTS_H

#include "explore/stategraph.h"

/*
 * In each strongly connected part of the graph that has a cycle and that no step leads out of:
 * want each thread that can move somewhere in it and never does.  True if anything was wanted that was not before.
 */
bool components_complete(struct state_graph *graph);

#endif
