/*
 * A core for the explorer and another one for the executor.  They take turns, and wake each
 * other thousands of times a second; the kernel likes to put such a pair on one core, where every
 * turn costs two switches of processes.  The explorer moves away when it notices; the program is
 * never told where to run, because it could ask.
 */
#ifndef INSPECT_EXPLORE_CORES_H
#define INSPECT_EXPLORE_CORES_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct cores {
	cpu_set_t allowed; /* what we were given at the start */
	double moved; /* when we last looked, in seconds_now() */
	bool known, restricted;
};

/* How many there are for us. */
unsigned cores_count(void);
/* Keep to one core, the n-th of those that are for us (counted round and round); so do processes started from now on. */
void cores_choose(unsigned n);
/* Waiting for the executor was in vain for a while; it was last seen on the given core. */
void cores_part(struct cores *cores, uint32_t executor_core);
/* Go back to all cores that are allowed. */
void cores_release(struct cores *cores);

#endif
