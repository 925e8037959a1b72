#include "cluster/share/tree.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "search/dfs/rule.h"
#include "search/strategy.h"
#include "search/dfs/unit.h"

/* What the strategy keeps about the way to a node: the same for all that were made public at once. */
struct kept {
	unsigned users;
	struct buffer bytes;
};

/* An offer that waits until the node's last branch has been run for the first time. */
struct held_offer {
	struct held_offer *next;
	uint64_t unit;
	unsigned taken; /* by the branch it comes from, at this node */
	struct buffer bytes;
};

struct public_node {
	struct branch branch; /* that leads to it */
	uint32_t depth; /* the number of the node */
	struct node node; /* its thread and choice are those claimed last */
	struct sleeper *explored; /* the threads in node.done, as they were claimed */
	uint32_t nexplored;
	bool started; /* the branch claimed last has been run: node.op and node.choices are its */
	bool queued;
	uint32_t open; /* branches that are being explored … */
	uint16_t running[MAX_THREADS]; /* … of each thread */
	uint64_t partial; /* threads that were being explored when the last one was claimed with its first outcome */
	struct kept *kept;
	struct held_offer *held;
	struct public_node *next, *previous;
	uint64_t number; /* while the tree is written */
};

uint32_t tree_depth(const struct branch *branch)
{
	return branch->from ? branch->from->depth + 1 : 0;
}

/* --- the facts of tree.h --- */

static bool public_is_valid(const struct public_node *public_node)
{
	const struct public_node *above = public_node->branch.from;
	uint32_t running = 0;

	for (unsigned i = 0; i < MAX_THREADS; i++)
		running += public_node->running[i];
	return running == public_node->open && public_node->depth == tree_depth(&public_node->branch) &&
	       (!above || (above->open && public_node->branch.nexplored <= above->nexplored)) &&
	       (!public_node->queued || public_node->started) && (!public_node->held || !public_node->started) &&
	       (public_node->started || public_node->open) && public_node->kept->users &&
	       public_node->node.thread < MAX_THREADS;
}

bool tree_is_valid(const struct tree *tree)
{
	uint64_t count = 0, waiting = 0, queued = 0;

	for (const struct public_node *public_node = tree->first; public_node; public_node = public_node->next) {
		if (!public_is_valid(public_node) ||
		    (public_node->next ? public_node->next->previous : tree->last) != public_node)
			return false;
		count++;
		queued += public_node->queued;
	}
	for (uint32_t i = 0; i < tree->depths; i++)
		waiting += tree->waiting[i].count;
	return count == tree->count && waiting == queued && waiting == tree->nwaiting;
}

/* --- the view of one node --- */

/* The nodes above the branch, as they were when each was left. */
static void view_path(struct tree *tree, const struct branch *branch)
{
	struct dfs *view = &tree->view;
	uint32_t depth = tree_depth(branch);
	const struct branch **path = xmalloc(depth * sizeof *path);

	for (const struct branch *b = branch; b->from; b = &b->from->branch)
		path[b->from->depth] = b;
	invariant(!depth || path[depth - 1] == branch);
	view->nnodes = 0;
	view->explored.count = 0;
	for (uint32_t i = 0; i < depth; i++) {
		*dfs_push(view) = path[i]->node;
		for (uint32_t k = 0; k < path[i]->nexplored; k++) {
			struct sleeper sleeper = path[i]->from->explored[k];
			sleeper.partial |= path[i]->partial >> sleeper.thread & 1;
			explored_add(&view->explored, &sleeper, i);
		}
	}
	free(path);
}

/* The way to the node, and the node as it is now. */
static struct node *view_node(struct tree *tree, const struct public_node *public_node)
{
	view_path(tree, &public_node->branch);
	struct node *node = dfs_push(&tree->view);
	*node = public_node->node;
	for (uint32_t k = 0; k < public_node->nexplored; k++)
		explored_add(&tree->view.explored, &public_node->explored[k], public_node->depth);
	return node;
}

static void store_explored(struct tree *tree, struct public_node *public_node)
{
	const struct explored_list *list = &tree->view.explored;
	uint32_t first = list->count;

	while (first && list->items[first - 1].node == public_node->depth)
		first--;
	invariant(list->count - first >= public_node->nexplored); /* what was claimed stays claimed */
	public_node->nexplored = list->count - first;
	public_node->explored =
		xrealloc(public_node->explored, (public_node->nexplored + 1) * sizeof *public_node->explored);
	for (uint32_t k = 0; k < public_node->nexplored; k++)
		public_node->explored[k] = list->items[first + k].sleeper;
}

