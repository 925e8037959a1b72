#define _GNU_SOURCE
#include "execute/cores.h"

#include "common/invariant.h"
#include "execute/executor.h"
#include "wire/channel.h"

#define LOOK_SECONDS 0.002 /* how often we move at most */
#define COUNT_SECONDS 0.02 /* how long turns are counted, */
enum { COUNT_TURNS = 20, TROUBLED_SHARE = 100 }; /* … and how many at least; one troubled among so many is all right */
#define LEAST_PAUSE 0.1
#define LONGEST_PAUSE 2.0

unsigned cores_count(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof allowed, &allowed))
		return CPU_SETSIZE;
	return (unsigned)CPU_COUNT(&allowed);
}

void cores_choose(unsigned n)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof allowed, &allowed))
		return;
	invariant(CPU_COUNT(&allowed));
	unsigned wanted = n % (unsigned)CPU_COUNT(&allowed);
	for (int core = 0; core < CPU_SETSIZE; core++) {
		if (!CPU_ISSET(core, &allowed) || wanted--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(core, &one);
		sched_setaffinity(0, sizeof one, &one);
		return;
	}
}

/* --- where --- */

void cores_release(struct cores *cores)
{
	if (cores->restricted)
		sched_setaffinity(0, sizeof cores->allowed, &cores->allowed);
	cores->restricted = false;
}

static void keep_to(struct cores *cores, const cpu_set_t *set)
{
	if (CPU_COUNT(set) && !sched_setaffinity(0, sizeof *set, set))
		cores->restricted = true;
}

static void join(struct cores *cores, uint32_t executor_core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(executor_core, &one);
	keep_to(cores, &one);
}

static void part(struct cores *cores, uint32_t executor_core)
{
	cpu_set_t others = cores->allowed;

	CPU_CLR(executor_core, &others);
	keep_to(cores, &others);
}

/* See to it that we are where we want to be. */
static void move(struct cores *cores, double now, uint32_t executor_core)
{
	bool same = executor_core == core_now();

	if (now - cores->moved < LOOK_SECONDS)
		return;
	cores->moved = now;
	if (!cores->known && sched_getaffinity(0, sizeof cores->allowed, &cores->allowed))
		return; /* more cores than fit: the kernel has a choice */
	cores->known = true;
	if (cores->together && !same)
		join(cores, executor_core);
	else if (!cores->together && same)
		part(cores, executor_core);
	else if (!cores->together)
		cores_release(cores); /* others need this core as well */
}

/* --- whether to share one --- */

static void begin_trial(struct cores *cores, double rate)
{
	invariant(!cores->trial);
	cores->rate = rate;
	cores->trial = true;
	cores->together = !cores->together;
}

static void end_trial(struct cores *cores, double rate, double now)
{
	invariant(cores->trial);
	cores->trial = false;
	cores->pause *= 2;
	if (rate > cores->rate || cores->pause < LEAST_PAUSE)
		cores->pause = LEAST_PAUSE;
	if (cores->pause > LONGEST_PAUSE)
		cores->pause = LONGEST_PAUSE;
	if (rate <= cores->rate)
		cores->together = !cores->together;
	cores->next = now + cores->pause;
}

static bool trial_due(const struct cores *cores, double now)
{
	return now >= cores->next && (cores->together || cores->troubled > cores->turns / TROUBLED_SHARE);
}

static void decide(struct cores *cores, double now)
{
	invariant(now > cores->since && cores->turns);
	double rate = cores->turns / (now - cores->since);

	if (cores->trial)
		end_trial(cores, rate, now);
	else if (trial_due(cores, now))
		begin_trial(cores, rate);
	cores->since = now;
	cores->turns = cores->troubled = 0;
}

void cores_turn(struct cores *cores, bool same, double now, uint32_t executor_core)
{
	if (!cores->since)
		cores->since = now;
	if (++cores->turns > COUNT_TURNS && now - cores->since > COUNT_SECONDS)
		decide(cores, now);
	if (same == cores->together)
		return;
	cores->troubled++;
	move(cores, now, executor_core);
}

void cores_in_vain(struct cores *cores, double now, uint32_t executor_core)
{
	cores->troubled++;
	move(cores, now, executor_core);
}
