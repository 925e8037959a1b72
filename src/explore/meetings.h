/*
 * States in which two threads are about to access the same memory, one of them by a plain access: data races, which the
 * stateful search finds in states, and record_races.c confirms.
 */
#ifndef INSPECT_EXPLORE_MEETINGS_H
#define INSPECT_EXPLORE_MEETINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/plan.h"

/* One thread has moved, and another could have. */
struct meeting {
	uint32_t first; /* the event of the one, of the execution */
	uint32_t nsteps; /* so many of the list's steps lead there and include the first with all that belongs to it */
	struct event events[2]; /* what they do */
	uint32_t labels[2];
	bool confirmed; /* a schedule in which they follow each other was run */
};

struct meeting_list {
	struct step *steps; /* of the execution, and one more */
	struct meeting *items;
	uint32_t count, size;
};

struct labels;
struct state_graph;

void meetings_release(struct meeting_list *list);
/* Be ready for those of another execution.  Labels whose meeting was not confirmed (an access may end the program) have not met. */
void meetings_clear(struct meeting_list *list, struct labels *labels);

struct meeting_place {
	const struct state_graph *graph;
	struct labels *labels;
	uint32_t node; /* of which it is known what the threads do next */
};

/*
 * The event of the trace was chosen in the node for the first time: what is it, and does it race with what others who
 * can move there do next?  Those are added, unless the same two labels have met before.
 */
void meetings_find(struct meeting_list *list, const struct trace *trace, uint32_t event,
		   const struct meeting_place *place);

#endif
