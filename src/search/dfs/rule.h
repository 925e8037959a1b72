/*
 * What one depth-first search does and another does not: a rule plugs into the stack of dfs.h, which makes nodes for new
 * events, goes back from node to node and makes the plans.
 *
 *   init      before the first execution; may set dfs->data.  May be NULL
 *   analyse   after every execution, also one that fell asleep.  The nodes dfs->branch … dfs->nnodes - 1 are new: their
 *             backtrack sets hold just the thread that ran.  dfs->order has clocks for all events and the races whose
 *             second event is new.  The rule adds threads to the backtrack sets of any node, with node_add() or dfs_demand()
 *   release   at the end; frees dfs->data.  May be NULL
 *
 * It may rely on this: a node's `enabled` is exact; outcomes within one operation (which waiter a signal wakes) are all
 * explored without its help; a thread added to a backtrack set is explored before the node is left; `uses_sleep` makes the
 * search pass to each branch, as asleep, the threads explored before it.
 *
 * It must see to this: when it has nothing more to add, every execution of the program is equivalent to one that was run.
 * It must not run executions, look at the program, or change a node's other fields.
 *
 * A rule that keeps more than a set of threads for each node (optimal, in node.todo, node.open and node.any_choice) has
 * more functions, which are NULL for the others:
 *
 *   advance   move the last node to its next alternative; false when there is none
 *   has_more  is there one, besides what is being explored from the node?
 *   guide     add to the plan how the execution is to go on
 *   ask       have the thread, which is enabled at the node, explored there, whatever it does
 *   pack_node, unpack_node, forget_node       what it keeps for one node
 *   pack_guide, unpack_guide, forget_guide    what guide() would add
 *   pack_kept, unpack_kept                    what else it keeps that concerns the nodes up to the last one
 *
 * What must be explored from a node of others (dfs.h, `base`) is offered to them with dfs->offer, and `accept` takes such
 * an offer in; NULL where dfs_demand() is all that it uses.
 */
#ifndef INSPECT_SEARCH_DFS_RULE_H
#define INSPECT_SEARCH_DFS_RULE_H

#include "search/dfs/dfs.h"

struct dfs_rule {
	bool uses_sleep;
	bool gives_copies; /* workers share a branch by giving a copy of the nodes above it away (ddpor, for comparison) */
	void (*init)(struct dfs *dfs);
	void (*analyse)(struct dfs *dfs, const struct trace *trace);
	void (*release)(struct dfs *dfs);
	bool (*advance)(struct dfs *dfs);
	bool (*has_more)(const struct dfs *dfs, uint32_t node);
	void (*guide)(const struct dfs *dfs, struct plan *plan);
	void (*demand)(struct dfs *dfs, uint32_t node, unsigned thread);
	void (*accept)(struct dfs *dfs, uint32_t node, struct packed *offer);
	void (*pack_node)(const struct dfs *dfs, uint32_t node, struct buffer *buffer);
	void (*unpack_node)(struct dfs *dfs, uint32_t node, struct packed *packed);
	void (*forget_node)(struct dfs *dfs, uint32_t node);
	void (*pack_guide)(const struct dfs *dfs, struct buffer *buffer);
	void (*unpack_guide)(struct dfs *dfs, struct packed *packed);
	void (*forget_guide)(struct dfs *dfs);
	void (*pack_kept)(const struct dfs *dfs, struct buffer *buffer);
	void (*unpack_kept)(struct dfs *dfs, struct packed *packed);
};

extern const struct dfs_rule rule_all, rule_dpor, rule_ddpor, rule_source, rule_optimal;

#endif
