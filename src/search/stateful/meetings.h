/*
 * States in which two threads are about to access the same memory, one of them by a plain access: data races, which the
 * stateful search finds in states, and findings/races.c confirms.
 */
#ifndef INSPECT_SEARCH_STATEFUL_MEETINGS_H
#define INSPECT_SEARCH_STATEFUL_MEETINGS_H

#include "findings/meetings.h"

struct labels;
struct state_graph;

void meetings_release(struct meeting_list *list);
/* Be ready for those of another execution.  Labels whose meeting was not confirmed (an access may end the program) have not met. */
void meetings_clear(struct meeting_list *list, struct labels *labels);

struct meeting_state {
	const struct state_graph *graph;
	struct labels *labels;
	uint32_t vertex; /* of which it is known what the threads do next */
};

/*
 * The event of the trace was chosen in the vertex for the first time: what is it, and does it race with what others who
 * can move there do next?  Those are added, unless the same two labels have met before.
 */
void meetings_find(struct meeting_list *list, const struct trace *trace, uint32_t event,
		   const struct meeting_state *at);

#endif
