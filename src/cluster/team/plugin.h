/*
 * What the tool and a plugin for MPI know of each other.  The tool is not linked with MPI, so that it runs where there is
 * none, and with whichever there is: each implementation has a plugin, a shared object of plugin.c alone, which is
 * loaded when the process was started by a launcher of that implementation (cluster/team/launcher.h).
 */
#ifndef INSPECT_CLUSTER_TEAM_PLUGIN_H
#define INSPECT_CLUSTER_TEAM_PLUGIN_H

#include "cluster/team/link.h"

enum { MPI_PLUGIN_VERSION = 1 }; /* of this header and of link.h */

struct mpi_process {
	unsigned rank, size;
	unsigned number; /* among the workers of this machine that may use the same cores, from 0 */
	struct link *link; /* between rank 0, the balancer, and the others, workers from 0 */
	/* The ends.  Everybody is here, and nothing is on its way: false when MPI cannot, which is not to be used any more. */
	bool (*finalize)(void);
	/* Somebody does not answer: all processes are ended, this one with the status. */
	void (*abort)(int status);
};

/* Start MPI.  NULL, or why that is not possible: a text that stays. */
typedef const char *mpi_plugin_join(unsigned version, struct mpi_process *process);
#define MPI_PLUGIN_JOIN "inspect_mpi_join"

#endif
