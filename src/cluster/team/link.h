/*
 * One end of the connections between the balancer and its workers.  There are two ways: processes of one machine
 * (local.c) and MPI (mpi.c).  Messages between two peers arrive in the order in which they were sent.
 */
#ifndef INSPECT_CLUSTER_TEAM_LINK_H
#define INSPECT_CLUSTER_TEAM_LINK_H

#include "common/buffer.h"

#include <stdbool.h>

struct link {
	/* To a worker, or to the balancer, who is number 0 for workers.  Never waits for the other side. */
	void (*send)(struct link *link, unsigned peer, const struct buffer *message);
	/*
	 * The next message, which stays valid until the next call; waits for one, up to so many seconds.  False when there
	 * is none.  When a peer is lost, one with the size 0 comes from it.
	 */
	bool (*receive)(struct link *link, double seconds, unsigned *peer, const void **data, size_t *size);
	/* All that was sent is on its way; up to so many seconds. */
	void (*flush)(struct link *link, double seconds);
	void (*close)(struct link *link);
};

#endif
