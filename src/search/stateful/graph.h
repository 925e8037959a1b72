/*
 * The states of the program that the stateful search has seen, and the steps between them.
 *
 * Nodes are found by their state; the hash table is in the channel, where the executor looks up
 * what is still to be explored from a state that it comes to.
 */
#ifndef INSPECT_SEARCH_STATEFUL_GRAPH_H
#define INSPECT_SEARCH_STATEFUL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vector.h"
#include "wire/channel.h"

#define NO_NODE UINT32_MAX

/* A step that was taken.  Number 0 stands for none. */
struct state_edge {
	uint32_t from, to; /* nodes; `to` is NO_NODE where the execution ended, or: */
	uint32_t next_out, next_in; /* edges from and to the same node */
	uint32_t label;
	uint16_t choice, choices;
	uint8_t thread;
	bool forgotten : 1; /* the node that it led to is no longer there */
	bool spun : 1; /* the execution ended because somebody had gone round a loop for nothing: no end of the program's */
	bool progress : 1; /* it has brought the thread further (cycles.h) … */
	bool attempt : 1; /* … or has shown it that something is not as it wants it */
};

struct state_node {
	uint64_t enabled;
	uint64_t wanted; /* threads that must be explored */
	uint64_t taken; /* … that were, at least with one outcome */
	uint64_t ended; /* threads that had ended */
	uint32_t out, in; /* edges */
	uint32_t slot; /* in the channel's table */
	uint32_t parent; /* the edge that led here first; 0 at the beginning */
	uint32_t depth; /* steps from the beginning, over parents */
	uint32_t missing; /* outcomes of operations that were not taken */
	uint32_t steps; /* where in graph.steps it is told what each thread does next */
	uint32_t nopen; /* edges to nodes that are open */
	uint8_t nsteps; /* … of so many threads; 0: not yet known */
	bool queued;
	bool late; /* some thread was left behind in a loop though it could go on */
	bool open; /* something is left to explore from it, or from what it leads to; new ones are, and those on cycles */
	bool final; /* it is not open, and nothing that is found out elsewhere can change that */
};

struct state_graph {
	struct channel *channel;
	struct state_node *nodes;
	struct state_edge *edges;
	uint32_t nnodes, nodes_size, nedges, edges_size;
	uint16_t *steps; /* labels */
	uint32_t nsteps, steps_size;
	uint64_t **exact; /* per node, with channel->exact_states: the whole state (wire/channel.h) */
	uint32_t exact_size;
	uint32_t limit; /* of nodes */
	VECTOR(uint32_t) unsettled; /* nodes that are to be looked at by graph_settle() */
	bool spun; /* in some of the states a thread was left behind in a loop: who goes on there may be alone for that reason */
	uint64_t hits; /* steps that led to a state that was known */
	uint64_t forgotten; /* nodes, by graph_forget() */
};

/* With a table for as many states as fit into so many bytes. */
void graph_init(struct state_graph *graph, struct channel *channel, uint64_t bytes);
void graph_release(struct state_graph *graph);
uint64_t graph_bytes(const struct state_graph *graph);

/* The node of the state, a new one if it was not known; NO_NODE when there is no room left. */
uint32_t graph_node(struct state_graph *graph, struct state state, uint64_t enabled);
/* The node of a state that is known, or NO_NODE. */
uint32_t graph_find_node(const struct state_graph *graph, struct state state);
/* Is the state of the node, or was it made from, what the executor has written out for the event? */
bool graph_is_exact(struct state_graph *graph, uint32_t node, uint32_t event);
/* The edge for this step; 0 if it was not taken before. */
uint32_t graph_find_edge(const struct state_graph *graph, uint32_t node, unsigned thread, unsigned choice);
/* What the threads do next from the node, as labels. */
void graph_set_steps(struct state_graph *graph, uint32_t node, const uint16_t *labels, uint32_t count);
uint32_t graph_add_edge(struct state_graph *graph, struct state_edge edge);
/* The edge, whose end was forgotten, leads to this node. */
void graph_lead(struct state_graph *graph, uint32_t edge, uint32_t to);
/*
 * What is to be done from the node may have changed: is it open?  If that has changed, also for the nodes that lead
 * to it; and tell the executor.  To be called for new nodes, once all that is known of them is there.
 */
void graph_settle(struct state_graph *graph, uint32_t node);

/* --- stateforget.c --- */

/*
 * Forget final nodes until half of the graph is free, if there are so many; those that are furthest from the beginning
 * first.  The others get new numbers, by the array that is returned, the caller's to free.
 */
uint32_t *graph_forget(struct state_graph *graph);
/* No nodes, and a table for so many; what was in it is gone. */
void graph_clear_table(struct state_graph *graph, uint32_t slots);
/* Put the node, whose state it is, into the table. */
void graph_enter(struct state_graph *graph, uint32_t node, struct state state);

/*
 * Facts about one node: it must be explored by threads, and was by threads, that were enabled; it is where its slot says;
 * its parent leads to it, one step deeper; it is open if it leads to a node that is; what is final is not open.
 */
bool graph_node_is_valid(const struct state_graph *graph, uint32_t node);
/* All of them, and the edges. Takes as long as the graph is large. */
bool graph_is_valid(const struct state_graph *graph);

static inline uint64_t node_todo(const struct state_node *node)
{
	return node->wanted & ~node->taken;
}

/* Is there a step from the node that must be taken and was not? */
static inline bool node_is_pending(const struct state_node *node)
{
	return node_todo(node) || node->missing;
}

#endif
