/*
 * A worker: explores one unit after the other.  It does one thing at a time and waits for nothing, so that whoever runs
 * it (cluster.c, or a simulator) decides when.
 */
#ifndef INSPECT_CLUSTER_SHARE_WORKER_H
#define INSPECT_CLUSTER_SHARE_WORKER_H

#include "cluster/share/message.h"
#include "cluster/share/tally.h"
#include "execute/facts.h"
#include "storage/vector.h"
#include "execute/owners.h"
#include "search/dfs/dfs.h"

/*
 *            UNIT                     news of threads or memory: SYNC
 *   IDLE ──────────────▶ BUSY ─────────────────────────────────────────▶ WAITING
 *    ▲                    │ ▲                   SYNCED                      │
 *    │  DONE, NEWS,       │ └───────────────────────────────────────────────┤
 *    │  BROKEN; DROP      │                                                 │
 *    └────────────────────┴─────────────────────────────────────────────────┘
 *
 *   IDLE      without a unit: nobody wants anything of it
 *   BUSY      worker_execute() has something to do: the program was started, there is a plan
 *   WAITING   for an answer, before it can go on; or stopped, in the middle of something (common/stopping.h)
 *   ENDED     QUIT, from any of them
 */
enum worker_state { WORKER_IDLE, WORKER_BUSY, WORKER_WAITING, WORKER_ENDED };

/* Offers for a node that wait until the answer to an earlier one has come. */
struct waiting_offer {
	uint32_t node;
	struct buffer bytes;
};

struct worker {
	const struct explore_options *options;
	const struct strategy *strategy;
	void (*send)(void *context, const struct buffer *message);
	void *context;
	enum worker_state state;
	struct explorer *explorer; /* NULL until there is something to do */
	uint64_t epoch, unit;
	bool fresh; /* the unit's first execution is still to come */
	bool wanted; /* somebody else has nothing to do */
	bool report_due;
	bool stopped; /* in the middle of something (common/stopping.h): only told to quit, it listens */
	struct told told;
	unsigned nfindings, nwarnings; /* that were sent */
	bool news; /* facts were sent, and it is not known yet whether they arrived in time */
	struct names names; /* the numbers of threads that everybody agrees about */
	uint32_t nclaims; /* of memory, that were told */
	bool one_program; /* that of all workers is the same process (a simulator's): they need not tell */
	uint8_t *asked; /* per node of others: an offer has not been answered yet */
	uint32_t asked_size;
	VECTOR(struct waiting_offer) offers;
	struct buffer message;
};

void worker_init(struct worker *worker, const struct explore_options *options, const struct strategy *strategy);
void worker_release(struct worker *worker);

/* For the search of whoever explores for the worker; its context is the worker. */
offer_function worker_offer;

/* The first thing to do. */
void worker_greet(struct worker *worker);
void worker_receive(struct worker *worker, const void *data, size_t size);
/* Run one execution. */
void worker_execute(struct worker *worker);
/* Has it alone run as many executions as are wanted of everybody?  The balancer ends the search as soon as it hears of it. */
bool worker_has_enough(const struct worker *worker);
/* Tell how far it is: executions that no report has told of yet. */
void worker_tell_status(struct worker *worker);

#endif
