#include "search/stateful/plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "common/vector.h"
#include "search/stateful/cycles.h"

void state_plan_release(struct state_plan *plan)
{
	for (uint32_t i = 0; i < plan->nqueues; i++)
		vector_release(&plan->queues[i]);
	free(plan->queues);
	free(plan->path);
	free(plan->expected);
}

/* --- nodes with something to do --- */

static void need_queue(struct state_plan *plan, uint32_t depth)
{
	uint32_t old = plan->nqueues;

	plan->queues = array_grow(plan->queues, &plan->nqueues, depth + 1ull, sizeof *plan->queues);
	memset(plan->queues + old, 0, (plan->nqueues - old) * sizeof *plan->queues);
}

void state_plan_enqueue(struct state_plan *plan, struct state_graph *graph, uint32_t number)
{
	struct state_node *node = &graph->nodes[number];

	if (node->queued || !node_is_pending(node))
		return;
	node->queued = true;
	need_queue(plan, node->depth);
	struct state_queue *queue = &plan->queues[node->depth];
	vector_add(queue, number);
	if (node->depth < plan->first_queue)
		plan->first_queue = node->depth;
}

void state_plan_enqueue_all(struct state_plan *plan, struct state_graph *graph)
{
	for (uint32_t i = 0; i < graph->nnodes; i++)
		state_plan_enqueue(plan, graph, i);
}

void state_plan_renumber(struct state_plan *plan, struct state_graph *graph, const uint32_t *numbers)
{
	for (uint32_t i = 0; i < plan->npath; i++)
		plan->expected[i] = numbers[plan->expected[i]];
	for (uint32_t i = 0; i < plan->nqueues; i++)
		plan->queues[i].count = 0;
	for (uint32_t i = 0; i < graph->nnodes; i++)
		graph->nodes[i].queued = false;
	state_plan_enqueue_all(plan, graph);
}

/* What has nothing to do any more is taken out. */
static uint32_t last_of(struct state_queue *queue, struct state_graph *graph)
{
	for (; queue->count; queue->count--) {
		struct state_node *node = &graph->nodes[queue->items[queue->count - 1]];
		if (node_is_pending(node))
			return queue->items[queue->count - 1];
		node->queued = false;
	}
	return NO_NODE;
}

uint32_t state_plan_pick(struct state_plan *plan, struct state_graph *graph)
{
	uint32_t node = NO_NODE;

	while (plan->first_queue < plan->nqueues &&
	       (node = last_of(&plan->queues[plan->first_queue], graph)) == NO_NODE)
		plan->first_queue++;
	for (uint32_t i = plan->nqueues; plan->furthest_first && i-- > plan->first_queue;) {
		uint32_t further = last_of(&plan->queues[i], graph);
		if (further != NO_NODE)
			return further;
	}
	return node;
}

/* --- the path --- */

/* An outcome of a step from the node that was not taken. */
static struct step missing_outcome(const struct state_graph *graph, uint32_t node)
{
	for (uint32_t i = graph->nodes[node].out; i; i = graph->edges[i].next_out) {
		const struct state_edge *edge = &graph->edges[i];
		for (uint16_t choice = 0; choice < edge->choices; choice++)
			if (!graph_find_edge(graph, node, edge->thread, choice))
				return (struct step){.thread = edge->thread, .choice = choice};
	}
	invariant_failed("node.missing says that an outcome was not taken");
}

static void need_path(struct state_plan *plan, uint32_t length)
{
	uint32_t size = plan->path_size;

	plan->path = array_grow(plan->path, &size, length, sizeof *plan->path);
	plan->expected = array_grow(plan->expected, &plan->path_size, length, sizeof *plan->expected);
}

static void add_to_path(struct state_plan *plan, uint32_t node, struct step step)
{
	need_path(plan, plan->npath + 1);
	plan->expected[plan->npath] = node;
	plan->path[plan->npath++] = step;
}

/* To the node. */
static void set_path(struct state_plan *plan, const struct state_graph *graph, uint32_t node)
{
	uint32_t n = graph->nodes[node].depth;

	need_path(plan, n);
	plan->npath = n;
	while (n) {
		const struct state_edge *edge = &graph->edges[graph->nodes[node].parent];
		invariant(graph->nodes[node].parent && graph->nodes[node].depth == n);
		node = edge->from;
		plan->path[--n] = (struct step){.thread = edge->thread, .choice = edge->choice};
		plan->expected[n] = node;
	}
	invariant(!graph->nodes[node].parent); /* the beginning */
}

void state_plan_lead_on(struct state_plan *plan, const struct state_graph *graph, uint32_t node)
{
	uint64_t todo = node_todo(&graph->nodes[node]);

	invariant(node_is_pending(&graph->nodes[node]));
	set_path(plan, graph, node);
	add_to_path(plan, node,
		    todo ? (struct step){.thread = (uint8_t)__builtin_ctzll(todo)} : missing_outcome(graph, node));
}

bool state_plan_lead_round(struct state_plan *plan, const struct state_graph *graph)
{
	uint32_t count, *edges = cycles_find_livelock(graph, &count);

	if (!edges)
		return false;
	set_path(plan, graph, graph->edges[edges[0]].from);
	for (uint32_t i = 0; i < count; i++) {
		const struct state_edge *edge = &graph->edges[edges[i]];
		add_to_path(plan, edge->from, (struct step){.thread = edge->thread, .choice = edge->choice});
	}
	free(edges);
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
