/*
 * The set of distinct ends that executions came to: how it ended, the exit status
 * and what the program printed; and the number of distinct equivalence classes of
 * executions.  Two searches of one program must agree on both.
 *
 * A class is told by a canonical form: the events of each thread and the order of
 * every two that conflict, straight from the conflict relation.  That is slow, and
 * shares no code with the clocks of order.h that it serves to test.
 */
#ifndef INSPECT_EXPLORE_OUTCOMES_H
#define INSPECT_EXPLORE_OUTCOMES_H

#include "explore/executor.h"

struct outcomes {
	struct outcome_line {
		char *text;
		uint64_t count;
	} *lines;
	unsigned nlines;
	uint64_t *classes; /* hashes of canonical forms, a hash table */
	uint64_t nclasses, classes_size;
};

void outcomes_release(struct outcomes *outcomes);
/* Count the execution that has just ended. */
void outcomes_add(struct outcomes *outcomes, const struct executor *executor);
/* One line each, sorted; false, with errno, when the file cannot be written. */
bool outcomes_write(const struct outcomes *outcomes, const char *path);

#endif
