/*
 * A worker at its end of the link.
 */
#ifndef INSPECT_CLUSTER_TEAM_SERVE_H
#define INSPECT_CLUSTER_TEAM_SERVE_H

#include "cluster/team/link.h"
#include "explore/explore.h"
#include "search/strategy.h"

/*
 * Work until told to end, or until the balancer is gone.  `number` is that among the workers that may use the same
 * cores: each keeps to one.
 */
void serve(struct link *link, const struct explore_options *options, const struct strategy *strategy, unsigned number);

#endif
