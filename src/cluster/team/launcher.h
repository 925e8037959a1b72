/*
 * Was this process started by MPI, and by which?
 *
 *   mpirun of Open MPI                  OMPI_COMM_WORLD_RANK     openmpi
 *   mpirun of MPICH and its relatives   PMI_RANK                 mpich
 *   srun --mpi=pmi2 (Slurm)             PMI_RANK                 mpich
 *   srun --mpi=pmix (Slurm)             PMIX_RANK                openmpi
 *
 * With srun either may be meant: INSPECT_MPI=openmpi or INSPECT_MPI=mpich says which.  INSPECT_MPI=none: neither,
 * this is a search of its own.
 */
#ifndef INSPECT_CLUSTER_TEAM_LAUNCHER_H
#define INSPECT_CLUSTER_TEAM_LAUNCHER_H

#include "cluster/team/plugin.h"

/* False when MPI did not start us.  die()s, with one line from the first process, if it did but there is no plugin. */
bool launcher_join(struct mpi_process *process);

/* Does the launcher use this variable, NAME=VALUE, to tell processes who they are? */
bool launcher_owns(const char *variable);

#endif
