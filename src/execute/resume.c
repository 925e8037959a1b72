#include "execute/resume.h"

#include <assert.h>

void checkpoints_plan(struct checkpoints *checkpoints, struct plan *plan, uint32_t same)
{
	uint32_t end = plan->nsteps ? plan->nsteps - 1 : 0; /* from here on it is another one */

	assert(same <= end);
	checkpoints_forget_plan(plan);
	if (!checkpoints->distance)
		return;
	plan->same = same;
	while (checkpoints->count && checkpoints->steps[checkpoints->count - 1] > same)
		checkpoints->count--;
	uint32_t last = checkpoints->count ? checkpoints->steps[checkpoints->count - 1] : 0;
	while (checkpoints->count < MAX_CHECKPOINTS && end - last >= 2 * (uint64_t)checkpoints->distance) {
		last += (end - last) / 2;
		checkpoints->steps[checkpoints->count++] = last;
		plan->checkpoints[plan->ncheckpoints++] = last;
	}
}

void checkpoints_forget_plan(struct plan *plan)
{
	plan->same = plan->sure = plan->ncheckpoints = 0;
}
