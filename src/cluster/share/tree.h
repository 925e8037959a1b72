/*
 * The part of the search tree that several workers have in common: nodes from which parts of the search were given
 * away, and the nodes on the way to them.  It belongs to the balancer; what is below it belongs to one worker each.
 *
 * A branch at a node is claimed once, from here, in the order in which a single search would take them; what workers
 * find to be necessary at one of these nodes is offered to it here.  That makes a claim exact: nothing is explored twice.
 */
#ifndef INSPECT_CLUSTER_SHARE_TREE_H
#define INSPECT_CLUSTER_SHARE_TREE_H

#include "search/dfs/dfs.h"

struct public_node;

/* A step from a public node, below which a worker searches, or which leads to another public node. */
struct branch {
	struct public_node *from; /* NULL: the whole search */
	struct node node; /* as it was when the branch was claimed; todo is not valid */
	uint32_t nexplored; /* how many threads had been claimed there before … */
	uint64_t partial; /* … and which of them were still being explored */
};

/* To somebody who offered something: what is claimed at that node now. */
typedef void answer_function(void *context, uint64_t unit, uint32_t node, const struct buffer *known);

struct tree {
	struct dfs view; /* the way to one node, made for each occasion; its strategy keeps the trees of all nodes */
	struct public_node *first, *last; /* all nodes, parents before children */
	uint64_t count;
	struct waiting {
		struct public_node **items;
		uint32_t count, size;
	} *waiting; /* nodes with something to claim, by depth */
	uint32_t depths; /* of `waiting` */
	uint64_t nwaiting;
	bool careful; /* claim only where nobody else is at work: nothing is given up then that one alone would not */
	answer_function *answer;
	void *context;
};

/*
 * Facts about all public nodes: parents come before children and are one step nearer to the root; of the branches at a node
 * as many are open as are running; a node with something to claim waits once, and only once its last branch was started;
 * offers are held only until then.
 */
bool tree_is_valid(const struct tree *tree);

void tree_init(struct tree *tree, const struct strategy *strategy);
void tree_release(struct tree *tree);

/*
 * The first `count` of a worker's own nodes, packed, become public; *branch is where its part of the search hung, and
 * then where the rest of it hangs.  `kept` is what the strategy keeps.  False when they cannot be right.
 */
bool tree_publish(struct tree *tree, struct branch *branch, uint32_t count, struct packed *nodes, struct packed kept);

/* Claim a branch, as near to the root as there is one; false when there is none.  What goes with it is packed. */
bool tree_claim(struct tree *tree, struct branch *branch, struct buffer *guide, struct buffer *kept);
/* The branch has been run for the first time: what the step was is known now. */
void tree_start(struct tree *tree, struct branch *branch, const struct op *op);
/* Somebody below the branch offers something at a node above it. */
void tree_offer(struct tree *tree, const struct branch *branch, uint64_t unit, uint32_t node, struct packed offer);
/* All below the branch was explored. */
void tree_close(struct tree *tree, const struct branch *branch);

/* The nodes on the way, for a worker that goes on from there. */
void tree_pack_path(struct tree *tree, const struct branch *branch, struct buffer *buffer);

/* The number of nodes above the branch. */
uint32_t tree_depth(const struct branch *branch);

/* All of it, for a file; branches are told by numbers of nodes. */
void tree_pack(struct tree *tree, struct buffer *buffer);
bool tree_unpack(struct tree *tree, struct packed *packed);
void tree_pack_branch(struct tree *tree, const struct branch *branch, struct buffer *buffer);
void tree_unpack_branch(struct tree *tree, struct branch *branch, struct packed *packed);

#endif
