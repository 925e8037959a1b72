#include "explore/components.h"

#include <stdlib.h>

#include "common/trouble.h"

/* Tarjan's algorithm (1972), without recursion. */
struct search_state {
	struct state_graph *graph;
	uint32_t *index; /* per node: when it was found, from 1; 0: not yet */
	uint32_t *low; /* … the first one that it leads back to */
	uint32_t *edge; /* … the next of its edges to be looked at */
	uint32_t *path; /* nodes being looked at */
	uint32_t *stack; /* nodes whose component is not known yet */
	bool *on_stack;
	uint32_t counter, npath, nstack;
	bool grown;
};

/* The component is the top of the stack, from its root on. */
static void finish(struct search_state *state, uint32_t root)
{
	struct state_graph *graph = state->graph;
	uint32_t first = state->nstack;
	uint64_t enabled = 0, moved = 0;
	bool closed = true, cycle = false;

	while (state->stack[--first] != root)
		;
	for (uint32_t i = first; i < state->nstack; i++) {
		const struct state_node *node = &graph->nodes[state->stack[i]];
		enabled |= node->enabled;
		for (uint32_t k = node->out; k; k = graph->edges[k].next_out) {
			uint32_t to = graph->edges[k].to;
			bool inside = to != NO_NODE && state->on_stack[to] && state->index[to] >= state->index[root];
			closed &= inside;
			cycle |= inside;
			moved |= 1ull << graph->edges[k].thread;
		}
	}
	for (uint32_t i = first; i < state->nstack; i++) {
		struct state_node *node = &graph->nodes[state->stack[i]];
		uint64_t forgotten = enabled & ~moved & node->enabled & ~node->wanted;
		if (closed && cycle && forgotten) {
			node->wanted |= forgotten;
			graph_publish(graph, state->stack[i]);
			state->grown = true;
			moved |= forgotten; /* one place will do */
		}
	}
	for (uint32_t i = first; i < state->nstack; i++)
		state->on_stack[state->stack[i]] = false;
	state->nstack = first;
}

static void find(struct search_state *state, uint32_t node)
{
	state->index[node] = state->low[node] = ++state->counter;
	state->edge[node] = state->graph->nodes[node].out;
	state->path[state->npath++] = node;
	state->stack[state->nstack++] = node;
	state->on_stack[node] = true;
}

static void lower(uint32_t *low, uint32_t value)
{
	if (value < *low)
		*low = value;
}

static void search_from(struct search_state *state, uint32_t start)
{
	find(state, start);
	while (state->npath) {
		uint32_t node = state->path[state->npath - 1], edge = state->edge[node];
		if (!edge) {
			state->npath--;
			if (state->low[node] == state->index[node])
				finish(state, node);
			if (state->npath)
				lower(&state->low[state->path[state->npath - 1]], state->low[node]);
			continue;
		}
		uint32_t to = state->graph->edges[edge].to;
		state->edge[node] = state->graph->edges[edge].next_out;
		if (to == NO_NODE)
			continue;
		if (!state->index[to])
			find(state, to);
		else if (state->on_stack[to])
			lower(&state->low[node], state->index[to]);
	}
}

bool components_complete(struct state_graph *graph)
{
	uint32_t n = graph->nnodes + 1;
	struct search_state state = {.graph = graph,
				     .index = xcalloc(n, sizeof *state.index),
				     .low = xcalloc(n, sizeof *state.low),
				     .edge = xcalloc(n, sizeof *state.edge),
				     .path = xcalloc(n, sizeof *state.path),
				     .stack = xcalloc(n, sizeof *state.stack),
				     .on_stack = xcalloc(n, sizeof *state.on_stack)};

	for (uint32_t i = 0; i < graph->nnodes; i++)
		if (!state.index[i])
			search_from(&state, i);
	free(state.index);
	free(state.low);
	free(state.edge);
	free(state.path);
	free(state.stack);
	free(state.on_stack);
	return state.grown;
}
