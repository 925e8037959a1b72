/*
 * The set of distinct ends that executions came to: how it ended, the exit status
 * and what the program printed.  Two searches of one program must agree on it.
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
};

void outcomes_release(struct outcomes *outcomes);
/* Count the execution that has just ended. */
void outcomes_add(struct outcomes *outcomes, const struct executor *executor);
/* One line each, sorted; false, with errno, when the file cannot be written. */
bool outcomes_write(const struct outcomes *outcomes, const char *path);

#endif
