/*
 * Forgetting states when there are too many.
 *
 * Only final nodes are forgotten: all that can follow from them was explored, and is remembered in the labels.  Nothing that
 * is left to explore is reached through them.  If an execution comes to such a state again, it is a new one, and
 * what follows from it is explored once more, as by a search without states.
 */
#include "search/stateful/graph.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"

/* The least depth of final nodes such that no more than `most` nodes are left if those and deeper ones are forgotten. */
static uint32_t find_depth(const struct state_graph *graph, uint32_t most)
{
	uint32_t deepest = 0, left = graph->nnodes, depth;

	for (uint32_t i = 0; i < graph->nnodes; i++)
		if (graph->nodes[i].depth > deepest)
			deepest = graph->nodes[i].depth;
	uint32_t *count = xcalloc(deepest + 1ul, sizeof *count);
	for (uint32_t i = 0; i < graph->nnodes; i++)
		count[graph->nodes[i].depth] += graph->nodes[i].final;
	for (depth = deepest + 1; depth && left > most; depth--)
		left -= count[depth - 1];
	invariant(left <= graph->nnodes);
	free(count);
	return depth;
}

/* The node stays, and so do those by which it was reached: it may be that something is to be done there again. */
static void keep(const struct state_graph *graph, uint32_t *numbers, uint32_t node)
{
	while (numbers[node] == NO_NODE) {
		numbers[node] = 0;
		invariant(graph->nodes[node].parent || !graph->nodes[node].depth);
		if (!graph->nodes[node].parent)
			return;
		node = graph->edges[graph->nodes[node].parent].from;
	}
}

/* New numbers for those that stay. */
static uint32_t *number_nodes(const struct state_graph *graph, uint32_t depth)
{
	uint32_t *numbers = xmalloc((graph->nnodes + 1ul) * sizeof *numbers), n = 0;

	for (uint32_t i = 0; i < graph->nnodes; i++)
		numbers[i] = NO_NODE;
	for (uint32_t i = 0; i < graph->nnodes; i++)
		if (!graph->nodes[i].final || graph->nodes[i].depth < depth)
			keep(graph, numbers, i);
	for (uint32_t i = 0; i < graph->nnodes; i++)
		numbers[i] = numbers[i] == NO_NODE ? NO_NODE : n++;
	return numbers;
}

/* Edges from nodes that stay keep their order; `numbers` are those of nodes, and what is returned those of edges. */
static uint32_t *keep_edges(struct state_graph *graph, const uint32_t *numbers)
{
	uint32_t *edges = xcalloc(graph->nedges, sizeof *edges), n = 1;

	for (uint32_t i = 1; i < graph->nedges; i++) {
		struct state_edge edge = graph->edges[i];
		if (numbers[edge.from] == NO_NODE)
			continue;
		invariant(n <= i && edge.next_out < i); /* older ones have their new number already */
		edge.from = numbers[edge.from];
		if (edge.to != NO_NODE) {
			edge.to = numbers[edge.to];
			edge.forgotten = edge.to == NO_NODE;
		}
		edges[i] = n;
		graph->edges[n++] = edge;
	}
	graph->nedges = n;
	for (uint32_t i = 1; i < n; i++)
		graph->edges[i].next_out = edges[graph->edges[i].next_out];
	return edges;
}

/* What threads do next, into an array that has room for all of it. */
static void keep_steps(struct state_graph *graph, struct state_node *node, uint16_t *steps)
{
	memcpy(steps + graph->nsteps, graph->steps + node->steps, node->nsteps * sizeof *steps);
	node->steps = graph->nsteps;
	graph->nsteps += node->nsteps;
	invariant(graph->nsteps <= graph->steps_size);
}

static void keep_exact(struct state_graph *graph, uint32_t old, uint32_t number)
{
	if (old >= graph->exact_size)
		return;
	uint64_t *words = graph->exact[old];
	graph->exact[old] = NULL;
	if (number == NO_NODE)
		free(words);
	else
		graph->exact[number] = words;
}

/* New numbers are never larger than old ones: nothing is overwritten that is still to be moved. */
static void keep_nodes(struct state_graph *graph, const uint32_t *numbers, const uint32_t *edges)
{
	uint16_t *steps = xmalloc((graph->steps_size + 1ul) * sizeof *steps);
	uint32_t n = 0;

	graph->nsteps = 0;
	for (uint32_t i = 0; i < graph->nnodes; i++) {
		struct state_node node = graph->nodes[i];
		keep_exact(graph, i, numbers[i]);
		if (numbers[i] == NO_NODE)
			continue;
		node.out = edges[node.out];
		node.parent = edges[node.parent];
		node.in = 0;
		invariant(numbers[i] == n && n <= i);
		keep_steps(graph, &node, steps);
		graph->nodes[n++] = node;
	}
	graph->nnodes = n;
	free(graph->steps);
	graph->steps = steps;
}

uint32_t *graph_forget(struct state_graph *graph)
{
	uint32_t *numbers = number_nodes(graph, find_depth(graph, graph->limit / 2));
	struct state *states = xmalloc((graph->nnodes + 1ul) * sizeof *states);
	uint32_t before = graph->nnodes;

	for (uint32_t i = 0; i < before; i++)
		states[i] = graph->channel->states[graph->nodes[i].slot].state;
	uint32_t *edges = keep_edges(graph, numbers);
	keep_nodes(graph, numbers, edges);
	free(edges);
	for (uint32_t i = 1; i < graph->nedges; i++) {
		struct state_edge *edge = &graph->edges[i];
		if (edge->to == NO_NODE)
			continue;
		edge->next_in = graph->nodes[edge->to].in;
		graph->nodes[edge->to].in = i;
	}
	graph_clear_table(graph, graph->channel->state_slots);
	for (uint32_t i = 0; i < before; i++)
		if (numbers[i] != NO_NODE)
			graph_enter(graph, numbers[i], states[i]);
	free(states);
	graph->forgotten += before - graph->nnodes;
	slow_invariant(graph_is_valid(graph));
	return numbers;
}
