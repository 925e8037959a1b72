/*
 * What a worker that MPI started must know before it can work: the program, its arguments and environment, where it is to
 * run, and the options of the search.  It comes from the balancer, who alone reads the command line: so no worker needs
 * sources, a build or the same environment, and all of them run exactly the same.
 */
#ifndef INSPECT_CLUSTER_TEAM_SETUP_H
#define INSPECT_CLUSTER_TEAM_SETUP_H

#include "common/pack.h"
#include "explore/explore.h"

/* With the program itself, for machines that do not have it; otherwise it is there under its path. */
void setup_pack(const struct explore_options *options, bool with_program, struct buffer *buffer);
/* What is unpacked stays for as long as the command runs.  False when it comes from another version of inspect. */
bool setup_unpack(struct explore_options *options, struct packed *packed);

#endif
