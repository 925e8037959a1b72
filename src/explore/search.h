/*
 * The search stack: one node per event of the current execution, with what was
 * done there and what is still to do.  It is the whole state of a depth-first
 * search without stored program states, and plain data.
 *
 * Node i is the state before event i.  Facts that hold between executions:
 *   - threads in `done` were explored from this node, all their choices included;
 *   - `thread` is being explored now, with `choice` of `choices`;
 *   - `backtrack` has what must be explored; done and thread are in it;
 *   - `sleep` is what slept when the node was entered: exploring it is redundant;
 *   - at a forced node there is nothing to choose.
 */
#ifndef INSPECT_EXPLORE_SEARCH_H
#define INSPECT_EXPLORE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/order.h"
#include "wire/plan.h"

struct node {
	uint64_t enabled, sleep, backtrack, done;
	struct op op; /* what `thread` did here */
	uint32_t todo; /* the strategy's own */
	uint16_t choice, choices, first_choice;
	uint8_t thread;
	bool forced;
	bool open; /* the strategy's own, too */
};

/* What a search that keeps states (stateful.c) knows about them. */
struct search_states {
	uint64_t count;
	uint64_t hits; /* steps that led to a state that was known */
	uint64_t bytes; /* of memory for them */
	bool full; /* there was no room for one more */
	bool weak; /* there are atomic operations that do not order what they should */
	bool livelock; /* the last execution went once round one, from its last state back to it */
	bool inexact; /* two of them that were taken for one are not the same */
};

struct channel;

struct search {
	struct node *nodes;
	uint32_t nnodes, nodes_size;
	uint32_t branch; /* first node that the last execution made */
	uint32_t nplanned; /* the steps of so many of the first nodes are in the plan already */
	struct order order; /* happens-before of the last execution */
	const struct strategy *strategy;
	bool everything; /* explore every enabled thread that does not sleep: no reduction but sleep sets */
	struct channel *channel; /* of the executor; NULL: nobody keeps states */
	uint64_t state_memory; /* bytes for states */
	struct search_states states;
	void *data; /* the strategy's own */
};

/* The channel and the memory for states must be set before, if the strategy keeps them. */
void search_init(struct search *search, const struct strategy *strategy);
void search_release(struct search *search);
/* Back to the very beginning. */
void search_clear(struct search *search);

/*
 * Take in a finished execution: nodes for its new events, happens-before, then the
 * strategy.  An execution that was cut short counts as well: the races of one that
 * fell asleep may not show in any other.
 */
void search_analyse(struct search *search, const struct trace *trace);

/*
 * A plan that leads to the top of the stack and takes its step.  It is always the same plan, whose
 * steps nobody else changes unless nplanned is set to 0.
 */
void search_plan(struct search *search, struct plan *plan);

/* The next plan, into *plan; false when nothing is left to do. */
bool search_next(struct search *search, struct plan *plan);

/* Ask for `thread` to be explored at the node, if it is enabled there and not asleep. */
void node_add(struct node *node, unsigned thread);

static inline uint64_t thread_bit(unsigned thread)
{
	return 1ull << thread;
}

#endif
