#define _GNU_SOURCE
#include "explore/cores.h"

#include "explore/executor.h"
#include "wire/channel.h"

#define LOOK_SECONDS 0.002

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

void cores_release(struct cores *cores)
{
	if (cores->restricted)
		sched_setaffinity(0, sizeof cores->allowed, &cores->allowed);
	cores->restricted = false;
}

void cores_part(struct cores *cores, uint32_t executor_core)
{
	double now = seconds_now();

	if (now - cores->moved < LOOK_SECONDS)
		return;
	cores->moved = now;
	if (!cores->known && sched_getaffinity(0, sizeof cores->allowed, &cores->allowed))
		return; /* more cores than fit: the kernel has a choice */
	cores->known = true;
	if (executor_core != core_now()) {
		cores_release(cores); /* others need this core as well */
		return;
	}
	cpu_set_t others = cores->allowed;
	CPU_CLR(executor_core, &others);
	if (CPU_COUNT(&others) && !sched_setaffinity(0, sizeof others, &others))
		cores->restricted = true;
}
