/*
 * The strongly connected components of the graph of states: where cycles are.
 */
#ifndef INSPECT_SEARCH_STATEFUL_COMPONENTS_H
#define INSPECT_SEARCH_STATEFUL_COMPONENTS_H

#include "search/stateful/graph.h"

struct component {
	const uint32_t *vertices;
	uint32_t count;
	const uint32_t *of; /* per vertex: the number of its component, 0 where it is not known yet */
	uint32_t number; /* of this one */
};

static inline bool component_has(const struct component *component, uint32_t vertex)
{
	return vertex != NO_VERTEX && component->of[vertex] == component->number;
}

/* Call `visit` for each component of the graph with those edges only for which `counts` is true. */
void components_visit(const struct state_graph *graph, bool (*counts)(const struct edge *),
		      void (*visit)(void *context, const struct component *component), void *context);

#endif
