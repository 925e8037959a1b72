/* Where checkpoints are asked for. */
#include "check.h"

#include "execute/resume.h"

static struct plan plan;

static void run(struct checkpoints *checkpoints, uint32_t nsteps, uint32_t same)
{
	plan.nsteps = nsteps;
	checkpoints_plan(checkpoints, &plan, same);
}

static bool asks_for(uint32_t count, const uint32_t *steps)
{
	return plan.ncheckpoints == count && (!count || !memcmp(plan.checkpoints, steps, count * sizeof *steps));
}

static void test_none_in_short_plans(void)
{
	struct checkpoints checkpoints = {.distance = 50};

	run(&checkpoints, 0, 0);
	CHECK(plan.ncheckpoints == 0 && plan.same == 0);
	run(&checkpoints, 100, 99);
	CHECK(plan.ncheckpoints == 0 && plan.same == 99);
}

static void test_closer_towards_the_end(void)
{
	struct checkpoints checkpoints = {.distance = 50};

	run(&checkpoints, 801, 800);
	CHECK(asks_for(4, (uint32_t[]){400, 600, 700, 750}));
}

/* What is there already is not asked for again, and what the plan leaves out is forgotten. */
static void test_next_plans(void)
{
	struct checkpoints checkpoints = {.distance = 50};

	run(&checkpoints, 801, 800);
	run(&checkpoints, 811, 810);
	CHECK(asks_for(0, NULL) && plan.same == 810);
	run(&checkpoints, 901, 900);
	CHECK(asks_for(1, (uint32_t[]){825}));
	run(&checkpoints, 691, 690);
	CHECK(asks_for(0, NULL) && checkpoints.count == 2 && checkpoints.steps[1] == 600);
	run(&checkpoints, 801, 0); /* after a replay */
	CHECK(asks_for(4, (uint32_t[]){400, 600, 700, 750}) && plan.same == 0);
}

static void test_limit(void)
{
	struct checkpoints checkpoints = {.distance = 1};

	run(&checkpoints, MAX_EVENTS, 0);
	CHECK(plan.ncheckpoints == MAX_CHECKPOINTS && checkpoints.count == MAX_CHECKPOINTS);
	for (uint32_t i = 1; i < plan.ncheckpoints; i++)
		CHECK(plan.checkpoints[i] > plan.checkpoints[i - 1]);
	CHECK(plan.checkpoints[MAX_CHECKPOINTS - 1] < plan.nsteps);
}

static void test_switched_off(void)
{
	struct checkpoints checkpoints = {.distance = 0};

	run(&checkpoints, 801, 800);
	CHECK(plan.ncheckpoints == 0 && plan.same == 0);
}

static void test_forgotten(void)
{
	struct checkpoints checkpoints = {.distance = 50};

	run(&checkpoints, 801, 800);
	checkpoints_forget_plan(&plan);
	CHECK(plan.ncheckpoints == 0 && plan.same == 0);
}

int main(void)
{
	TEST(test_none_in_short_plans);
	TEST(test_closer_towards_the_end);
	TEST(test_next_plans);
	TEST(test_limit);
	TEST(test_switched_off);
	TEST(test_forgotten);
	return check_result();
}
