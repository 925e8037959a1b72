/*
 * States in which two threads are about to access the same memory, one of them by a plain access. The stateful search
 * finds them, races.c confirms them.
 */
#ifndef INSPECT_FINDINGS_MEETINGS_H
#define INSPECT_FINDINGS_MEETINGS_H

#include "wire/plan.h"

/* One thread has moved, and another could have. */
struct meeting {
	uint32_t first; /* the event of the one, of the execution */
	uint32_t nsteps; /* so many of the list's steps lead there and include the first with all that belongs to it */
	struct event events[2]; /* what they do */
	uint32_t labels[2];
	bool confirmed; /* a schedule in which they follow each other was run */
};

struct meeting_list {
	struct step *steps; /* of the execution, and one more */
	struct meeting *items;
	uint32_t count, size;
};

#endif