/* --- nodes with something to claim --- */

static bool has_more(struct tree *tree, struct public_node *public_node)
{
	/* only the node itself is looked at, so it need not be in its place */
	struct node *node;

	tree->view.nnodes = 0;
	node = dfs_push(&tree->view);
	*node = public_node->node;
	return dfs_has_more(&tree->view, 0);
}

static void queue(struct tree *tree, struct public_node *public_node)
{
	if (public_node->queued || !public_node->started || !has_more(tree, public_node))
		return;
	uint32_t before = tree->depths;
	tree->waiting = array_grow(tree->waiting, &tree->depths, public_node->depth + 1ull, sizeof *tree->waiting);
	memset(tree->waiting + before, 0, (tree->depths - before) * sizeof *tree->waiting);
	struct waiting *waiting = &tree->waiting[public_node->depth];
	invariant(public_node->started && !public_node->queued);
	vector_add(waiting, public_node);
	public_node->queued = true;
	tree->nwaiting++;
}

static struct public_node *take_waiting(struct tree *tree)
{
	for (uint32_t depth = 0; tree->nwaiting && depth < tree->depths; depth++) {
		struct waiting *waiting = &tree->waiting[depth];
		for (uint32_t i = waiting->count; i-- > 0;) {
			struct public_node *public_node = waiting->items[i];
			invariant(public_node->queued && public_node->depth == depth);
			if (tree->careful && public_node->open)
				continue;
			waiting->items[i] = waiting->items[--waiting->count];
			public_node->queued = false;
			tree->nwaiting--;
			return public_node;
		}
	}
	return NULL;
}

/* --- nodes --- */

void tree_init(struct tree *tree, const struct strategy *strategy)
{
	*tree = (struct tree){.answer = tree->answer, .context = tree->context};
	dfs_init(&tree->view, strategy->rule, NULL);
	tree->view.partial = true;
}

static void release_kept(struct kept *kept)
{
	invariant(kept->users);
	if (--kept->users)
		return;
	buffer_release(&kept->bytes);
	free(kept);
}

static void free_node(struct tree *tree, struct public_node *public_node)
{
	invariant(tree->count && (public_node->next || tree->last == public_node));
	if (public_node->previous)
		public_node->previous->next = public_node->next;
	else
		tree->first = public_node->next;
	if (public_node->next)
		public_node->next->previous = public_node->previous;
	else
		tree->last = public_node->previous;
	tree->count--;
	while (public_node->held) {
		struct held_offer *next = public_node->held->next;
		buffer_release(&public_node->held->bytes);
		free(public_node->held);
		public_node->held = next;
	}
	tree->view.nnodes = 0;
	*dfs_push(&tree->view) = public_node->node;
	if (tree->view.rule->forget_node)
		tree->view.rule->forget_node(&tree->view, 0);
	release_kept(public_node->kept);
	free(public_node->explored);
	free(public_node);
}

void tree_release(struct tree *tree)
{
	while (tree->last)
		free_node(tree, tree->last);
	for (uint32_t i = 0; i < tree->depths; i++)
		vector_release(&tree->waiting[i]);
	memory_free(tree->waiting);
	dfs_release(&tree->view);
}

static struct public_node *new_node(struct tree *tree, const struct branch *branch, struct kept *kept)
{
	struct public_node *public_node = xcalloc(1, sizeof *public_node);

	public_node->branch = *branch;
	public_node->depth = tree_depth(branch);
	public_node->kept = kept;
	kept->users++;
	public_node->previous = tree->last;
	if (tree->last)
		tree->last->next = public_node;
	else
		tree->first = public_node;
	tree->last = public_node;
	tree->count++;
	return public_node;
}

/* The branch that was claimed last there. */
static struct branch current_branch(struct public_node *public_node)
{
	struct branch branch = {.from = public_node, .node = public_node->node, .nexplored = public_node->nexplored};

	branch.node.todo = 0;
	for (uint32_t k = 0; k < public_node->nexplored; k++)
		if (public_node->running[public_node->explored[k].thread])
			branch.partial |= thread_bit(public_node->explored[k].thread);
	/* what came from them in the meantime was not kept for the other outcomes */
	branch.partial |= public_node->partial;
	public_node->partial = branch.partial;
	return branch;
}

