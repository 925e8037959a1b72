/*
 * States in which two threads are about to access the same memory, one of them by a plain access: data races, which the
 * stateful search finds in states, and record_races.c confirms.
 */
#ifndef INSPECT_EXPLORE_MEETINGS_H
#define INSPECT_EXPLORE_MEETINGS_H

#include <stdint.h>

#include "wire/plan.h"

/* How to get to such a state, and what the two do there. */
struct meeting {
	struct step *steps; /* two more than lead there */
	uint32_t nsteps;
	struct event events[2];
};

struct meeting_list {
	struct meeting *items;
	uint32_t count, size;
};

void meetings_release(struct meeting_list *list);

struct labels;
struct state_graph;

struct meeting_place {
	const struct state_graph *graph;
	struct labels *labels;
	uint32_t node; /* of which it is known what the threads do next */
};

/* Add those in the node, to which the first events of the trace lead, with labels that have not met before. */
void meetings_find(struct meeting_list *list, const struct trace *trace, uint32_t nevents,
		   const struct meeting_place *place);

#endif
