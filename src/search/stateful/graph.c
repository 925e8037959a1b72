#define _GNU_SOURCE
#include "search/stateful/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/invariant.h"
#include "common/trouble.h"

enum { EDGES_PER_NODE = 3 }; /* of most programs */
enum { FIRST_SLOTS = 1024 };

static uint64_t bytes_per_node(void)
{
	return sizeof(struct state_node) + 2 * sizeof(struct state_slot) + EDGES_PER_NODE * sizeof(struct state_edge);
}

void graph_clear_table(struct state_graph *graph, uint32_t slots)
{
	struct channel *channel = graph->channel;

	if (madvise(channel->states, sizeof channel->states, MADV_REMOVE))
		failure("cannot clear the table of states: %s", strerror(errno));
	channel->state_slots = slots;
}

void graph_init(struct state_graph *graph, struct channel *channel, uint64_t bytes)
{
	uint64_t limit = bytes / bytes_per_node();

	*graph = (struct state_graph){.channel = channel, .nedges = 1};
	if (limit > MAX_STATE_SLOTS / 2)
		limit = MAX_STATE_SLOTS / 2;
	graph->limit = limit < 16 ? 16 : (uint32_t)limit;
	graph_clear_table(graph, FIRST_SLOTS);
}

void graph_release(struct state_graph *graph)
{
	free(graph->nodes);
	free(graph->edges);
	free(graph->steps);
	vector_release(&graph->unsettled);
	for (uint32_t i = 0; i < graph->exact_size; i++)
		free(graph->exact[i]);
	free(graph->exact);
	graph->channel->state_slots = 0;
}

uint64_t graph_bytes(const struct state_graph *graph)
{
	return graph->nnodes * (sizeof *graph->nodes + sizeof(struct state_slot)) +
	       graph->nedges * sizeof *graph->edges + graph->nsteps * sizeof *graph->steps;
}

static uint32_t find_slot(const struct state_graph *graph, struct state state)
{
	const struct state_slot *slots = graph->channel->states;
	uint32_t mask = graph->channel->state_slots - 1;
	uint64_t i = state.a;

	invariant(mask != UINT32_MAX && !(mask & (mask + 1)) && state_is_known(state));
	while (state_is_known(slots[i & mask].state) && !state_equal(slots[i & mask].state, state))
		i++;
	return (uint32_t)(i & mask);
}

/* Threads by which something can be reached that is left to explore. */
static uint64_t threads_to_open(const struct state_graph *graph, const struct state_node *node)
{
	uint64_t threads = 0;

	for (uint32_t i = node->nopen ? node->out : 0; i; i = graph->edges[i].next_out)
		if (graph->edges[i].to != NO_NODE && graph->nodes[graph->edges[i].to].open)
			threads |= 1ull << graph->edges[i].thread;
	return threads;
}

static void publish(const struct state_graph *graph, const struct state_node *node)
{
	struct state_slot *slot = &graph->channel->states[node->slot];

	slot->todo = node_todo(node);
	if (!slot->todo)
		slot->todo = threads_to_open(graph, node);
	slot->finished = !node->open;
}

void graph_enter(struct state_graph *graph, uint32_t number, struct state state)
{
	struct state_node *node = &graph->nodes[number];

	invariant(number < graph->nnodes);
	node->slot = find_slot(graph, state);
	graph->channel->states[node->slot] = (struct state_slot){.state = state, .node = number};
	publish(graph, node);
}

/* --- what is left to explore --- */

static uint32_t count_open(const struct state_graph *graph, const struct state_node *node)
{
	uint32_t count = 0;

	for (uint32_t i = node->out; i; i = graph->edges[i].next_out)
		count += graph->edges[i].to != NO_NODE && graph->nodes[graph->edges[i].to].open;
	return count;
}

static void change_open(struct state_graph *graph, uint32_t number, bool open)
{
	struct state_node *node = &graph->nodes[number];

	invariant(open != node->open);
	node->open = open;
	node->final &= !open;
	for (uint32_t i = node->in; i; i = graph->edges[i].next_in) {
		invariant(graph->edges[i].to == number);
		invariant(open || graph->nodes[graph->edges[i].from].nopen);
		graph->nodes[graph->edges[i].from].nopen += open ? 1u : -1u;
		vector_add(&graph->unsettled, graph->edges[i].from);
	}
}

void graph_settle(struct state_graph *graph, uint32_t number)
{
	invariant(number < graph->nnodes && !graph->unsettled.count);
	vector_add(&graph->unsettled, number);
	while (graph->unsettled.count) {
		uint32_t next = vector_pop(&graph->unsettled);
		const struct state_node *node = &graph->nodes[next];
		bool open = node_is_pending(node) || node->nopen;
		if (open != node->open)
			change_open(graph, next, open);
		publish(graph, node);
		debug_invariant(node->nopen == count_open(graph, node));
	}
}

static bool parent_is_valid(const struct state_graph *graph, uint32_t number)
{
	const struct state_node *node = &graph->nodes[number];
	const struct state_edge *edge = &graph->edges[node->parent];

	if (!node->parent)
		return true;
	return node->parent < graph->nedges && edge->to == number && node->depth == graph->nodes[edge->from].depth + 1;
}

bool graph_node_is_valid(const struct state_graph *graph, uint32_t number)
{
	const struct state_node *node = &graph->nodes[number];

	return !((node->wanted | node->taken) & ~node->enabled) && !(node->final && node->open) &&
	       node->slot < graph->channel->state_slots && graph->channel->states[node->slot].node == number &&
	       node->nopen == count_open(graph, node) && node->nsteps <= MAX_THREADS && parent_is_valid(graph, number);
}