bool tree_publish(struct tree *tree, struct branch *branch, uint32_t count, struct packed *nodes, struct packed bytes)
{
	struct kept *kept;
	uint32_t depth = tree_depth(branch);

	if (!count)
		return true;
	kept = xcalloc(1, sizeof *kept);
	kept->users = 1;
	pack_raw(&kept->bytes, bytes.at, packed_left(&bytes));
	view_path(tree, branch);
	for (uint32_t i = 0; i < count; i++)
		unit_unpack_node(&tree->view, nodes);
	/* making nodes below changes nothing in the view but looking whether they have more does */
	struct node *made = xmalloc(count * sizeof *made);
	memcpy(made, tree->view.nodes + depth, count * sizeof *made);
	struct public_node **public_node = xmalloc(count * sizeof *public_node);
	for (uint32_t i = 0; i < count && !nodes->broken; i++) {
		public_node[i] = new_node(tree, branch, kept);
		public_node[i]->node = made[i];
		public_node[i]->started = true;
		public_node[i]->open = 1;
		public_node[i]->running[made[i].thread] = 1;
		for (uint32_t k = 0; k < tree->view.explored.count; k++) {
			const struct explored *explored = &tree->view.explored.items[k];
			if (explored->node != depth + i)
				continue;
			public_node[i]->explored =
				xrealloc(public_node[i]->explored,
					 (public_node[i]->nexplored + 1) * sizeof *public_node[i]->explored);
			public_node[i]->explored[public_node[i]->nexplored++] = explored->sleeper;
		}
		*branch = current_branch(public_node[i]);
	}
	for (uint32_t i = 0; i < count && !nodes->broken; i++)
		queue(tree, public_node[i]);
	free(made);
	free(public_node);
	release_kept(kept);
	debug_invariant(nodes->broken || tree_is_valid(tree));
	return !nodes->broken;
}

/* --- offers --- */

/*
 * The node in the view is as whoever offers would see it if all was up to date: what others have claimed there
 * is done, his own branch is what is being explored.
 */
static void bring_up_to_date(struct tree *tree, const struct public_node *public_node, unsigned taken)
{
	invariant(public_node->depth < tree->view.nnodes && taken < MAX_THREADS);
	struct node *node = &tree->view.nodes[public_node->depth];

	*node = public_node->node;
	for (uint32_t k = 0; k < public_node->nexplored; k++)
		explored_add(&tree->view.explored, &public_node->explored[k], public_node->depth);
	if (!(node->done >> node->thread & 1)) {
		struct sleeper sleeper = {.op = node->op, .thread = node->thread};
		explored_add(&tree->view.explored, &sleeper, public_node->depth);
		node->done |= thread_bit(node->thread);
	}
	node->done &= ~thread_bit(taken);
	node->thread = (uint8_t)taken;
}

static void answer(struct tree *tree, const struct public_node *public_node, uint64_t unit, unsigned taken)
{
	struct buffer known = {0};

	unit_pack_known(&tree->view, public_node->depth, taken, &known);
	tree->answer(tree->context, unit, public_node->depth, &known);
	buffer_release(&known);
}

static void accept(struct tree *tree, struct public_node *public_node, uint64_t unit, unsigned taken,
		   struct packed offer)
{
	const struct dfs_rule *rule = tree->view.rule;

	invariant(public_node->started);
	view_path(tree, &public_node->branch);
	dfs_push(&tree->view);
	bring_up_to_date(tree, public_node, taken);
	if (rule->accept)
		rule->accept(&tree->view, public_node->depth, &offer);
	else
		dfs_accept_demand(&tree->view, public_node->depth, &offer);
	public_node->node.todo = tree->view.nodes[public_node->depth].todo;
	public_node->node.backtrack = tree->view.nodes[public_node->depth].backtrack;
	answer(tree, public_node, unit, taken);
	queue(tree, public_node);
}

void tree_offer(struct tree *tree, const struct branch *branch, uint64_t unit, uint32_t node, struct packed offer)
{
	while (branch->from && branch->from->depth > node)
		branch = &branch->from->branch;
	if (!branch->from)
		return;
	struct public_node *public_node = branch->from;
	if (public_node->started) {
		accept(tree, public_node, unit, branch->node.thread, offer);
		return;
	}
	struct held_offer *held = xcalloc(1, sizeof *held), **end = &public_node->held;
	held->unit = unit;
	held->taken = branch->node.thread;
	pack_raw(&held->bytes, offer.at, packed_left(&offer));
	while (*end)
		end = &(*end)->next;
	*end = held;
}

static void accept_held(struct tree *tree, struct public_node *public_node)
{
	struct held_offer *held;

	invariant(public_node->started);
	while ((held = public_node->held)) {
		public_node->held = held->next;
		accept(tree, public_node, held->unit, held->taken, packed_from(held->bytes.data, held->bytes.size));
		buffer_release(&held->bytes);
		free(held);
	}
}

