/*
 * A search by several workers, on this machine or with MPI; or by one, with a save file.
 */
#ifndef INSPECT_CLUSTER_CLUSTER_H
#define INSPECT_CLUSTER_CLUSTER_H

#include "explore/explore.h"

struct cluster_options {
	unsigned jobs; /* workers on this machine */
	const char *savefile; /* written now and then (--checkpoint), or NULL */
	double savefile_seconds; /* between two writes */
	const char *resume; /* file, or NULL */
	double worker_seconds; /* after which a worker that says nothing is given up */
	bool is_built; /* the program was built for this search: other machines do not have it */
};

/* Like explore(). */
struct result *cluster_explore(const struct explore_options *options, const struct cluster_options *cluster);

#endif
