/*
 * Forgetting states when there are too many.
 *
 * Only final vertices are forgotten: all that can follow from them was explored, and is remembered in the labels.  Nothing that
 * is left to explore is reached through them.  If an execution comes to such a state again, it is a new one, and
 * what follows from it is explored once more, as by a search without states.
 */
#include "search/stateful/graph.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"

/* The least depth of final vertices such that no more than `most` vertices are left if those and deeper ones are forgotten. */
static uint32_t find_depth(const struct state_graph *graph, uint32_t most)
{
	uint32_t deepest = 0, left = graph->nvertices, depth;

	for (uint32_t i = 0; i < graph->nvertices; i++)
		if (graph->vertices[i].depth > deepest)
			deepest = graph->vertices[i].depth;
	uint32_t *count = memory_new_clear(deepest + 1ul, sizeof *count);
	for (uint32_t i = 0; i < graph->nvertices; i++)
		count[graph->vertices[i].depth] += graph->vertices[i].final;
	for (depth = deepest + 1; depth && left > most; depth--)
		left -= count[depth - 1];
	invariant(left <= graph->nvertices);
	memory_free(count);
	return depth;
}

/* The vertex stays, and so do those by which it was reached: it may be that something is to be done there again. */
static void keep(const struct state_graph *graph, uint32_t *numbers, uint32_t vertex)
{
	while (numbers[vertex] == NO_VERTEX) {
		numbers[vertex] = 0;
		invariant(graph->vertices[vertex].parent || !graph->vertices[vertex].depth);
		if (!graph->vertices[vertex].parent)
			return;
		vertex = graph->edges[graph->vertices[vertex].parent].from;
	}
}

/* New numbers for those that stay. */
static uint32_t *number_vertices(const struct state_graph *graph, uint32_t depth)
{
	uint32_t *numbers = memory_new((graph->nvertices + 1ul) * sizeof *numbers), n = 0;

	for (uint32_t i = 0; i < graph->nvertices; i++)
		numbers[i] = NO_VERTEX;
	for (uint32_t i = 0; i < graph->nvertices; i++)
		if (!graph->vertices[i].final || graph->vertices[i].depth < depth)
			keep(graph, numbers, i);
	for (uint32_t i = 0; i < graph->nvertices; i++)
		numbers[i] = numbers[i] == NO_VERTEX ? NO_VERTEX : n++;
	return numbers;
}

/* Edges from vertices that stay keep their order; `numbers` are those of vertices, and what is returned those of edges. */
static uint32_t *keep_edges(struct state_graph *graph, const uint32_t *numbers)
{
	uint32_t *edges = memory_new_clear(graph->nedges, sizeof *edges), n = 1;

	for (uint32_t i = 1; i < graph->nedges; i++) {
		struct edge edge = graph->edges[i];
		if (numbers[edge.from] == NO_VERTEX)
			continue;
		invariant(n <= i && edge.next_out < i); /* older ones have their new number already */
		edge.from = numbers[edge.from];
		if (edge.to != NO_VERTEX) {
			edge.to = numbers[edge.to];
			edge.forgotten = edge.to == NO_VERTEX;
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
static void keep_moves(struct state_graph *graph, struct vertex *vertex, uint16_t *moves)
{
	memcpy(moves + graph->nmoves, graph->moves + vertex->moves, vertex->nmoves * sizeof *moves);
	vertex->moves = graph->nmoves;
	graph->nmoves += vertex->nmoves;
	invariant(graph->nmoves <= graph->moves_size);
}

static void keep_exact(struct state_graph *graph, uint32_t old, uint32_t number)
{
	if (old >= graph->exact_size)
		return;
	uint64_t *words = graph->exact[old];
	graph->exact[old] = NULL;
	if (number == NO_VERTEX)
		memory_free(words);
	else
		graph->exact[number] = words;
}

/* New numbers are never larger than old ones: nothing is overwritten that is still to be moved. */
static void keep_vertices(struct state_graph *graph, const uint32_t *numbers, const uint32_t *edges)
{
	uint16_t *moves = memory_new((graph->moves_size + 1ul) * sizeof *moves);
	uint32_t n = 0;

	graph->nmoves = 0;
	for (uint32_t i = 0; i < graph->nvertices; i++) {
		struct vertex vertex = graph->vertices[i];
		keep_exact(graph, i, numbers[i]);
		if (numbers[i] == NO_VERTEX)
			continue;
		vertex.out = edges[vertex.out];
		vertex.parent = edges[vertex.parent];
		vertex.in = 0;
		invariant(numbers[i] == n && n <= i);
		keep_moves(graph, &vertex, moves);
		graph->vertices[n++] = vertex;
	}
	graph->nvertices = n;
	memory_free(graph->moves);
	graph->moves = moves;
}

uint32_t *graph_forget(struct state_graph *graph)
{
	uint32_t *numbers = number_vertices(graph, find_depth(graph, graph->limit / 2));
	struct state *states = memory_new((graph->nvertices + 1ul) * sizeof *states);
	uint32_t before = graph->nvertices;

	for (uint32_t i = 0; i < before; i++)
		states[i] = graph->channel->states[graph->vertices[i].slot].state;
	uint32_t *edges = keep_edges(graph, numbers);
	keep_vertices(graph, numbers, edges);
	memory_free(edges);
	for (uint32_t i = 1; i < graph->nedges; i++) {
		struct edge *edge = &graph->edges[i];
		if (edge->to == NO_VERTEX)
			continue;
		edge->next_in = graph->vertices[edge->to].in;
		graph->vertices[edge->to].in = i;
	}
	graph_clear_table(graph, graph->channel->state_slots);
	for (uint32_t i = 0; i < before; i++)
		if (numbers[i] != NO_VERTEX)
			graph_enter(graph, numbers[i], states[i]);
	memory_free(states);
	graph->forgotten += before - graph->nvertices;
	slow_invariant(graph_is_valid(graph));
	return numbers;
}