/* A branch whose first worker was lost is run for the first time again, when others may have been claimed. */
static bool is_last_claimed(const struct public_node *public_node, const struct branch *branch)
{
	return public_node->node.thread == branch->node.thread && public_node->node.choice == branch->node.choice;
}

void tree_start(struct tree *tree, struct branch *branch, const struct op *op)
{
	struct public_node *public_node = branch->from;

	branch->node.op = *op;
	branch->node.choices = op->choices;
	if (!public_node || public_node->started || !is_last_claimed(public_node, branch))
		return;
	public_node->node.op = *op;
	public_node->node.choices = op->choices;
	invariant(public_node->open);
	public_node->started = true;
	accept_held(tree, public_node);
	queue(tree, public_node);
}

static void close_branch(struct public_node *public_node, unsigned thread)
{
	invariant(public_node->open && public_node->running[thread]);
	public_node->open--;
	public_node->running[thread]--;
}

/* Nodes below which nothing is left are forgotten, and so on upwards. */
static void settle(struct tree *tree, struct public_node *public_node)
{
	while (public_node && !public_node->open && !public_node->queued) {
		struct public_node *above = public_node->branch.from;
		invariant(!public_node->held && (!above || above->depth + 1 == public_node->depth));
		if (above)
			close_branch(above, public_node->branch.node.thread);
		free_node(tree, public_node);
		public_node = above;
	}
}

void tree_close(struct tree *tree, const struct branch *branch)
{
	struct public_node *public_node = branch->from;

	if (!public_node)
		return;
	close_branch(public_node, branch->node.thread);
	settle(tree, public_node);
	debug_invariant(tree_is_valid(tree));
}

/* --- claims --- */

bool tree_claim(struct tree *tree, struct branch *branch, struct buffer *guide, struct buffer *kept)
{
	struct dfs *view = &tree->view;
	struct public_node *public_node;

	while ((public_node = take_waiting(tree))) {
		unsigned before = view_node(tree, public_node)->thread;
		bool claimed = dfs_advance(view);
		public_node->node = view->nodes[public_node->depth];
		store_explored(tree, public_node);
		if (!claimed) { /* what was left turned out not to be needed */
			settle(tree, public_node);
			continue;
		}
		invariant(public_node->running[public_node->node.thread] < UINT16_MAX);
		if (public_node->node.thread != before)
			public_node->partial = 0;
		invariant(public_node->started); /* one branch after the other */
		*branch = current_branch(public_node);
		public_node->started = false;
		public_node->open++;
		public_node->running[public_node->node.thread]++;
		unit_pack_guide(view, guide);
		if (view->rule->forget_guide)
			view->rule->forget_guide(view);
		pack_raw(kept, public_node->kept->bytes.data, public_node->kept->bytes.size);
		debug_invariant(public_is_valid(public_node));
		slow_invariant(tree_is_valid(tree));
		return true;
	}
	return false;
}

/* --- for workers --- */

void tree_pack_path(struct tree *tree, const struct branch *branch, struct buffer *buffer)
{
	uint32_t depth = tree_depth(branch);
	const struct branch **path = xmalloc(depth * sizeof *path);

	for (const struct branch *b = branch; b->from; b = &b->from->branch)
		path[b->from->depth] = b;
	view_path(tree, branch);
	pack_number(buffer, depth);
	for (uint32_t i = 0; i < depth; i++)
		unit_pack_node(&tree->view, i, buffer);
	for (uint32_t i = 0; i < depth; i++) {
		struct public_node *public_node = path[i]->from;
		if (!public_node->started || (!public_node->node.todo && public_node->nexplored == path[i]->nexplored &&
					      public_node->node.thread == path[i]->node.thread &&
					      public_node->node.backtrack == path[i]->node.backtrack))
			continue; /* there is nothing new */
		struct buffer known = {0};
		tree->view.explored.count = 0; /* of the others nothing is asked any more */
		bring_up_to_date(tree, public_node, path[i]->node.thread);
		unit_pack_known(&tree->view, i, path[i]->node.thread, &known);
		pack_number(buffer, i + 1);
		pack_bytes(buffer, known.data, known.size);
		buffer_release(&known);
	}
	pack_number(buffer, 0);
	free(path);
}

/* --- for files --- */

void tree_pack_branch(struct tree *tree, const struct branch *branch, struct buffer *buffer)
{
	(void)tree;
	pack_number(buffer, branch->from ? branch->from->number + 1 : 0);
	pack_raw(buffer, &branch->node, sizeof branch->node);
	pack_number(buffer, branch->nexplored);
	pack_number(buffer, branch->partial);
}

