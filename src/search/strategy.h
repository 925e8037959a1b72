/*
 * The strategy interface: the one place where a search plugs in.
 *
 * A strategy sees one finished execution at a time and decides which other
 * executions are worth running.  The search (search.h) keeps a stack with one
 * node per event, runs plans depth first and calls the strategy like this:
 *
 *   init      once, before the first execution; may set search->data.  May be NULL.
 *   analyse   after every execution, also one that fell asleep.  The nodes
 *             search->branch … search->nnodes - 1 are new: their backtrack sets hold
 *             just the thread that ran.  search->order has clocks for all events
 *             and the races whose second event is new.  The strategy adds threads
 *             to the backtrack sets of any node, with node_add().
 *   release   once, at the end; frees search->data.  May be NULL.
 *
 * It may rely on this: a node's `enabled` is exact; outcomes within one operation
 * (which waiter a signal wakes) are all explored without its help; a thread added
 * to a backtrack set is explored before the node is left; `uses_sleep` makes the
 * search pass to each branch, as asleep, the threads explored before it.
 *
 * It must see to this: when it has nothing more to add, every execution of the
 * program is equivalent to one that was run.
 *
 * What it must not do: run executions, look at the program, change a node's other
 * fields.
 *
 * A strategy that keeps more than a set of threads for each node (optimal, in node.todo, node.open and node.any_choice) has
 * more functions, which are NULL for the others:
 *
 *   advance   move the last node to its next alternative; false when there is none
 *   has_more  is there one, besides what is being explored from the node?
 *   guide     add to the plan how the execution is to go on
 *   ask       have the thread, which is enabled at the node, explored there, whatever it does
 *   pack_node, unpack_node    what it keeps for one node; and to forget it
 *   pack_guide, unpack_guide  what guide() would add; and to forget it
 *   pack_kept, unpack_kept    what else it keeps that concerns the nodes up to the last one
 *
 * What must be explored from a node of others (search.h, `base`) is offered to them with search->offer, and
 * `accept` takes such an offer in; NULL where search_ask() is all that it uses.  One that is not a depth-first search
 * (stateful) replaces search_next() instead with `next`, and cannot be shared between workers.
 */
#ifndef INSPECT_SEARCH_STRATEGY_H
#define INSPECT_SEARCH_STRATEGY_H

#include "search/dfs/search.h"

struct strategy {
	const char *name;
	bool uses_sleep;
	void (*init)(struct search *search);
	void (*analyse)(struct search *search, const struct trace *trace);
	bool (*next)(struct search *search, struct plan *plan);
	bool (*advance)(struct search *search);
	bool (*has_more)(const struct search *search, uint32_t node);
	void (*guide)(const struct search *search, struct plan *plan);
	void (*ask)(struct search *search, uint32_t node, unsigned thread);
	void (*accept)(struct search *search, uint32_t node, struct packed *offer);
	void (*pack_node)(const struct search *search, uint32_t node, struct buffer *buffer);
	void (*unpack_node)(struct search *search, uint32_t node, struct packed *packed);
	void (*forget_node)(struct search *search, uint32_t node);
	void (*pack_guide)(const struct search *search, struct buffer *buffer);
	void (*unpack_guide)(struct search *search, struct packed *packed);
	void (*forget_guide)(struct search *search);
	void (*pack_kept)(const struct search *search, struct buffer *buffer);
	void (*unpack_kept)(struct search *search, struct packed *packed);
	void (*release)(struct search *search);
};

extern const struct strategy strategy_all, strategy_dpor, strategy_source, strategy_optimal, strategy_stateful;

/* NULL when there is no strategy of that name. */
const struct strategy *strategy_find(const char *name);

#endif
