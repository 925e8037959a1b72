#include "search/stateful/cycles.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "search/stateful/components.h"

static uint64_t bit(unsigned thread)
{
	return 1ull << thread;
}

/* --- nobody is put off for ever --- */

static bool every_edge(const struct edge *edge)
{
	(void)edge;
	return true;
}

struct completion {
	struct state_graph *graph;
	bool grown;
};

static void complete_component(void *context, const struct component *component)
{
	struct completion *completion = context;
	struct state_graph *graph = completion->graph;
	uint64_t enabled = 0, moved = 0;
	bool closed = true, cycle = false;

	for (uint32_t i = 0; i < component->count; i++) {
		const struct vertex *vertex = &graph->vertices[component->vertices[i]];
		enabled |= vertex->enabled;
		for (uint32_t k = vertex->out; k; k = graph->edges[k].next_out) {
			bool inside = component_has(component, graph->edges[k].to);
			closed &= inside;
			cycle |= inside;
			moved |= bit(graph->edges[k].thread);
		}
	}
	for (uint32_t i = 0; closed && cycle && i < component->count; i++) {
		struct vertex *vertex = &graph->vertices[component->vertices[i]];
		uint64_t forgotten = enabled & ~moved & vertex->enabled & ~vertex->wanted;
		if (!forgotten)
			continue;
		invariant(!(forgotten & vertex->taken));
		vertex->wanted |= forgotten;
		graph_settle(graph, component->vertices[i]);
		moved |= forgotten; /* one place will do */
		completion->grown = true;
	}
}

bool cycles_complete(struct state_graph *graph)
{
	struct completion completion = {.graph = graph};

	components_visit(graph, every_edge, complete_component, &completion);
	return completion.grown;
}

/* --- livelocks --- */

static bool leads_nowhere(const struct edge *edge)
{
	return !edge->progress;
}

struct livelock {
	const struct state_graph *graph;
	VECTOR(uint32_t) edges;
	uint32_t *from; /* per vertex: the edge by which it was reached, in reach() */
	uint32_t *queue;
	bool by_any_edge; /* or only by those that lead nowhere */
	bool found;
};

/* What a way through the component is to come to. */
struct goal {
	uint32_t vertex; /* or NO_VERTEX: the first edge by `thread` */
	unsigned thread;
	bool attempt; /* … that tries in vain */
};

static bool is_goal(const struct edge *edge, const struct goal *goal)
{
	if (goal->vertex != NO_VERTEX)
		return edge->to == goal->vertex;
	return edge->thread == goal->thread && (edge->attempt || !goal->attempt);
}

static void add_way(struct livelock *livelock, uint32_t start, uint32_t last)
{
	const struct state_graph *graph = livelock->graph;
	uint32_t length = 1, at;

	invariant(last && last < graph->nedges);
	for (at = graph->edges[last].from; at != start; at = graph->edges[livelock->from[at]].from)
		length++;
	vector_need(&livelock->edges, livelock->edges.count + (uint64_t)length);
	livelock->edges.count += length;
	for (uint32_t end = livelock->edges.count; length--; last = livelock->from[graph->edges[last].from])
		livelock->edges.items[--end] = last;
}

/* Go on, inside the component and by edges that lead nowhere, until the goal; where that is. */
static uint32_t go_to(struct livelock *livelock, const struct component *component, uint32_t start,
		      const struct goal *goal)
{
	const struct state_graph *graph = livelock->graph;
	uint32_t first = 0, end = 0;

	for (uint32_t i = 0; i < component->count; i++)
		livelock->from[component->vertices[i]] = 0;
	invariant(component_has(component, start));
	livelock->queue[end++] = start;
	while (first < end) {
		uint32_t vertex = livelock->queue[first++];
		for (uint32_t k = graph->vertices[vertex].out; k; k = graph->edges[k].next_out) {
			const struct edge *edge = &graph->edges[k];
			if ((edge->progress && !livelock->by_any_edge) || !component_has(component, edge->to))
				continue;
			if (is_goal(edge, goal)) {
				add_way(livelock, start, k);
				return edge->to;
			}
			if (edge->to == start || livelock->from[edge->to])
				continue;
			livelock->from[edge->to] = k;
			livelock->queue[end++] = edge->to;
		}
	}
	invariant_failed("from each vertex of a component there is a way to each other");
}

static void consider_component(void *context, const struct component *component)
{
	struct livelock *livelock = context;
	const struct state_graph *graph = livelock->graph;
	uint64_t enabled = 0, moved = 0, tried = 0;
	uint32_t start = component->vertices[0];
	bool closed = true, late = false;

	for (uint32_t i = 0; i < component->count && !livelock->found; i++) {
		const struct vertex *vertex = &graph->vertices[component->vertices[i]];
		enabled |= vertex->enabled;
		late |= vertex->late;
		if (vertex->depth < graph->vertices[start].depth)
			start = component->vertices[i];
		for (uint32_t k = vertex->out; k; k = graph->edges[k].next_out) {
			const struct edge *edge = &graph->edges[k];
			if (edge->progress || !component_has(component, edge->to)) {
				closed = false;
				continue;
			}
			moved |= bit(edge->thread);
			tried |= edge->attempt ? bit(edge->thread) : 0;
		}
	}
	if (livelock->found || !moved || enabled & ~moved || (moved & ~tried && !closed) || late)
		return;
	livelock->found = true;
	uint32_t at = start;
	for (uint64_t left = moved; left; left &= left - 1)
		at = go_to(livelock, component, at,
			   &(struct goal){.vertex = NO_VERTEX,
					  .thread = (unsigned)__builtin_ctzll(left),
					  .attempt = (tried & left & -left) != 0});
	if (at != start)
		go_to(livelock, component, at, &(struct goal){.vertex = start});
}

