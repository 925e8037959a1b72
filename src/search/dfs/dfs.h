/*
 * The search stack: one node per event of the current execution, with what was
 * done there and what is still to do.  It is the whole state of a depth-first
 * search without stored program states, and plain data.
 *
 * Node i is the state before event i.  Facts that hold between executions:
 *   - threads in `done` were explored from this node, all their choices included;
 *   - `thread` is being explored now, with `choice` of `choices`;
 *   - `backtrack` has what must be explored; done and thread are in it;
 *   - `sleep` is what slept when the node was entered: exploring it is redundant, and it is not in backtrack;
 *   - all of them were enabled there;
 *   - at a forced node no other thread can be chosen; its thread's operation may have other outcomes all the same.
 *
 * A part of a search (unit.h) begins with nodes that belong to others, up to `base`.  Nothing is left to do
 * for us there, and who finds that something must be explored from one of them offers it instead.
 */
#ifndef INSPECT_SEARCH_DFS_DFS_H
#define INSPECT_SEARCH_DFS_DFS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/pack.h"
#include "execute/plan.h"
#include "order/order.h"
#include "search/search.h"

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
	struct explored *items; /* a vector, those of lower nodes first */
	uint32_t count, size;
};

struct dfs;
struct dfs_rule;
struct search;

/* Something must be explored from the node of others: what it is, is for strategy->accept() there. */
typedef void offer_function(void *context, uint32_t node, const struct buffer *offer);

struct dfs {
	struct node *nodes;
	uint32_t nnodes, nodes_size;
	uint32_t branch; /* first node that the last execution made */
	uint32_t early; /* so many of the first nodes are not given up when the execution was cut short */
	uint32_t nplanned; /* the steps of so many of the first nodes are in the plan already */
	struct order *order; /* happens-before of the last execution; NULL where only nodes are looked at */
	const struct dfs_rule *rule;
	uint32_t base; /* so many of the first nodes belong to others */
	offer_function *offer; /* for those */
	void *offer_context;
	struct explored_list explored; /* threads in `done` of the nodes, if the strategy wants to know what they did */
	struct explored_list elsewhere; /* the same for those in `elsewhere` */
	bool partial; /* there may be some among them that are partial */
	bool everything; /* explore every enabled thread that does not sleep: no reduction but sleep sets */
	bool cut; /* the last execution was cut short */
	void *data; /* the rule's own */
};

/* `order` may be NULL for a stack of nodes that no execution is taken in to. */
void dfs_init(struct dfs *dfs, const struct dfs_rule *rule, struct order *order);
void dfs_release(struct dfs *dfs);
/* Begin with another part of the search: only what was kept for nodes is forgotten. */
void dfs_forget(struct dfs *dfs);

/* What a strategy consists of that searches depth first (search/strategy.h). */
void dfs_start(struct search *search);
void dfs_take_in(struct search *search, const struct trace *trace, uint32_t from);
bool dfs_next(struct search *search, struct plan *plan);
enum coverage dfs_coverage(const struct search *search);
void dfs_end(struct search *search);
/* The stack of a search whose strategy has a rule. */
struct dfs *dfs_of(const struct search *search);

/* A plan that leads to the top of the stack and takes its step; always made of the same plan. */
void dfs_plan(struct dfs *dfs, struct plan *plan);

/* Move the last node to its next alternative; false when it has none left. */
bool dfs_advance(struct dfs *dfs);
/* Is there anything to do at the node besides what is being explored from there? */
bool dfs_has_more(const struct dfs *dfs, uint32_t node);

/*
 * One of the threads must be explored from the node: `thread`, if it is one of them and none is yet.  If none of
 * them can move there, all that can.
 */
void dfs_demand(struct dfs *dfs, uint32_t node, uint64_t threads, unsigned thread);
/* What dfs_demand() offered, at the node's owner. */
void dfs_accept_demand(struct dfs *dfs, uint32_t node, struct packed *offer);

/* One more node, to be filled in. */
struct node *dfs_push(struct dfs *dfs);

void explored_add(struct explored_list *list, const struct sleeper *sleeper, uint32_t node);
/* Forget those of this node and of the ones after it. */
void explored_cut(struct explored_list *list, uint32_t node);

/* Ask for `thread` to be explored at the node, if it is enabled there and not asleep. */
void node_add(struct node *node, unsigned thread);

/* The facts above about one node that is ours; about all of the stack, which takes as long as that is. */
bool node_is_valid(const struct node *node);
bool dfs_is_valid(const struct dfs *dfs);

/* As event_is_decision(). */
static inline bool node_is_decision(const struct node *node)
{
	return !node->forced || node->choices > 1;
}

#endif
