/*
 * The workers of a search, as the search sees them: how they are reached, and what becomes of one that is lost.  There
 * are two kinds, processes that this one starts (local_team.c) and processes that MPI started (mpi_team.c).
 */
#ifndef INSPECT_CLUSTER_TEAM_TEAM_H
#define INSPECT_CLUSTER_TEAM_TEAM_H

#include "cluster/team/link.h"
#include "explore/explore.h"
#include "search/strategy.h"

struct team {
	struct link *link; /* peers are workers, from 0 */
	unsigned workers;
	double patience; /* seconds for the last reports when the search is stopped */
	bool hurried; /* who interrupts us may not even wait so long */
	void (*start)(struct team *team);
	/* A worker is lost.  NULL if another has taken its place, else why the search cannot go on. */
	const char *(*replace)(struct team *team, unsigned worker);
	/* A worker does not say anything any more: end it, so that it is lost, if that is possible; may be NULL. */
	void (*kill)(struct team *team, unsigned worker);
	/* The workers were told to end; may be NULL. */
	void (*stop)(struct team *team);
	void (*free)(struct team *team);
};

/* Processes of this machine. */
struct team *local_team(const struct explore_options *options, const struct strategy *strategy, unsigned workers);
/* Processes that MPI started, of which this is the first: see cluster_join(). */
struct team *mpi_team(const struct explore_options *options, bool with_program);

/*
 * If MPI has started this process, with others: join them.  Returns true in the first one, whose searches are then made by
 * the others, which do not return.  They leave when it exits.  The flag is that of explore_options: set by a signal.
 * Signals of faults must be handled after this: MPI has handlers of its own.
 */
bool cluster_join(volatile sig_atomic_t *interrupted);
bool cluster_has_joined(void);

#endif
