#define _GNU_SOURCE
#include "search/stateful/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"

enum { EDGES_PER_VERTEX = 3 }; /* of most programs */
enum { FIRST_SLOTS = 1024 };

static uint64_t bytes_per_vertex(void)
{
	return sizeof(struct vertex) + 2 * sizeof(struct state_slot) + EDGES_PER_VERTEX * sizeof(struct edge);
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
	uint64_t limit = bytes / bytes_per_vertex();

	*graph = (struct state_graph){.channel = channel, .nedges = 1};
	if (limit > MAX_STATE_SLOTS / 2)
		limit = MAX_STATE_SLOTS / 2;
	graph->limit = limit < 16 ? 16 : (uint32_t)limit;
	graph_clear_table(graph, FIRST_SLOTS);
}

void graph_release(struct state_graph *graph)
{
	memory_free(graph->vertices);
	memory_free(graph->edges);
	memory_free(graph->moves);
	vector_release(&graph->unsettled);
	for (uint32_t i = 0; i < graph->exact_size; i++)
		memory_free(graph->exact[i]);
	memory_free(graph->exact);
	graph->channel->state_slots = 0;
}

uint64_t graph_bytes(const struct state_graph *graph)
{
	return graph->nvertices * (sizeof *graph->vertices + sizeof(struct state_slot)) +
	       graph->nedges * sizeof *graph->edges + graph->nmoves * sizeof *graph->moves;
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
static uint64_t threads_to_open(const struct state_graph *graph, const struct vertex *vertex)
{
	uint64_t threads = 0;

	for (uint32_t i = vertex->nopen ? vertex->out : 0; i; i = graph->edges[i].next_out)
		if (graph->edges[i].to != NO_VERTEX && graph->vertices[graph->edges[i].to].open)
			threads |= 1ull << graph->edges[i].thread;
	return threads;
}

static void publish(const struct state_graph *graph, const struct vertex *vertex)
{
	struct state_slot *slot = &graph->channel->states[vertex->slot];

	slot->todo = vertex_todo(vertex);
	if (!slot->todo)
		slot->todo = threads_to_open(graph, vertex);
	slot->finished = !vertex->open;
}

void graph_enter(struct state_graph *graph, uint32_t number, struct state state)
{
	struct vertex *vertex = &graph->vertices[number];

	invariant(number < graph->nvertices);
	vertex->slot = find_slot(graph, state);
	graph->channel->states[vertex->slot] = (struct state_slot){.state = state, .node = number};
	publish(graph, vertex);
}

/* --- what is left to explore --- */

static uint32_t count_open(const struct state_graph *graph, const struct vertex *vertex)
{
	uint32_t count = 0;

	for (uint32_t i = vertex->out; i; i = graph->edges[i].next_out)
		count += graph->edges[i].to != NO_VERTEX && graph->vertices[graph->edges[i].to].open;
	return count;
}

static void change_open(struct state_graph *graph, uint32_t number, bool open)
{
	struct vertex *vertex = &graph->vertices[number];

	invariant(open != vertex->open);
	vertex->open = open;
	vertex->final &= !open;
	for (uint32_t i = vertex->in; i; i = graph->edges[i].next_in) {
		invariant(graph->edges[i].to == number);
		invariant(open || graph->vertices[graph->edges[i].from].nopen);
		graph->vertices[graph->edges[i].from].nopen += open ? 1u : -1u;
		vector_add(&graph->unsettled, graph->edges[i].from);
	}
}

void graph_settle(struct state_graph *graph, uint32_t number)
{
	invariant(number < graph->nvertices && !graph->unsettled.count);
	vector_add(&graph->unsettled, number);
	while (graph->unsettled.count) {
		uint32_t next = vector_pop(&graph->unsettled);
		const struct vertex *vertex = &graph->vertices[next];
		bool open = vertex_is_pending(vertex) || vertex->nopen;
		if (open != vertex->open)
			change_open(graph, next, open);
		publish(graph, vertex);
		debug_invariant(vertex->nopen == count_open(graph, vertex));
	}
}

static bool parent_is_valid(const struct state_graph *graph, uint32_t number)
{
	const struct vertex *vertex = &graph->vertices[number];
	const struct edge *edge = &graph->edges[vertex->parent];

	if (!vertex->parent)
		return true;
	return vertex->parent < graph->nedges && edge->to == number &&
	       vertex->depth == graph->vertices[edge->from].depth + 1;
}

bool vertex_is_valid(const struct state_graph *graph, uint32_t number)
{
	const struct vertex *vertex = &graph->vertices[number];

	return !((vertex->wanted | vertex->taken) & ~vertex->enabled) && !(vertex->final && vertex->open) &&
	       vertex->slot < graph->channel->state_slots && graph->channel->states[vertex->slot].node == number &&
	       vertex->nopen == count_open(graph, vertex) && vertex->nmoves <= MAX_THREADS &&
	       parent_is_valid(graph, number);
}

bool graph_is_valid(const struct state_graph *graph)
{
	for (uint32_t i = 0; i < graph->nvertices; i++)
		if (!vertex_is_valid(graph, i))
			return false;
	for (uint32_t i = 1; i < graph->nedges; i++) {
		const struct edge *edge = &graph->edges[i];
		if (edge->from >= graph->nvertices || (edge->to != NO_VERTEX && edge->to >= graph->nvertices) ||
		    (edge->next_out >= i) || (edge->forgotten && edge->to != NO_VERTEX))
			return false;
	}
	return true;
}

/* --- vertices --- */

/* A table that is much too large costs a page fault for each state, on both sides. */
static void enlarge_table(struct state_graph *graph)
{
	uint32_t slots = graph->channel->state_slots;
	struct state_slot *old = memory_new(slots * sizeof *old);

	invariant(slots <= MAX_STATE_SLOTS / 4);
	memcpy(old, graph->channel->states, slots * sizeof *old);
	graph_clear_table(graph, 4 * slots);
	for (uint32_t i = 0; i < slots; i++)
		if (state_is_known(old[i].state))
			graph_enter(graph, old[i].node, old[i].state);
	memory_free(old);
}

uint32_t graph_add(struct state_graph *graph, struct state state, uint64_t enabled)
{
	uint32_t number = find_slot(graph, state);
	struct state_slot *slot = &graph->channel->states[number];

	if (state_is_known(slot->state))
		return slot->node;
	if (graph->nvertices == graph->limit)
		return NO_VERTEX;
	if (2 * graph->nvertices >= graph->channel->state_slots && graph->channel->state_slots < MAX_STATE_SLOTS) {
		enlarge_table(graph);
		number = find_slot(graph, state);
		slot = &graph->channel->states[number];
	}
	graph->vertices =
		array_grow(graph->vertices, &graph->vertices_size, graph->nvertices + 1ull, sizeof *graph->vertices);
	graph->vertices[graph->nvertices] = (struct vertex){.enabled = enabled, .slot = number, .open = true};
	*slot = (struct state_slot){.state = state, .node = graph->nvertices};
	return graph->nvertices++;
}

uint32_t graph_find(const struct state_graph *graph, struct state state)
{
	const struct state_slot *slot = &graph->channel->states[find_slot(graph, state)];

	return state_is_known(slot->state) ? slot->node : NO_VERTEX;
}

bool graph_is_exact(struct state_graph *graph, uint32_t vertex, uint32_t event)
{
	const uint64_t *words = graph->channel->exact + graph->channel->exact_at[event];

	uint32_t before = graph->exact_size;

	graph->exact = array_grow(graph->exact, &graph->exact_size, vertex + 1ull, sizeof *graph->exact);
	memset(graph->exact + before, 0, (graph->exact_size - before) * sizeof *graph->exact);
	if (graph->exact[vertex])
		return !memcmp(graph->exact[vertex], words, *words * sizeof *words);
	graph->exact[vertex] = memory_new(*words * sizeof *words);
	memcpy(graph->exact[vertex], words, *words * sizeof *words);
	return true;
}

uint32_t graph_find_edge(const struct state_graph *graph, uint32_t vertex, unsigned thread, unsigned choice)
{
	invariant(vertex < graph->nvertices);
	for (uint32_t i = graph->vertices[vertex].out; i; i = graph->edges[i].next_out)
		if (graph->edges[i].thread == thread && graph->edges[i].choice == choice)
			return i;
	return 0;
}

void graph_set_moves(struct state_graph *graph, uint32_t vertex, const uint16_t *labels, uint32_t count)
{
	graph->moves =
		array_grow(graph->moves, &graph->moves_size, graph->nmoves + (uint64_t)count, sizeof *graph->moves);
	invariant(vertex < graph->nvertices && count <= MAX_THREADS);
	graph->vertices[vertex].moves = graph->nmoves;
	graph->vertices[vertex].nmoves = (uint8_t)count;
	memcpy(graph->moves + graph->nmoves, labels, count * sizeof *labels);
	graph->nmoves += count;
}

void graph_lead(struct state_graph *graph, uint32_t number, uint32_t to)
{
	struct edge *edge = &graph->edges[number];

	invariant(number && number < graph->nedges && to < graph->nvertices);
	edge->forgotten = false;
	edge->to = to;
	edge->next_in = graph->vertices[to].in;
	graph->vertices[to].in = number;
	graph->vertices[edge->from].nopen += graph->vertices[to].open;
}

uint32_t graph_add_edge(struct state_graph *graph, struct edge edge)
{
	struct vertex *from = &graph->vertices[edge.from];
	uint32_t number = graph->nedges++;

	invariant(edge.from < graph->nvertices && edge.thread < MAX_THREADS);
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
	if (edge.to != NO_VERTEX)
		graph_lead(graph, number, edge.to);
	return number;
}
