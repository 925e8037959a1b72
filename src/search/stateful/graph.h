/*
 * The states of the program that the stateful search has seen, and the moves between them.
 *
 * Vertices are found by their state; the hash table is in the channel, where the executor looks up
 * what is still to be explored from a state that it comes to.
 */
#ifndef INSPECT_SEARCH_STATEFUL_GRAPH_H
#define INSPECT_SEARCH_STATEFUL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/vector.h"
#include "wire/channel.h"

#define NO_VERTEX UINT32_MAX

/* A move that was taken.  Number 0 stands for none. */
struct edge {
	uint32_t from, to; /* vertices; `to` is NO_VERTEX where the execution ended, or: */
	uint32_t next_out, next_in; /* edges from and to the same vertex */
	uint32_t label;
	uint16_t choice, choices;
	uint8_t thread;
	bool forgotten : 1; /* the vertex that it led to is no longer there */
	bool spun : 1; /* the execution ended because somebody had gone round a loop for nothing: no end of the program's */
	bool progress : 1; /* it has brought the thread further (cycles.h) … */
	bool attempt : 1; /* … or has shown it that something is not as it wants it */
};

struct vertex {
	uint64_t enabled;
	uint64_t wanted; /* threads that must be explored */
	uint64_t taken; /* … that were, at least with one outcome */
	uint64_t ended; /* threads that had ended */
	uint32_t out, in; /* edges */
	uint32_t slot; /* in the channel's table */
	uint32_t parent; /* the edge that led here first; 0 at the beginning */
	uint32_t depth; /* moves from the beginning, over parents */
	uint32_t missing; /* outcomes of operations that were not taken */
	uint32_t moves; /* where in graph.moves it is told what each thread does next */
	uint32_t nopen; /* edges to vertices that are open */
	uint8_t nmoves; /* … of so many threads; 0: not yet known */
	bool queued;
	bool late; /* some thread was left behind in a loop though it could go on */
	bool open; /* something is left to explore from it, or from what it leads to; new ones are, and those on cycles */
	bool final; /* it is not open, and nothing that is found out elsewhere can change that */
};

struct state_graph {
	struct channel *channel;
	struct vertex *vertices;
	struct edge *edges;
	uint32_t nvertices, vertices_size, nedges, edges_size;
	uint16_t *moves; /* labels */
	uint32_t nmoves, moves_size;
	uint64_t **exact; /* per vertex, with channel->exact_states: the whole state (wire/channel.h) */
	uint32_t exact_size;
	uint32_t limit; /* of vertices */
	VECTOR(uint32_t) unsettled; /* vertices that are to be looked at by graph_settle() */
	bool spun; /* in some of the states a thread was left behind in a loop: who goes on there may be alone for that reason */
	uint64_t hits; /* moves that led to a state that was known */
	uint64_t forgotten; /* vertices, by graph_forget() */
};

/* With a table for as many states as fit into so many bytes. */
void graph_init(struct state_graph *graph, struct channel *channel, uint64_t bytes);
void graph_release(struct state_graph *graph);
uint64_t graph_bytes(const struct state_graph *graph);

/* The vertex of the state, a new one if it was not known; NO_VERTEX when there is no room left. */
uint32_t graph_add(struct state_graph *graph, struct state state, uint64_t enabled);
/* The vertex of a state that is known, or NO_VERTEX. */
uint32_t graph_find(const struct state_graph *graph, struct state state);
/* Is the state of the vertex, or was it made from, what the executor has written out for the event? */
bool graph_is_exact(struct state_graph *graph, uint32_t vertex, uint32_t event);
/* The edge for this move; 0 if it was not taken before. */
uint32_t graph_find_edge(const struct state_graph *graph, uint32_t vertex, unsigned thread, unsigned choice);
/* What the threads do next from the vertex, as labels. */
void graph_set_moves(struct state_graph *graph, uint32_t vertex, const uint16_t *labels, uint32_t count);
uint32_t graph_add_edge(struct state_graph *graph, struct edge edge);
/* The edge, whose end was forgotten, leads to this vertex. */
void graph_lead(struct state_graph *graph, uint32_t edge, uint32_t to);
/*
 * What is to be done from the vertex may have changed: is it open?  If that has changed, also for the vertices that lead
 * to it; and tell the executor.  To be called for new vertices, once all that is known of them is there.
 */
void graph_settle(struct state_graph *graph, uint32_t vertex);

/* --- forget.c --- */

/*
 * Forget final vertices until half of the graph is free, if there are so many; those that are furthest from the beginning
 * first.  The others get new numbers, by the array that is returned, the caller's to free.
 */
uint32_t *graph_forget(struct state_graph *graph);
/* No vertices, and a table for so many; what was in it is gone. */
void graph_clear_table(struct state_graph *graph, uint32_t slots);
/* Put the vertex, whose state it is, into the table. */
void graph_enter(struct state_graph *graph, uint32_t vertex, struct state state);

/*
 * Facts about one vertex: it must be explored by threads, and was by threads, that were enabled; it is where its slot says;
 * its parent leads to it, one move deeper; it is open if it leads to a vertex that is; what is final is not open.
 */
bool vertex_is_valid(const struct state_graph *graph, uint32_t vertex);
/* All of them, and the edges. Takes as long as the graph is large. */
bool graph_is_valid(const struct state_graph *graph);

static inline uint64_t vertex_todo(const struct vertex *vertex)
{
	return vertex->wanted & ~vertex->taken;
}

/* Is there a move from the vertex that must be taken and was not? */
static inline bool vertex_is_pending(const struct vertex *vertex)
{
	return vertex_todo(vertex) || vertex->missing;
}

#endif
