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
 *   - at a forced node no other thread can be chosen; its thread's operation may have other outcomes all the same.
 *
 * A part of a search (unit.h) begins with nodes that belong to others, up to `base`.  Nothing is left to do
 * for us there, and who finds that something must be explored from one of them offers it instead.
 */
#ifndef INSPECT_SEARCH_DFS_SEARCH_H
#define INSPECT_SEARCH_DFS_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/pack.h"
#include "search/stateful/meetings.h"
#include "order/order.h"
#include "wire/plan.h"

struct node {
	uint64_t enabled, sleep, backtrack, done;
	uint64_t
		asleep_after; /* who still sleeps after `op`; 0 where that is not known, or there are several workers */
	uint64_t cut; /* threads below whose steps executions were cut short: there is more than was explored */
	uint64_t elsewhere; /* at a node of others: threads that they explore, and that we need not offer */
	struct op op; /* what `thread` did here */
	uint32_t todo; /* the strategy's own */
	uint16_t choice, choices, first_choice;
	uint8_t thread;
	bool forced;
	bool open, any_choice; /* the strategy's own, too */
};

/* A thread that was explored from a node, or will be, and what it did there. */
struct sleeper {
	struct op op;
	uint8_t thread;
	bool partial; /* not all that follows from it was known when it went to sleep: it is being explored elsewhere */
};

struct explored {
	struct sleeper sleeper;
	uint32_t node;
};

struct explored_list {
	struct explored *items; /* those of lower nodes first */
	uint32_t count, size;
};

/* What a search that keeps states (stateful.c) knows about them. */
struct search_states {
	uint64_t count;
	uint64_t hits; /* steps that led to a state that was known */
	uint64_t forgotten; /* to make room for others */
	uint64_t bytes; /* of memory for them */
	bool full; /* there was no room for one more */
	bool weak; /* there are atomic operations that do not order what they should */
	bool timed_out, spun; /* in some execution a time limit was reached as a last resort; … a round was in vain */
	bool livelock; /* the last execution went once round one, from its last state back to it */
	bool endless; /* from some of them no execution comes to an end */
	bool inexact; /* two of them that were taken for one are not the same */
	struct meeting_list meetings; /* in those that the last execution was the first to come to */
};

struct channel;
struct search;

/* Something must be explored from the node of others: what it is, is for strategy->accept() there. */
typedef void offer_function(void *context, uint32_t node, const struct buffer *offer);

struct search {
	struct node *nodes;
	uint32_t nnodes, nodes_size;
	uint32_t branch; /* first node that the last execution made */
	uint32_t nmade; /* after search_begin(): so many are made, those after nnodes for an execution that goes on */
	uint32_t early; /* so many of the first nodes are not given up when the execution was cut short */
	uint32_t nplanned; /* the steps of so many of the first nodes are in the plan already */
	struct order order; /* happens-before of the last execution */
	const struct strategy *strategy;
	uint32_t base; /* so many of the first nodes belong to others */
	offer_function *offer; /* for those */
	void *offer_context;
	struct explored_list explored; /* threads in `done` of the nodes, if the strategy wants to know what they did */
	struct explored_list elsewhere; /* the same for those in `elsewhere` */
	bool partial; /* there may be some among them that are partial */
	bool all_states; /* dpor: every state in conflict is updated, not the last one only */
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
/* The same for a search that goes on with another part: only what was kept for nodes is forgotten. */
void search_forget(struct search *search);

/*
 * Take in a finished execution: nodes for its new events, happens-before, then the
 * strategy.  An execution that was cut short counts as well: the races of one that
 * fell asleep may not show in any other.  Where stop_due() (common/stopping.h), not all of that may have been
 * done, and nothing that the search would say from then on counts.
 */
void search_analyse(struct search *search, const struct trace *trace);

/*
 * The last execution was cut short, and so would be most of those that differ from it near its end: what was to be
 * explored from the second half of its nodes is given up, so that few executions that are cut come to other places; all but where others were asked for.  (No
 * search that was cut is complete.)
 */
void search_give_up_end(struct search *search);

/*
 * The same in parts, for one that is going on: what can be done about the first `nevents` of its events, which do not
 * change any more.  Only where they begin with those that the plan has in common with the last execution.
 */
void search_begin(struct search *search, const struct trace *trace);
void search_follow(struct search *search, const struct trace *trace, uint32_t nevents);

/*
 * A plan that leads to the top of the stack and takes its step.  It is always the same plan, whose
 * steps nobody else changes unless nplanned is set to 0.
 */
void search_plan(struct search *search, struct plan *plan);

/* The next plan, into *plan; false when nothing is left to do. */
bool search_next(struct search *search, struct plan *plan);

/* Move the last node to its next alternative; false when it has none left. */
bool search_advance(struct search *search);
/* With how many of the steps of this plan the next one will begin at least, if that is easy to tell; else 0. */
uint32_t search_sure_steps(const struct search *search);
/* Is there anything to do at the node besides what is being explored from there? */
bool search_has_more(const struct search *search, uint32_t node);

/*
 * One of the threads must be explored from the node: `thread`, if it is one of them and none is yet.  If none of
 * them can move there, all that can.
 */
void search_ask(struct search *search, uint32_t node, uint64_t threads, unsigned thread);
/* What search_ask() offered, at the node's owner. */
void search_accept_ask(struct search *search, uint32_t node, struct packed *offer);

/* One more node, to be filled in. */
struct node *search_push(struct search *search);

void explored_add(struct explored_list *list, const struct sleeper *sleeper, uint32_t node);
/* Forget those of this node and of the ones after it. */
void explored_cut(struct explored_list *list, uint32_t node);

/* Ask for `thread` to be explored at the node, if it is enabled there and not asleep. */
void node_add(struct node *node, unsigned thread);

/* As event_is_decision(). */
static inline bool node_is_decision(const struct node *node)
{
	return !node->forced || node->choices > 1;
}

#endif
