/*
 * A plan: how an execution is to begin. A value: whoever makes it keeps it, and execute() only reads it.
 *
 * The first `nsteps` steps are certain: an execution that cannot take one of them diverges. Up to `nguided` steps follow
 * which are wishes: at the first that is impossible, the rest is forgotten (wire/plan.h says how the execution goes on).
 */
#ifndef INSPECT_EXECUTE_PLAN_H
#define INSPECT_EXECUTE_PLAN_H

#include "wire/plan.h"

struct plan {
	struct step *steps; /* nsteps, then nguided */
	uint32_t nsteps, nguided, size;
	uint32_t flags; /* enum plan_flag */
	uint32_t sure; /* the next plan will probably begin with so many of these steps, fewer than nsteps */
	uint32_t watch[2]; /* with PLAN_VALUES: steps whose call stacks are wanted, + 1; 0: none */
	uint64_t sleep; /* threads that sleep when the last step is taken */
};

/* A plan that is all zero is an execution without any steps given. */
void plan_release(struct plan *plan);

/* Only the first n steps remain, and nothing else of what was planned. */
void plan_cut(struct plan *plan, uint32_t n);
void plan_add(struct plan *plan, struct step step);
void plan_add_guide(struct plan *plan, struct step step);
/* The plan is to take the first n steps that the trace shows, with these flags. */
void plan_repeat(struct plan *plan, const struct trace *trace, uint32_t n, uint32_t flags);

/*
 * What execute() relies on: threads and numbers within their limits, fewer sure steps than certain ones, call stacks wanted
 * only where values are, and of steps that there are.
 */
bool plan_is_valid(const struct plan *plan);

/* What thread and outcome an event was. */
static inline struct step event_step(const struct event *event)
{
	return (struct step){.thread = event->thread, .choice = event->choice};
}

static inline bool steps_are_same(struct step a, struct step b)
{
	return a.thread == b.thread && a.choice == b.choice;
}

#endif
