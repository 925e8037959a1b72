/* Where resume points are asked for. */
#include "check.h"

#include "execute/resume.h"

static struct channel_plan plan;

static void run(struct resume_points *points, uint32_t nsteps, uint32_t common)
{
	plan = (struct channel_plan){.nsteps = nsteps, .common = common};
	resume_points_ask(points, &plan);
}

static bool asks_for(uint32_t count, const uint32_t *steps)
{
	return plan.nresume_points == count && (!count || !memcmp(plan.resume_points, steps, count * sizeof *steps));
}

static void test_none_in_short_plans(void)
{
	struct resume_points points = {.distance = 50};

	run(&points, 0, 0);
	CHECK(plan.nresume_points == 0);
	run(&points, 100, 99);
	CHECK(plan.nresume_points == 0);
}

static void test_closer_towards_the_end(void)
{
	struct resume_points points = {.distance = 50};

	run(&points, 801, 800);
	CHECK(asks_for(4, (uint32_t[]){400, 600, 700, 750}));
}

/* What is there already is not asked for again, and what the plan leaves out is forgotten. */
static void test_next_plans(void)
{
	struct resume_points points = {.distance = 50};

	run(&points, 801, 800);
	run(&points, 811, 810);
	CHECK(asks_for(0, NULL));
	run(&points, 901, 900);
	CHECK(asks_for(1, (uint32_t[]){825}));
	run(&points, 691, 690);
	CHECK(asks_for(0, NULL) && points.count == 2 && points.steps[1] == 600);
	run(&points, 801, 0); /* after a replay */
	CHECK(asks_for(4, (uint32_t[]){400, 600, 700, 750}));
}

static void test_limit(void)
{
	struct resume_points points = {.distance = 1};

	run(&points, MAX_EVENTS, 0);
	CHECK(plan.nresume_points == MAX_RESUME_POINTS && points.count == MAX_RESUME_POINTS);
	for (uint32_t i = 1; i < plan.nresume_points; i++)
		CHECK(plan.resume_points[i] > plan.resume_points[i - 1]);
	CHECK(plan.resume_points[MAX_RESUME_POINTS - 1] < plan.nsteps);
}

static void test_switched_off(void)
{
	struct resume_points points = {.distance = 0};

	run(&points, 801, 800);
	CHECK(plan.nresume_points == 0);
}

/* A replay is run from the start, and leaves none. */
static void test_replay(void)
{
	struct resume_points points = {.distance = 50};

	run(&points, 801, 800);
	CHECK(points.count == 4);
	plan = (struct channel_plan){.nsteps = 801, .common = 800, .flags = PLAN_VALUES};
	resume_points_ask(&points, &plan);
	CHECK(plan.nresume_points == 0 && points.count == 0);
	run(&points, 801, 800);
	plan.flags = PLAN_WHOLE;
	resume_points_ask(&points, &plan);
	CHECK(plan.nresume_points == 0 && points.count == 0);
}

int main(void)
{
	TEST(test_none_in_short_plans);
	TEST(test_closer_towards_the_end);
	TEST(test_next_plans);
	TEST(test_limit);
	TEST(test_switched_off);
	TEST(test_replay);
	return check_result();
}