static struct public_node *find_number(struct tree *tree, uint64_t number)
{
	for (struct public_node *public_node = tree->last; public_node; public_node = public_node->previous)
		if (public_node->number == number)
			return public_node;
	return NULL;
}

void tree_unpack_branch(struct tree *tree, struct branch *branch, struct packed *packed)
{
	uint64_t number = unpack_number(packed);

	*branch = (struct branch){.from = number ? find_number(tree, number - 1) : NULL};
	unpack_raw(packed, &branch->node, sizeof branch->node);
	branch->nexplored = (uint32_t)unpack_number(packed);
	branch->partial = unpack_number(packed);
	branch->node.todo = 0;
	if ((number && !branch->from) || branch->node.thread >= MAX_THREADS ||
	    (branch->from && branch->nexplored > branch->from->nexplored))
		packed->broken = true;
}

static void pack_one(struct tree *tree, struct public_node *public_node, struct buffer *buffer)
{
	tree_pack_branch(tree, &public_node->branch, buffer);
	tree->view.nnodes = 0;
	tree->view.explored.count = 0;
	*dfs_push(&tree->view) = public_node->node;
	for (uint32_t k = 0; k < public_node->nexplored; k++)
		explored_add(&tree->view.explored, &public_node->explored[k], 0);
	unit_pack_node(&tree->view, 0, buffer);
	pack_number(buffer, public_node->started);
	pack_number(buffer, public_node->open);
	pack_raw(buffer, public_node->running, sizeof public_node->running);
	pack_number(buffer, public_node->partial);
	pack_bytes(buffer, public_node->kept->bytes.data, public_node->kept->bytes.size);
	for (const struct held_offer *held = public_node->held; held; held = held->next) {
		pack_number(buffer, held->taken + 1);
		pack_bytes(buffer, held->bytes.data, held->bytes.size);
	}
	pack_number(buffer, 0);
}

void tree_pack(struct tree *tree, struct buffer *buffer)
{
	uint64_t number = 0;

	debug_invariant(tree_is_valid(tree));
	pack_number(buffer, tree->count);
	for (struct public_node *public_node = tree->first; public_node; public_node = public_node->next) {
		public_node->number = number++;
		pack_one(tree, public_node, buffer);
	}
}

static void unpack_held(struct public_node *public_node, struct packed *packed)
{
	uint64_t taken;
	struct held_offer **end = &public_node->held;

	while ((taken = unpack_number(packed)) != 0) {
		struct packed bytes = unpack_bytes(packed);
		*end = xcalloc(1, sizeof **end);
		(*end)->unit = UINT64_MAX; /* nobody waits for the answer any more */
		(*end)->taken = (unsigned)(taken - 1) % MAX_THREADS;
		pack_raw(&(*end)->bytes, bytes.at, packed_left(&bytes));
		end = &(*end)->next;
	}
}

bool tree_unpack(struct tree *tree, struct packed *packed)
{
	uint64_t count = unpack_number(packed);

	for (uint64_t number = 0; number < count && !packed->broken; number++) {
		struct branch branch;
		struct kept *kept = xcalloc(1, sizeof *kept);
		kept->users = 1;
		tree_unpack_branch(tree, &branch, packed);
		struct public_node *public_node = new_node(tree, &branch, kept);
		public_node->number = number;
		release_kept(kept);
		tree->view.nnodes = 0;
		tree->view.explored.count = 0;
		unit_unpack_node(&tree->view, packed);
		public_node->node = tree->view.nodes[0];
		public_node->explored = xmalloc((tree->view.explored.count + 1) * sizeof *public_node->explored);
		for (; public_node->nexplored < tree->view.explored.count; public_node->nexplored++)
			public_node->explored[public_node->nexplored] =
				tree->view.explored.items[public_node->nexplored].sleeper;
		public_node->started = unpack_number(packed);
		public_node->open = (uint32_t)unpack_number(packed);
		unpack_raw(packed, public_node->running, sizeof public_node->running);
		public_node->partial = unpack_number(packed);
		struct packed bytes = unpack_bytes(packed);
		pack_raw(&kept->bytes, bytes.at, packed_left(&bytes));
		unpack_held(public_node, packed);
	}
	for (struct public_node *public_node = tree->first; public_node && !packed->broken;
	     public_node = public_node->next)
		queue(tree, public_node);
	packed->broken |= !tree_is_valid(tree); /* the file may say anything */
	return !packed->broken;
}
