/*
 * A search by several workers, on this machine or with MPI; or by one, with checkpoints.
 */
#ifndef INSPECT_CLUSTER_CLUSTER_H
#define INSPECT_CLUSTER_CLUSTER_H

#include "explore/explore.h"

struct cluster_options {
	unsigned jobs; /* workers on this machine */
	const char *checkpoint; /* file, or NULL */
	double checkpoint_seconds; /* how often it is written */
	const char *resume; /* file, or NULL */
	double worker_seconds; /* after which a worker that says nothing is given up */
	bool is_built; /* the program was built for this search: other machines do not have it */
};

/*
 * If MPI has started this process, with others: join them.  Returns true in the first one, whose searches are then made by
 * the others, which do not return.  They leave when it exits.  The flag is that of explore_options: set by a signal.
 * Signals of faults must be handled after this: MPI has handlers of its own.
 */
bool cluster_join(volatile sig_atomic_t *interrupted);
bool cluster_has_joined(void);

/* Like explore(). */
struct result *cluster_explore(const struct explore_options *options, const struct cluster_options *cluster);

#endif
