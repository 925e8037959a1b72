/*
 * Where the stateful search goes next: the vertices of its graph from which something is left to do, and the path to one of
 * them.
 *
 * The one that is nearest to the beginning comes first: on its way to the end, an execution does much of what is left
 * further on.  Where there is little room for vertices, it is the furthest one, so that of each part of the graph all is
 * explored, and it can be forgotten, before the next is begun.
 */
#ifndef INSPECT_SEARCH_STATEFUL_PLAN_H
#define INSPECT_SEARCH_STATEFUL_PLAN_H

#include "execute/plan.h"
#include "search/stateful/graph.h"

struct state_queue {
	uint32_t *items; /* a vector: vertices that had something to do when they were put there */
	uint32_t count, size;
};

struct state_plan {
	struct state_queue *queues; /* by depth */
	uint32_t nqueues, first_queue;
	bool furthest_first;
	struct step *path; /* decisions … */
	uint32_t *expected; /* … and the vertices in which they are taken */
	uint32_t npath, path_size;
};

void state_plan_release(struct state_plan *plan);

/* The vertex, if something is to be done there; or all such vertices. */
void state_plan_enqueue(struct state_plan *plan, struct state_graph *graph, uint32_t vertex);
void state_plan_enqueue_all(struct state_plan *plan, struct state_graph *graph);
/* The vertices have new numbers (graph_forget()): those on the path, and the queues are made anew. */
void state_plan_renumber(struct state_plan *plan, struct state_graph *graph, const uint32_t *numbers);

/* The next vertex with something to do; NO_VERTEX when there is none. */
uint32_t state_plan_pick(struct state_plan *plan, struct state_graph *graph);

/* The path leads to the vertex, and on with something that is to be done there. */
void state_plan_lead_on(struct state_plan *plan, const struct state_graph *graph, uint32_t vertex);
/* The path leads to a livelock and once round it; false when there is none (cycles.h). */
bool state_plan_lead_round(struct state_plan *plan, const struct state_graph *graph);
/* The steps of the last execution, and at which of them something was decided. */
struct turns {
	struct turn {
		struct step step;
		bool decision;
	} *items; /* a vector */
	uint32_t count, size;
};

/* Those of the trace, whose events before `from` are those of the last one. */
void turns_take(struct turns *turns, const struct trace *trace, uint32_t from);
void turns_release(struct turns *turns);

/* Write the path out, as a plan that has as much as possible in common with the last execution. */
void state_plan_write(const struct state_plan *path, const struct turns *last, struct plan *plan);

#endif
