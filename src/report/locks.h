/*
 * Who holds which mutexes at a point of an execution, computed by following
 * its operations from the start.
 */
#ifndef INSPECT_REPORT_LOCKS_H
#define INSPECT_REPORT_LOCKS_H

#include <stddef.h>

#include "explore/finding.h"

struct held {
	uint64_t mutex;
	uint32_t thread;
	uint32_t step; /* that acquired it */
};

/* In the order of acquisition. */
struct locks {
	struct held *items;
	size_t count, capacity;
};

/* The locks held before step `step` of the recording (after the last one: nevents). */
void locks_init(struct locks *locks, const struct recording *recording, uint32_t step);
void locks_release(struct locks *locks);
const struct held *locks_owner(const struct locks *locks, uint64_t mutex);

#endif
