/*
 * A core for the explorer and another one for the executor, or one for both.
 *
 * They take turns, and wake each other thousands of times a second; the kernel likes to put such a pair on one core,
 * where every turn costs two switches of processes.  So the explorer keeps *apart* when there is another core.  But
 * where other processes want that one, each of the two often waits until the other is let on again, for many
 * turns' time; then they are faster *together*.  Nobody can tell beforehand.  So turns are counted, and when they
 * are not as they should be (apart, but in vain; together) the other way is tried for a moment and kept if there were more.
 * The more often that was for nothing, the longer it is until the next time.
 *
 * The program is never told where to run, because it could ask: the explorer goes where the executor is, or is not.
 */
#ifndef INSPECT_EXECUTE_CORES_H
#define INSPECT_EXECUTE_CORES_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct cores {
	cpu_set_t allowed; /* what we were given at the start */
	bool known, restricted;
	bool together; /* what is wanted */
	bool trial; /* … for a moment */
	double moved; /* when we last looked where we are, in seconds_now() */
	/* what is counted at present: */
	double since;
	uint32_t turns, troubled;
	double rate; /* turns in a second, before the trial */
	double pause, next; /* between two trials; when the next one may be */
};

/* How many there are for us. */
unsigned cores_count(void);
/* Keep to one core, the n-th of those that are for us (counted round and round); so do processes started from now on. */
void cores_choose(unsigned n);
/* A turn begins; the executor was last seen on this core, which is ours or not. */
void cores_turn(struct cores *cores, bool same, double now, uint32_t executor_core);
/* Waiting for it was in vain for a while. */
void cores_in_vain(struct cores *cores, double now, uint32_t executor_core);
/* Go back to all cores that are allowed. */
void cores_release(struct cores *cores);

#endif
