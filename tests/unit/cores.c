/* When explorer and executor share a core: turns take simulated time, cores are real. */
#define _GNU_SOURCE
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "execute/cores.h"

/* How many turns there are in a second, apart and together, and every which turn apart is troubled (0: none). */
struct world {
	double apart, together;
	unsigned troubled;
};

/* What happened meanwhile. */
struct story {
	double together; /* seconds */
	unsigned trials;
};

static struct story live(struct cores *cores, const struct world *world, double *now, double seconds)
{
	struct story story = {0};
	unsigned turn = 0;

	for (double end = *now + seconds; *now < end;) {
		bool was_together = cores->together, was_trial = cores->trial;
		bool troubled = !was_together && world->troubled && ++turn % world->troubled == 0;
		double length = 1 / (was_together ? world->together : world->apart);
		cores_turn(cores, was_together != troubled, *now, (uint32_t)sched_getcpu());
		*now += length;
		story.together += was_together ? length : 0;
		story.trials += cores->trial && !was_trial;
	}
	return story;
}

static void test_apart_while_nothing_is_wrong(void)
{
	struct cores cores = {0};
	double now = 1;
	struct story story = live(&cores, &(struct world){.apart = 10000, .together = 50000}, &now, 5);

	CHECK(story.trials == 0 && story.together == 0);
	cores_release(&cores);
}

static void test_together_where_that_is_faster(void)
{
	struct cores cores = {0};
	double now = 1;
	struct story story = live(&cores, &(struct world){.apart = 5000, .together = 20000, .troubled = 3}, &now, 5);

	CHECK(cores.together != cores.trial);
	CHECK(story.together > 4.5);
	cores_release(&cores);
}

/* A trial is for a moment, and the next one comes later each time. */
static void test_trials_in_vain_are_rare(void)
{
	struct cores cores = {0};
	double now = 1;
	struct world world = {.apart = 20000, .together = 5000, .troubled = 3};
	struct story first = live(&cores, &world, &now, 1), later = live(&cores, &world, &now, 20);

	CHECK(first.trials >= 2 && first.trials <= 5);
	CHECK(later.trials >= 5 && later.trials <= 12);
	CHECK(first.together + later.together < 0.7);
	cores_release(&cores);
}

static void test_apart_again_when_the_other_process_is_gone(void)
{
	struct cores cores = {0};
	double now = 1;

	live(&cores, &(struct world){.apart = 5000, .together = 20000, .troubled = 3}, &now, 3);
	struct story story = live(&cores, &(struct world){.apart = 50000, .together = 20000}, &now, 5);
	CHECK(!cores.together && !cores.trial);
	CHECK(story.together < 2.5);
	cores_release(&cores);
}

/* A pair that should be on different cores is not: it takes a move, if there is another core. */
static void test_where_we_are(void)
{
	struct cores cores = {0};
	cpu_set_t before, after;
	unsigned count = cores_count();

	CHECK(!sched_getaffinity(0, sizeof before, &before) && count == (unsigned)CPU_COUNT(&before));
	uint32_t core = 0;
	for (unsigned tries = 0; tries < 100 && !cores.restricted; tries++) { /* the kernel may have moved us first */
		cores = (struct cores){0};
		core = (uint32_t)sched_getcpu();
		cores_turn(&cores, true, 1, core);
	}
	CHECK(cores_count() == (count > 1 ? count - 1 : 1));
	CHECK(count == 1 || (uint32_t)sched_getcpu() != core);
	cores_turn(&cores, true, 1.0001, core); /* not again so soon */
	CHECK(cores.troubled == 2);
	cores_release(&cores);
	CHECK(!sched_getaffinity(0, sizeof after, &after) && CPU_EQUAL(&before, &after));
}

/* In a process of its own, because there is no way back. */
static void test_one_of_them(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		unsigned count = cores_count();
		cpu_set_t before, after;
		sched_getaffinity(0, sizeof before, &before);
		cores_choose(count + 1); /* round and round: the second, or the only one */
		sched_getaffinity(0, sizeof after, &after);
		CPU_AND(&before, &before, &after);
		_exit(cores_count() == 1 && CPU_EQUAL(&before, &after) ? 0 : 1);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
	TEST(test_apart_while_nothing_is_wrong);
	TEST(test_together_where_that_is_faster);
	TEST(test_trials_in_vain_are_rare);
	TEST(test_apart_again_when_the_other_process_is_gone);
	TEST(test_where_we_are);
	TEST(test_one_of_them);
	return check_result();
}
