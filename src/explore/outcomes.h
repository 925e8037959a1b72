/*
 * The set of distinct ends that executions came to: how it ended, the exit status
 * and what the program printed; and the number of distinct equivalence classes of
 * executions.  Two searches of one program must agree on both.
 *
 * A class is told by a canonical form: the events of each thread, the order of every
 * two that conflict, straight from the conflict relation, who was woken by whom, and
 * what threads were about to do in the end.  That is slow, and shares no code with the
 * clocks of order.h that it serves to test.  What it shares is the conflict relation: a
 * conflict that is missing there shows in the ends only (tests/random/hidden.h).
 */
#ifndef INSPECT_EXPLORE_OUTCOMES_H
#define INSPECT_EXPLORE_OUTCOMES_H

#include "storage/table.h"
#include "storage/vector.h"
#include "execute/executor.h"

struct outcomes {
	struct table ends; /* hashes of: */
	VECTOR(char *) lines;
	struct table classes; /* hashes of canonical forms */
};

void outcomes_release(struct outcomes *outcomes);
/* Count the execution that has just ended. */
void outcomes_add(struct outcomes *outcomes, const struct executor *executor);
/* What another worker has seen; the line becomes the set's own. */
void outcomes_add_line(struct outcomes *outcomes, char *line);
void outcomes_add_class(struct outcomes *outcomes, uint64_t hash);
/* One line each, sorted; false, with errno, when the file cannot be written. */
bool outcomes_write(const struct outcomes *outcomes, const char *path);

#endif
