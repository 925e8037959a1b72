#include "execute/plan.h"

#include <stdlib.h>

#include "common/invariant.h"
#include "storage/memory.h"
#include "storage/vector.h"

void plan_release(struct plan *plan)
{
	memory_free(plan->steps);
	*plan = (struct plan){0};
}

static void make_room(struct plan *plan, uint32_t count)
{
	plan->steps = array_grow(plan->steps, &plan->size, count, sizeof *plan->steps);
}

void plan_cut(struct plan *plan, uint32_t n)
{
	invariant(n <= plan->nsteps);
	plan->nsteps = n;
	plan->nguided = plan->flags = plan->sure = 0;
	plan->watch[0] = plan->watch[1] = 0;
	plan->sleep = 0;
}

void plan_add(struct plan *plan, struct step step)
{
	invariant(!plan->nguided); /* certain steps come first */
	debug_invariant(step.thread < MAX_THREADS);
	make_room(plan, plan->nsteps + 1);
	plan->steps[plan->nsteps++] = step;
}

void plan_add_guide(struct plan *plan, struct step step)
{
	debug_invariant(step.thread < MAX_THREADS);
	make_room(plan, plan->nsteps + plan->nguided + 1);
	plan->steps[plan->nsteps + plan->nguided++] = step;
}

void plan_repeat(struct plan *plan, const struct trace *trace, uint32_t n, uint32_t flags)
{
	invariant(n <= trace->nevents);
	plan_cut(plan, 0);
	make_room(plan, n);
	for (uint32_t i = 0; i < n; i++)
		plan->steps[i] = event_step(&trace->events[i]);
	plan->nsteps = n;
	plan->flags = flags;
	debug_invariant(plan_is_valid(plan));
}

bool plan_is_valid(const struct plan *plan)
{
	uint64_t count = (uint64_t)plan->nsteps + plan->nguided;

	for (uint64_t i = 0; i < count; i++)
		if (plan->steps[i].thread >= MAX_THREADS)
			return false;
	return count <= MAX_EVENTS + MAX_THREADS && plan->nsteps <= MAX_EVENTS &&
	       (plan->sure < plan->nsteps || !plan->sure) && plan->nsteps + plan->nguided <= plan->size &&
	       !(plan->flags & ~(PLAN_VALUES | PLAN_STOP | PLAN_WHOLE)) &&
	       (plan->flags & PLAN_VALUES || (!plan->watch[0] && !plan->watch[1]));
}
