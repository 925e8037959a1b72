#include "search/stateful/plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "search/stateful/cycles.h"

void state_plan_release(struct state_plan *plan)
{
	for (uint32_t i = 0; i < plan->nqueues; i++)
		vector_release(&plan->queues[i]);
	memory_free(plan->queues);
	memory_free(plan->path);
	memory_free(plan->expected);
}

/* --- vertices with something to do --- */

static void need_queue(struct state_plan *plan, uint32_t depth)
{
	uint32_t old = plan->nqueues;

	plan->queues = array_grow(plan->queues, &plan->nqueues, depth + 1ull, sizeof *plan->queues);
	memset(plan->queues + old, 0, (plan->nqueues - old) * sizeof *plan->queues);
}

void state_plan_enqueue(struct state_plan *plan, struct state_graph *graph, uint32_t number)
{
	struct vertex *vertex = &graph->vertices[number];

	if (vertex->queued || !vertex_is_pending(vertex))
		return;
	vertex->queued = true;
	need_queue(plan, vertex->depth);
	struct state_queue *queue = &plan->queues[vertex->depth];
	vector_add(queue, number);
	if (vertex->depth < plan->first_queue)
		plan->first_queue = vertex->depth;
}

void state_plan_enqueue_all(struct state_plan *plan, struct state_graph *graph)
{
	for (uint32_t i = 0; i < graph->nvertices; i++)
		state_plan_enqueue(plan, graph, i);
}

void state_plan_renumber(struct state_plan *plan, struct state_graph *graph, const uint32_t *numbers)
{
	for (uint32_t i = 0; i < plan->npath; i++)
		plan->expected[i] = numbers[plan->expected[i]];
	for (uint32_t i = 0; i < plan->nqueues; i++)
		plan->queues[i].count = 0;
	for (uint32_t i = 0; i < graph->nvertices; i++)
		graph->vertices[i].queued = false;
	state_plan_enqueue_all(plan, graph);
}

/* What has nothing to do any more is taken out. */
static uint32_t last_of(struct state_queue *queue, struct state_graph *graph)
{
	for (; queue->count; queue->count--) {
		struct vertex *vertex = &graph->vertices[queue->items[queue->count - 1]];
		if (vertex_is_pending(vertex))
			return queue->items[queue->count - 1];
		vertex->queued = false;
	}
	return NO_VERTEX;
}

uint32_t state_plan_pick(struct state_plan *plan, struct state_graph *graph)
{
	uint32_t vertex = NO_VERTEX;

	while (plan->first_queue < plan->nqueues &&
	       (vertex = last_of(&plan->queues[plan->first_queue], graph)) == NO_VERTEX)
		plan->first_queue++;
	for (uint32_t i = plan->nqueues; plan->furthest_first && i-- > plan->first_queue;) {
		uint32_t further = last_of(&plan->queues[i], graph);
		if (further != NO_VERTEX)
			return further;
	}
	return vertex;
}

/* --- the path --- */

/* An outcome of a step from the vertex that was not taken. */
static struct step missing_outcome(const struct state_graph *graph, uint32_t vertex)
{
	for (uint32_t i = graph->vertices[vertex].out; i; i = graph->edges[i].next_out) {
		const struct edge *edge = &graph->edges[i];
		for (uint16_t choice = 0; choice < edge->choices; choice++)
			if (!graph_find_edge(graph, vertex, edge->thread, choice))
				return (struct step){.thread = edge->thread, .choice = choice};
	}
	invariant_failed("vertex.missing says that an outcome was not taken");
}

static void need_path(struct state_plan *plan, uint32_t length)
{
	uint32_t size = plan->path_size;

	plan->path = array_grow(plan->path, &size, length, sizeof *plan->path);
	plan->expected = array_grow(plan->expected, &plan->path_size, length, sizeof *plan->expected);
}

static void add_to_path(struct state_plan *plan, uint32_t vertex, struct step step)
{
	need_path(plan, plan->npath + 1);
	plan->expected[plan->npath] = vertex;
	plan->path[plan->npath++] = step;
}

/* To the vertex. */
static void set_path(struct state_plan *plan, const struct state_graph *graph, uint32_t vertex)
{
	uint32_t n = graph->vertices[vertex].depth;

	need_path(plan, n);
	plan->npath = n;
	while (n) {
		const struct edge *edge = &graph->edges[graph->vertices[vertex].parent];
		invariant(graph->vertices[vertex].parent && graph->vertices[vertex].depth == n);
		vertex = edge->from;
		plan->path[--n] = (struct step){.thread = edge->thread, .choice = edge->choice};
		plan->expected[n] = vertex;
	}
	invariant(!graph->vertices[vertex].parent); /* the beginning */
}

void state_plan_lead_on(struct state_plan *plan, const struct state_graph *graph, uint32_t vertex)
{
	uint64_t todo = vertex_todo(&graph->vertices[vertex]);

	invariant(vertex_is_pending(&graph->vertices[vertex]));
	set_path(plan, graph, vertex);
	add_to_path(plan, vertex,
		    todo ? (struct step){.thread = (uint8_t)__builtin_ctzll(todo)} : missing_outcome(graph, vertex));
}

bool state_plan_lead_round(struct state_plan *plan, const struct state_graph *graph)
{
	uint32_t count, *edges = cycles_find_livelock(graph, &count);

	if (!edges)
		return false;
	set_path(plan, graph, graph->edges[edges[0]].from);
	for (uint32_t i = 0; i < count; i++) {
		const struct edge *edge = &graph->edges[edges[i]];
		add_to_path(plan, edge->from, (struct step){.thread = edge->thread, .choice = edge->choice});
	}
	memory_free(edges);
	return true;
}

/* --- the last execution --- */

void turns_take(struct turns *turns, const struct trace *trace, uint32_t from)
{
	vector_need(turns, trace->nevents);
	invariant(from <= turns->count || !turns->count);
	for (uint32_t i = from; i < trace->nevents; i++)
		turns->items[i] = (struct turn){.step = event_step(&trace->events[i]),
						.decision = event_is_decision(&trace->events[i])};
	turns->count = trace->nevents;
}

void turns_release(struct turns *turns)
{
	vector_release(turns);
}

static uint32_t last_decision(const struct turns *turns)
{
	uint32_t i = turns->count - 1;

	invariant(turns->count);
	while (!turns->items[i].decision) {
		invariant(i); /* something was decided, or nothing would be left to do */
		i--;
	}
	return i;
}

/* Keep of the last execution what the path begins with, then the rest of the path. */
void state_plan_write(const struct state_plan *path, const struct turns *turns, struct plan *plan)
{
	uint32_t decision = 0, i, last = last_decision(turns);

	invariant(path->npath);
	for (i = 0; i < last; i++) {
		if (!turns->items[i].decision)
			continue;
		if (decision + 1 == path->npath || !steps_are_same(path->path[decision], turns->items[i].step))
			break;
		decision++;
	}
	plan_cut(plan, 0);
	for (uint32_t k = 0; k < i; k++)
		plan_add(plan, turns->items[k].step);
	plan_add(plan, path->path[decision]);
	for (decision++; decision < path->npath; decision++)
		plan_add_guide(plan, path->path[decision]);
}
