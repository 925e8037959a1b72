/*
 * Where an executor is to leave checkpoints (runtime/process/resume.c): what the plans of a
 * depth-first search have in common is run once.
 *
 * A checkpoint costs as much as some dozen steps.  So there are none in executions that are not
 * much longer than that; in others they come closer and closer towards the last step of the
 * plan, where the next plans will differ: half of the way, half of the rest …
 */
#ifndef INSPECT_EXECUTE_RESUME_H
#define INSPECT_EXECUTE_RESUME_H

#include "wire/plan.h"

struct checkpoints {
	uint32_t distance; /* so many steps are between two of them at least; 0: none are made */
	uint32_t count;
	uint32_t steps[MAX_CHECKPOINTS]; /* where they are, as far as we know: ascending */
};

/* Ask for checkpoints in the plan, whose first `same` steps are those of the last execution. */
void checkpoints_plan(struct checkpoints *checkpoints, struct plan *plan, uint32_t same);

/* The plan has been run: one that is made without us is run from the start, and ends them. */
void checkpoints_forget_plan(struct plan *plan);

#endif
