#include "search/stateful/components.h"

#include <stdlib.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"

/* Tarjan's algorithm (1972), without recursion. */
struct tarjan {
	const struct state_graph *graph;
	bool (*counts)(const struct edge *);
	void (*visit)(void *, const struct component *);
	void *context;
	uint32_t *index; /* per vertex: when it was found, from 1; 0: not yet */
	uint32_t *low; /* … the first one that it leads back to */
	uint32_t *edge; /* … the next of its edges to be looked at */
	uint32_t *component; /* … the number of its component */
	uint32_t *path; /* vertices being looked at */
	uint32_t *stack; /* vertices whose component is not known yet */
	uint32_t counter, ncomponents, npath, nstack;
};

/* The component is the top of the stack, from its root on. */
static void finish(struct tarjan *tarjan, uint32_t root)
{
	uint32_t first = tarjan->nstack, number = ++tarjan->ncomponents;

	do {
		invariant(first); /* the root is on the stack */
		first--;
		tarjan->component[tarjan->stack[first]] = number;
	} while (tarjan->stack[first] != root);
	tarjan->visit(tarjan->context, &(struct component){.vertices = tarjan->stack + first,
							   .count = tarjan->nstack - first,
							   .of = tarjan->component,
							   .number = number});
	tarjan->nstack = first;
}

static void find(struct tarjan *tarjan, uint32_t vertex)
{
	invariant(!tarjan->index[vertex] && tarjan->nstack < tarjan->graph->nvertices);
	tarjan->index[vertex] = tarjan->low[vertex] = ++tarjan->counter;
	tarjan->edge[vertex] = tarjan->graph->vertices[vertex].out;
	tarjan->path[tarjan->npath++] = vertex;
	tarjan->stack[tarjan->nstack++] = vertex;
}

static void lower(uint32_t *low, uint32_t value)
{
	if (value < *low)
		*low = value;
}

static void leave(struct tarjan *tarjan, uint32_t vertex)
{
	invariant(tarjan->low[vertex] <= tarjan->index[vertex]);
	tarjan->npath--;
	if (tarjan->low[vertex] == tarjan->index[vertex])
		finish(tarjan, vertex);
	if (tarjan->npath)
		lower(&tarjan->low[tarjan->path[tarjan->npath - 1]], tarjan->low[vertex]);
}

static void search_from(struct tarjan *tarjan, uint32_t start)
{
	find(tarjan, start);
	while (tarjan->npath) {
		uint32_t vertex = tarjan->path[tarjan->npath - 1], number = tarjan->edge[vertex];
		if (!number) {
			leave(tarjan, vertex);
			continue;
		}
		const struct edge *edge = &tarjan->graph->edges[number];
		tarjan->edge[vertex] = edge->next_out;
		if (edge->to == NO_VERTEX || !tarjan->counts(edge))
			continue;
		if (!tarjan->index[edge->to])
			find(tarjan, edge->to);
		else if (!tarjan->component[edge->to])
			lower(&tarjan->low[vertex], tarjan->index[edge->to]);
	}
}

void components_visit(const struct state_graph *graph, bool (*counts)(const struct edge *),
		      void (*visit)(void *, const struct component *), void *context)
{
	uint32_t n = graph->nvertices + 1, *memory = memory_new_clear(n, 6 * sizeof *memory);
	struct tarjan tarjan = {.graph = graph,
				.counts = counts,
				.visit = visit,
				.context = context,
				.index = memory,
				.low = memory + n,
				.edge = memory + 2 * (size_t)n,
				.component = memory + 3 * (size_t)n,
				.path = memory + 4 * (size_t)n,
				.stack = memory + 5 * (size_t)n};

	for (uint32_t i = 0; i < graph->nvertices; i++)
		if (!tarjan.index[i])
			search_from(&tarjan, i);
	invariant(!tarjan.nstack && !tarjan.npath && tarjan.counter == graph->nvertices);
	memory_free(memory);
}
