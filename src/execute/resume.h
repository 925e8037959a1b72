/*
 * Where an executor is to leave resume points (runtime/process/resume.c): what the plans of a depth-first search have
 * in common is run once.
 *
 * A resume point costs as much as some dozen steps.  So there are none in executions that are not much longer than that;
 * in others they come closer and closer towards the last step of the plan, where the next plans will differ: half of
 * the way, half of the rest …
 */
#ifndef INSPECT_EXECUTE_RESUME_H
#define INSPECT_EXECUTE_RESUME_H

#include "wire/plan.h"

struct resume_points {
	uint32_t distance; /* so many steps are between two of them at least; 0: none are made */
	uint32_t count;
	uint32_t steps[MAX_RESUME_POINTS]; /* where they are, as far as we know: ascending */
};

/* Ask for those that the plan needs.  One that is to be run from the start asks for none, and ends those that there are. */
void resume_points_ask(struct resume_points *points, struct channel_plan *plan);

#endif