/* --- what never ends --- */

/* Of a component: who moves in it, if it has a cycle and no move leads out of it; else nobody. */
static uint64_t movers_for_ever(const struct state_graph *graph, const struct component *component)
{
	uint64_t moved = 0;

	for (uint32_t i = 0; i < component->count; i++) {
		const struct vertex *vertex = &graph->vertices[component->vertices[i]];
		for (uint32_t k = vertex->out; k; k = graph->edges[k].next_out) {
			if (!component_has(component, graph->edges[k].to))
				return 0;
			moved |= bit(graph->edges[k].thread);
		}
	}
	return moved;
}

/* One thread alone, which comes back to the same state: whatever it writes, nobody is there to end that. */
static void consider_lonely(void *context, const struct component *component)
{
	struct livelock *livelock = context;
	uint64_t moved = livelock->found ? 0 : movers_for_ever(livelock->graph, component);

	if (!moved || moved & (moved - 1))
		return;
	livelock->found = true;
	go_to(livelock, component, component->vertices[0], &(struct goal){.vertex = component->vertices[0]});
}

struct endless {
	const struct state_graph *graph;
	bool *ends; /* per vertex: some way from there comes to an end of the process */
	bool found;
};

/* Does a move lead to an end, or to where one is known; or is it not known any more where it leads? */
static bool edge_ends(const struct endless *endless, const struct edge *edge)
{
	if (edge->to == NO_VERTEX)
		return !edge->spun;
	return edge->forgotten || endless->ends[edge->to];
}

static bool vertex_ends(const struct endless *endless, uint32_t vertex)
{
	const struct state_graph *graph = endless->graph;

	for (uint32_t k = graph->vertices[vertex].out; k; k = graph->edges[k].next_out)
		if (edge_ends(endless, &graph->edges[k]))
			return true;
	return false;
}

/* Back from the ends, along the moves. */
static void find_ends(struct endless *endless)
{
	const struct state_graph *graph = endless->graph;
	uint32_t *queue = memory_new_clear(graph->nvertices + 1, sizeof *queue), first = 0, end = 0;

	for (uint32_t i = 0; i < graph->nvertices; i++)
		if (vertex_ends(endless, i)) {
			endless->ends[i] = true;
			queue[end++] = i;
		}
	while (first < end) {
		for (uint32_t k = graph->vertices[queue[first++]].in; k; k = graph->edges[k].next_in) {
			uint32_t from = graph->edges[k].from;
			if (endless->ends[from])
				continue;
			endless->ends[from] = true;
			queue[end++] = from;
		}
	}
	memory_free(queue);
}

/* A way round from which no other leads to an end.  Who was left behind in a loop (EV_SPIN) has no end there, either. */
static void consider_endless(void *context, const struct component *component)
{
	struct endless *endless = context;
	const struct state_graph *graph = endless->graph;
	const struct vertex *vertex = &graph->vertices[component->vertices[0]];

	if (endless->ends[component->vertices[0]])
		return;
	for (uint32_t k = vertex->out; k; k = graph->edges[k].next_out)
		endless->found |= component_has(component, graph->edges[k].to);
}

bool cycles_never_end(const struct state_graph *graph)
{
	struct endless endless = {.graph = graph, .ends = memory_new_clear(graph->nvertices + 1, sizeof *endless.ends)};

	find_ends(&endless);
	components_visit(graph, every_edge, consider_endless, &endless);
	memory_free(endless.ends);
	return endless.found;
}

/* Each edge begins where the one before it ends, and the first where the last one ends. */
static bool is_round(const struct state_graph *graph, const uint32_t *edges, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (graph->edges[edges[i]].to != graph->edges[edges[(i + 1) % count]].from)
			return false;
	return count;
}

uint32_t *cycles_find_livelock(const struct state_graph *graph, uint32_t *count)
{
	struct livelock livelock = {.graph = graph,
				    .from = memory_new_clear(graph->nvertices + 1, sizeof *livelock.from),
				    .queue = memory_new_clear(graph->nvertices + 1, sizeof *livelock.queue)};

	components_visit(graph, leads_nowhere, consider_component, &livelock);
	livelock.by_any_edge = true;
	if (!livelock.found && !graph->spun)
		components_visit(graph, every_edge, consider_lonely, &livelock);
	memory_free(livelock.from);
	memory_free(livelock.queue);
	debug_invariant(!livelock.found || is_round(graph, livelock.edges.items, livelock.edges.count));
	*count = livelock.edges.count;
	return livelock.edges.items;
}
