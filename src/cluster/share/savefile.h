/*
 * A search in a file: what is left to do, what was found and counted.  Any number of workers can go on with it.
 * The file is replaced as a whole, so that there is always a good one.
 */
#ifndef INSPECT_CLUSTER_SHARE_SAVEFILE_H
#define INSPECT_CLUSTER_SHARE_SAVEFILE_H

#include "cluster/share/balancer.h"
#include "common/digest.h"

/* What a save file is of: taken before the search begins, the program may be built again while it runs. */
struct identity {
	struct digest program, options;
};

struct identity savefile_identity(const struct balancer *balancer);

/* die()s when it could not be written. */
void savefile_try(const char *path);
/* False, with errno, when it cannot be written. */
bool savefile_write(const char *path, const struct identity *identity, struct balancer *balancer);
/* die()s when the file is damaged, or of another program, search or version. */
void savefile_read(const char *path, const struct identity *identity, struct balancer *balancer);
/* Nothing is left to go on with. */
void savefile_remove(const char *path);

#endif
