/*
 * Turning what an execution showed into findings, each replayed before it counts.
 */
#ifndef INSPECT_EXPLORE_RECORD_H
#define INSPECT_EXPLORE_RECORD_H

#include "explore/executor.h"
#include "explore/order.h"

/* What findings are made from; owned by the explorer. */
struct recorder {
	struct executor *executor;
	const struct explore_options *options;
	struct result *result;
	bool have_exit_status;
	int32_t exit_status; /* of the first execution that ended by itself */
	bool replayed; /* the channel's trace is no longer that of the search */
};

/* Copy the channel's trace. */
void record_trace(const struct executor *executor, struct recording *recording);

/*
 * Look at a finished execution and at the races in it.  New findings are replayed,
 * recorded and added to the result; known ones are counted.  False when the search
 * cannot go on: the program is not deterministic, or does what we do not support.
 */
bool record_execution(struct recorder *recorder, const struct order *order);

/* Run the same steps again: a different outcome is a finding, and false. */
bool record_repetition(struct recorder *recorder);

#endif
