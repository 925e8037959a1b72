/*
 * The load balancer: knows who is busy and who is idle, owns the public part of the search tree, gives units to workers,
 * adds up what they report and knows when all is done.  Like the worker it waits for nothing: messages go in, messages
 * come out, and time is told to it.
 */
#ifndef INSPECT_CLUSTER_SHARE_BALANCER_H
#define INSPECT_CLUSTER_SHARE_BALANCER_H

#include "cluster/share/message.h"
#include "cluster/share/tally.h"
#include "cluster/share/tree.h"
#include "execute/facts.h"
#include "storage/vector.h"
#include "execute/owners.h"

struct unit {
	uint64_t id;
	struct branch branch; /* it is what is below */
	bool fresh; /* nothing of it was reported yet */
	struct buffer tail; /* what was reported last: nodes, guide and what is kept, each with its size */
	unsigned worker; /* that has it, if any */
	unsigned deaths; /* workers that were lost with it since something of it was reported */
	double fragile; /* a worker was lost with it: until then, whoever has it reports all the time */
	struct unit *next, *previous;
};

enum { MAX_DEATHS = 3 }; /* for one unit, in the same place: then it is not by chance */

/*
 * A worker as the balancer knows it:
 *
 *             HELLO               READY               balancer_assign(): UNIT
 *   ABSENT ──────────▶ PRESENT ──────────▶ IDLE ◀──────────────────────────────▶ BUSY
 *      ▲                  │                  │     DONE, NEWS, BROKEN; dropped     │
 *      └──────────────────┴──────────────────┴─────────────────────────────────────┘
 *                                  balancer_lose()
 *
 *   ABSENT    not present: nothing is sent to it, it has no unit and knows no facts
 *   PRESENT   it is starting the program, or waits for another to have done so
 *   IDLE      ready and without a unit: one of balancer->idle
 *   BUSY      ready and has a unit, which says so too; only such a one is asked to share, and has something untold
 *
 * A unit is with one worker, or waits, and is never both (balancer_is_valid()).
 */
struct crew_member {
	bool present; /* it has said hello … */
	bool ready; /* … and has started the program */
	bool asked;
	struct unit *unit; /* NULL: idle */
	uint64_t facts; /* the version that it knows */
	double since; /* busy, or idle, since then */
	double heard; /* when it last said something */
	struct untold {
		uint64_t executions, blocked, assumed, transitions, cut;
	} untold; /* not yet reported, as far as it said */
	struct worker_share share; /* for the user */
	bool committed; /* it has reported since that was asked for */
};

struct balancer {
	const struct explore_options *options;
	const struct strategy *strategy;
	void (*send)(void *context, unsigned worker, const struct buffer *message);
	void *context;
	struct tree tree;
	struct unit *units; /* all that are not done */
	VECTOR(struct unit *) waiting; /* those that nobody has */
	uint64_t last_id, epoch;
	struct crew_member *crew;
	unsigned ncrew, nready, nidle;
	bool begun; /* there is no need to wait for all to be ready */
	double hold_until; /* the latest time to begin */
	unsigned *idle; /* who is: nidle of them */
	unsigned nasked; /* of those who are busy, to give something away */
	unsigned next_asked; /* whose turn it is */
	struct untold untold; /* of all together */
	uint32_t depth; /* of the last execution that somebody told of */
	struct result *result;
	struct outcomes outcomes;
	bool unsure;
	struct buffer facts;
	uint64_t facts_version;
	bool share_all; /* memory is not thought private any more */
	bool careful; /* too much was given up as redundant: see balancer.c */
	struct names names;
	struct owners owners; /* of memory, in all processes together */
	bool have_exit_status;
	int32_t exit_status;
	bool stopping; /* only last reports count now */
	const char *broken; /* why the search cannot go on, or NULL */
	double now;
	unsigned speaker; /* the worker whose message is being listened to */
	struct buffer message;
};

/* One unit, which is everything; or nothing, to be filled in from a file. */
void balancer_init(struct balancer *balancer, const struct explore_options *options, const struct strategy *strategy,
		   unsigned workers);
void balancer_begin(struct balancer *balancer);
void balancer_release(struct balancer *balancer);

/* The time is now balancer->now. */
void balancer_receive(struct balancer *balancer, unsigned worker, const void *data, size_t size);
/* A worker is gone; what it had is given to another.  One that comes back says hello again. */
void balancer_lose(struct balancer *balancer, unsigned worker);
/* One that is busy and has not said anything for so many seconds, and is not known to be lost; -1: there is none. */
int balancer_find_silent(const struct balancer *balancer, double seconds);
/* Units for those who are idle. */
void balancer_assign(struct balancer *balancer);
/* Was as much found as the user wants to know? */
bool balancer_has_enough(const struct balancer *balancer);
bool balancer_is_done(const struct balancer *balancer);

/* Everybody is to report how far he is. */
void balancer_ask_commit(struct balancer *balancer);
/* Has everybody who is busy? */
bool balancer_has_commits(const struct balancer *balancer);
/* The search is over: nothing is begun any more, nor does it start again. */
void balancer_stop(struct balancer *balancer);
void balancer_quit(struct balancer *balancer);

/* All workers together, with what they have not reported yet. */
struct progress balancer_progress(const struct balancer *balancer, double start);

/* What is said above of each worker and unit, and that the counts are right. */
bool balancer_is_valid(const struct balancer *balancer);

/* For a file. */
void balancer_pack(struct balancer *balancer, struct buffer *buffer);
bool balancer_unpack(struct balancer *balancer, struct packed *packed);

#endif