bool graph_is_valid(const struct state_graph *graph)
{
	for (uint32_t i = 0; i < graph->nnodes; i++)
		if (!graph_node_is_valid(graph, i))
			return false;
	for (uint32_t i = 1; i < graph->nedges; i++) {
		const struct state_edge *edge = &graph->edges[i];
		if (edge->from >= graph->nnodes || (edge->to != NO_NODE && edge->to >= graph->nnodes) ||
		    (edge->next_out >= i) || (edge->forgotten && edge->to != NO_NODE))
			return false;
	}
	return true;
}

/* --- nodes --- */

/* A table that is much too large costs a page fault for each state, on both sides. */
static void enlarge_table(struct state_graph *graph)
{
	uint32_t slots = graph->channel->state_slots;
	struct state_slot *old = xmalloc(slots * sizeof *old);

	invariant(slots <= MAX_STATE_SLOTS / 4);
	memcpy(old, graph->channel->states, slots * sizeof *old);
	graph_clear_table(graph, 4 * slots);
	for (uint32_t i = 0; i < slots; i++)
		if (state_is_known(old[i].state))
			graph_enter(graph, old[i].node, old[i].state);
	free(old);
}

uint32_t graph_node(struct state_graph *graph, struct state state, uint64_t enabled)
{
	uint32_t place = find_slot(graph, state);
	struct state_slot *slot = &graph->channel->states[place];

	if (state_is_known(slot->state))
		return slot->node;
	if (graph->nnodes == graph->limit)
		return NO_NODE;
	if (2 * graph->nnodes >= graph->channel->state_slots && graph->channel->state_slots < MAX_STATE_SLOTS) {
		enlarge_table(graph);
		place = find_slot(graph, state);
		slot = &graph->channel->states[place];
	}
	graph->nodes = array_grow(graph->nodes, &graph->nodes_size, graph->nnodes + 1ull, sizeof *graph->nodes);
	graph->nodes[graph->nnodes] = (struct state_node){.enabled = enabled, .slot = place, .open = true};
	*slot = (struct state_slot){.state = state, .node = graph->nnodes};
	return graph->nnodes++;
}

uint32_t graph_find_node(const struct state_graph *graph, struct state state)
{
	const struct state_slot *slot = &graph->channel->states[find_slot(graph, state)];

	return state_is_known(slot->state) ? slot->node : NO_NODE;
}

bool graph_is_exact(struct state_graph *graph, uint32_t node, uint32_t event)
{
	const uint64_t *words = graph->channel->exact + graph->channel->exact_at[event];

	uint32_t before = graph->exact_size;

	graph->exact = array_grow(graph->exact, &graph->exact_size, node + 1ull, sizeof *graph->exact);
	memset(graph->exact + before, 0, (graph->exact_size - before) * sizeof *graph->exact);
	if (graph->exact[node])
		return !memcmp(graph->exact[node], words, *words * sizeof *words);
	graph->exact[node] = xmalloc(*words * sizeof *words);
	memcpy(graph->exact[node], words, *words * sizeof *words);
	return true;
}

uint32_t graph_find_edge(const struct state_graph *graph, uint32_t node, unsigned thread, unsigned choice)
{
	invariant(node < graph->nnodes);
	for (uint32_t i = graph->nodes[node].out; i; i = graph->edges[i].next_out)
		if (graph->edges[i].thread == thread && graph->edges[i].choice == choice)
			return i;
	return 0;
}

void graph_set_steps(struct state_graph *graph, uint32_t node, const uint16_t *labels, uint32_t count)
{
	graph->steps =
		array_grow(graph->steps, &graph->steps_size, graph->nsteps + (uint64_t)count, sizeof *graph->steps);
	invariant(node < graph->nnodes && count <= MAX_THREADS);
	graph->nodes[node].steps = graph->nsteps;
	graph->nodes[node].nsteps = (uint8_t)count;
	memcpy(graph->steps + graph->nsteps, labels, count * sizeof *labels);
	graph->nsteps += count;
}

void graph_lead(struct state_graph *graph, uint32_t number, uint32_t to)
{
	struct state_edge *edge = &graph->edges[number];

	invariant(number && number < graph->nedges && to < graph->nnodes);
	edge->forgotten = false;
	edge->to = to;
	edge->next_in = graph->nodes[to].in;
	graph->nodes[to].in = number;
	graph->nodes[edge->from].nopen += graph->nodes[to].open;
}

uint32_t graph_add_edge(struct state_graph *graph, struct state_edge edge)
{
	struct state_node *from = &graph->nodes[edge.from];
	uint32_t number = graph->nedges++;

	invariant(edge.from < graph->nnodes && edge.thread < MAX_THREADS);
	debug_invariant(!edge.choices || edge.choice < edge.choices);

	graph->edges = array_grow(graph->edges, &graph->edges_size, graph->nedges, sizeof *graph->edges);
	/* the first of several outcomes tells how many there are */
	if (!(from->taken >> edge.thread & 1) && edge.choices > 1) {
		from->missing += edge.choices - 1u;
	} else if (edge.choices > 1) {
		invariant(from->missing);
		from->missing--;
	}
	from->taken |= 1ull << edge.thread;
	edge.next_out = from->out;
	from->out = number;
	graph->edges[number] = edge;
	if (edge.to != NO_NODE)
		graph_lead(graph, number, edge.to);
	return number;
}
