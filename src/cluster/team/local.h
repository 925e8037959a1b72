/*
 * Workers that are processes of this machine, each connected by a pair of sockets.
 */
#ifndef INSPECT_CLUSTER_TEAM_LOCAL_H
#define INSPECT_CLUSTER_TEAM_LOCAL_H

#include "cluster/team/link.h"

/* The balancer's end, for so many workers; none is connected yet. */
struct link *local_balancer(unsigned workers);
/* Connect a worker: returns the file for its own end. */
int local_connect(struct link *link, unsigned worker);
/* In the new process: its end is all that is left of the link. */
struct link *local_worker(struct link *balancer, int file);

#endif
