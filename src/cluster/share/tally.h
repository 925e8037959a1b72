/*
 * What executions amount to: numbers, findings and ends, packed by workers and added up by the balancer.
 */
#ifndef INSPECT_CLUSTER_SHARE_TALLY_H
#define INSPECT_CLUSTER_SHARE_TALLY_H

#include "common/pack.h"
#include "explore/explorer.h"

/* What a worker has told already. */
struct told {
	uint64_t executions, blocked, assumed, transitions;
	struct told_counts {
		uint64_t *counts; /* per finding of the result: how often it was seen */
		unsigned count;
	} findings, warnings;
	unsigned nnotes;
	uint64_t *limits; /* per limit of the result: how often it was reached */
	unsigned nlimits;
	uint64_t cut; /* what was spent on them: result_cut_steps() */
};

/* What came since, and then it is told. */
void tally_pack(struct explorer *explorer, struct told *told, struct buffer *buffer);
/* Nothing was told, and nothing but findings is there. */
void tally_forget(struct explorer *explorer, struct told *told);

/* Add it up. */
void tally_add(struct result *result, struct outcomes *outcomes, bool *unsure, struct packed *packed);

/* The finding becomes the result's, or is freed if that has it. */
/* Unless it is known.  It is the result's then. */
void finding_add(struct result *result, struct finding *finding);

/* For a file. */
void result_pack(const struct result *result, struct buffer *buffer);
void result_unpack(struct result *result, struct packed *packed);
void outcomes_pack(const struct outcomes *outcomes, struct buffer *buffer);
void outcomes_unpack(struct outcomes *outcomes, struct packed *packed);

#endif
