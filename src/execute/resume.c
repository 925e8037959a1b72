#include "execute/resume.h"

#include "common/invariant.h"

void resume_points_ask(struct resume_points *points, struct channel_plan *plan)
{
	uint32_t end = plan->nsteps ? plan->nsteps - 1 : 0; /* from here on it is another one */
	uint32_t kept = plan->flags & (PLAN_VALUES | PLAN_WHOLE) ? 0 : plan->common;

	invariant(plan->common <= end);
	invariant(points->count <= MAX_RESUME_POINTS);
	plan->nresume_points = 0;
	while (points->count && points->steps[points->count - 1] > kept)
		points->count--;
	if (!points->distance || plan->flags & (PLAN_VALUES | PLAN_WHOLE))
		return;
	uint32_t last = points->count ? points->steps[points->count - 1] : 0;
	while (points->count < MAX_RESUME_POINTS && end - last >= 2 * (uint64_t)points->distance) {
		last += (end - last) / 2;
		invariant(last < end && (!points->count || last > points->steps[points->count - 1])); /* ascending */
		points->steps[points->count++] = last;
		plan->resume_points[plan->nresume_points++] = last;
	}
}
