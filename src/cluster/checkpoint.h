/*
 * A search in a file: what is left to do, what was found and counted.  Any number of workers can go on with it.
 * The file is replaced as a whole, so that there is always a good one.
 */
#ifndef INSPECT_CLUSTER_CHECKPOINT_H
#define INSPECT_CLUSTER_CHECKPOINT_H

#include "cluster/balancer.h"

/* False, with errno, when it cannot be written. */
bool checkpoint_write(const char *path, struct balancer *balancer);
/* die()s when the file is damaged, or of another program, search or version. */
void checkpoint_read(const char *path, struct balancer *balancer);

#endif
