#include "cluster/share/tree.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "common/vector.h"
#include "search/dfs/rule.h"
#include "search/strategy.h"
#include "search/dfs/unit.h"

/* What the strategy keeps about the way to a node: the same for all that were shared at once. */
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

struct shared {
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
	struct shared *next, *previous;
	uint64_t number; /* while the tree is written */
};

uint32_t tree_depth(const struct branch *branch)
{
	return branch->from ? branch->from->depth + 1 : 0;
}

/* --- the facts of tree.h --- */

static bool shared_is_valid(const struct shared *shared)
{
	const struct shared *above = shared->branch.from;
	uint32_t running = 0;

	for (unsigned i = 0; i < MAX_THREADS; i++)
		running += shared->running[i];
	return running == shared->open && shared->depth == tree_depth(&shared->branch) &&
	       (!above || (above->open && shared->branch.nexplored <= above->nexplored)) &&
	       (!shared->queued || shared->started) && (!shared->held || !shared->started) &&
	       (shared->started || shared->open) && shared->kept->users && shared->node.thread < MAX_THREADS;
}

bool tree_is_valid(const struct tree *tree)
{
	uint64_t count = 0, waiting = 0, queued = 0;

	for (const struct shared *shared = tree->first; shared; shared = shared->next) {
		if (!shared_is_valid(shared) || (shared->next ? shared->next->previous : tree->last) != shared)
			return false;
		count++;
		queued += shared->queued;
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
static struct node *view_node(struct tree *tree, const struct shared *shared)
{
	view_path(tree, &shared->branch);
	struct node *node = dfs_push(&tree->view);
	*node = shared->node;
	for (uint32_t k = 0; k < shared->nexplored; k++)
		explored_add(&tree->view.explored, &shared->explored[k], shared->depth);
	return node;
}

static void store_explored(struct tree *tree, struct shared *shared)
{
	const struct explored_list *list = &tree->view.explored;
	uint32_t first = list->count;

	while (first && list->items[first - 1].node == shared->depth)
		first--;
	invariant(list->count - first >= shared->nexplored); /* what was claimed stays claimed */
	shared->nexplored = list->count - first;
	shared->explored = xrealloc(shared->explored, (shared->nexplored + 1) * sizeof *shared->explored);
	for (uint32_t k = 0; k < shared->nexplored; k++)
		shared->explored[k] = list->items[first + k].sleeper;
}

/* --- nodes with something to claim --- */

static bool has_more(struct tree *tree, struct shared *shared)
{
	/* only the node itself is looked at, so it need not be in its place */
	struct node *node;

	tree->view.nnodes = 0;
	node = dfs_push(&tree->view);
	*node = shared->node;
	return dfs_has_more(&tree->view, 0);
}

static void queue(struct tree *tree, struct shared *shared)
{
	if (shared->queued || !shared->started || !has_more(tree, shared))
		return;
	uint32_t before = tree->depths;
	tree->waiting = array_grow(tree->waiting, &tree->depths, shared->depth + 1ull, sizeof *tree->waiting);
	memset(tree->waiting + before, 0, (tree->depths - before) * sizeof *tree->waiting);
	struct waiting *waiting = &tree->waiting[shared->depth];
	invariant(shared->started && !shared->queued);
	vector_add(waiting, shared);
	shared->queued = true;
	tree->nwaiting++;
}

static struct shared *take_waiting(struct tree *tree)
{
	for (uint32_t depth = 0; tree->nwaiting && depth < tree->depths; depth++) {
		struct waiting *waiting = &tree->waiting[depth];
		for (uint32_t i = waiting->count; i-- > 0;) {
			struct shared *shared = waiting->items[i];
			invariant(shared->queued && shared->depth == depth);
			if (tree->careful && shared->open)
				continue;
			waiting->items[i] = waiting->items[--waiting->count];
			shared->queued = false;
			tree->nwaiting--;
			return shared;
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

static void free_node(struct tree *tree, struct shared *shared)
{
	invariant(tree->count && (shared->next || tree->last == shared));
	if (shared->previous)
		shared->previous->next = shared->next;
	else
		tree->first = shared->next;
	if (shared->next)
		shared->next->previous = shared->previous;
	else
		tree->last = shared->previous;
	tree->count--;
	while (shared->held) {
		struct held_offer *next = shared->held->next;
		buffer_release(&shared->held->bytes);
		free(shared->held);
		shared->held = next;
	}
	tree->view.nnodes = 0;
	*dfs_push(&tree->view) = shared->node;
	if (tree->view.rule->forget_node)
		tree->view.rule->forget_node(&tree->view, 0);
	release_kept(shared->kept);
	free(shared->explored);
	free(shared);
}

void tree_release(struct tree *tree)
{
	while (tree->last)
		free_node(tree, tree->last);
	for (uint32_t i = 0; i < tree->depths; i++)
		vector_release(&tree->waiting[i]);
	free(tree->waiting);
	dfs_release(&tree->view);
}

static struct shared *new_node(struct tree *tree, const struct branch *branch, struct kept *kept)
{
	struct shared *shared = xcalloc(1, sizeof *shared);

	shared->branch = *branch;
	shared->depth = tree_depth(branch);
	shared->kept = kept;
	kept->users++;
	shared->previous = tree->last;
	if (tree->last)
		tree->last->next = shared;
	else
		tree->first = shared;
	tree->last = shared;
	tree->count++;
	return shared;
}

/* The branch that was claimed last there. */
static struct branch current_branch(struct shared *shared)
{
	struct branch branch = {.from = shared, .node = shared->node, .nexplored = shared->nexplored};

	branch.node.todo = 0;
	for (uint32_t k = 0; k < shared->nexplored; k++)
		if (shared->running[shared->explored[k].thread])
			branch.partial |= thread_bit(shared->explored[k].thread);
	/* what came from them in the meantime was not kept for the other outcomes */
	branch.partial |= shared->partial;
	shared->partial = branch.partial;
	return branch;
}

bool tree_share(struct tree *tree, struct branch *branch, uint32_t count, struct packed *nodes, struct packed bytes)
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
	struct shared **shared = xmalloc(count * sizeof *shared);
	for (uint32_t i = 0; i < count && !nodes->broken; i++) {
		shared[i] = new_node(tree, branch, kept);
		shared[i]->node = made[i];
		shared[i]->started = true;
		shared[i]->open = 1;
		shared[i]->running[made[i].thread] = 1;
		for (uint32_t k = 0; k < tree->view.explored.count; k++) {
			const struct explored *explored = &tree->view.explored.items[k];
			if (explored->node != depth + i)
				continue;
			shared[i]->explored =
				xrealloc(shared[i]->explored, (shared[i]->nexplored + 1) * sizeof *shared[i]->explored);
			shared[i]->explored[shared[i]->nexplored++] = explored->sleeper;
		}
		*branch = current_branch(shared[i]);
	}
	for (uint32_t i = 0; i < count && !nodes->broken; i++)
		queue(tree, shared[i]);
	free(made);
	free(shared);
	release_kept(kept);
	debug_invariant(nodes->broken || tree_is_valid(tree));
	return !nodes->broken;
}

/* --- offers --- */

/*
 * The node in the view is as whoever offers would see it if all was up to date: what others have claimed there
 * is done, his own branch is what is being explored.
 */
static void bring_up_to_date(struct tree *tree, const struct shared *shared, unsigned taken)
{
	invariant(shared->depth < tree->view.nnodes && taken < MAX_THREADS);
	struct node *node = &tree->view.nodes[shared->depth];

	*node = shared->node;
	for (uint32_t k = 0; k < shared->nexplored; k++)
		explored_add(&tree->view.explored, &shared->explored[k], shared->depth);
	if (!(node->done >> node->thread & 1)) {
		struct sleeper sleeper = {.op = node->op, .thread = node->thread};
		explored_add(&tree->view.explored, &sleeper, shared->depth);
		node->done |= thread_bit(node->thread);
	}
	node->done &= ~thread_bit(taken);
	node->thread = (uint8_t)taken;
}

static void answer(struct tree *tree, const struct shared *shared, uint64_t unit, unsigned taken)
{
	struct buffer known = {0};

	unit_pack_known(&tree->view, shared->depth, taken, &known);
	tree->answer(tree->context, unit, shared->depth, &known);
	buffer_release(&known);
}

static void accept(struct tree *tree, struct shared *shared, uint64_t unit, unsigned taken, struct packed offer)
{
	const struct dfs_rule *rule = tree->view.rule;

	invariant(shared->started);
	view_path(tree, &shared->branch);
	dfs_push(&tree->view);
	bring_up_to_date(tree, shared, taken);
	if (rule->accept)
		rule->accept(&tree->view, shared->depth, &offer);
	else
		dfs_accept_ask(&tree->view, shared->depth, &offer);
	shared->node.todo = tree->view.nodes[shared->depth].todo;
	shared->node.backtrack = tree->view.nodes[shared->depth].backtrack;
	answer(tree, shared, unit, taken);
	queue(tree, shared);
}

void tree_offer(struct tree *tree, const struct branch *branch, uint64_t unit, uint32_t node, struct packed offer)
{
	while (branch->from && branch->from->depth > node)
		branch = &branch->from->branch;
	if (!branch->from)
		return;
	struct shared *shared = branch->from;
	if (shared->started) {
		accept(tree, shared, unit, branch->node.thread, offer);
		return;
	}
	struct held_offer *held = xcalloc(1, sizeof *held), **end = &shared->held;
	held->unit = unit;
	held->taken = branch->node.thread;
	pack_raw(&held->bytes, offer.at, packed_left(&offer));
	while (*end)
		end = &(*end)->next;
	*end = held;
}

static void accept_held(struct tree *tree, struct shared *shared)
{
	struct held_offer *held;

	while ((held = shared->held)) {
		shared->held = held->next;
		accept(tree, shared, held->unit, held->taken, packed_from(held->bytes.data, held->bytes.size));
		buffer_release(&held->bytes);
		free(held);
	}
}

/* A branch whose first worker was lost is run for the first time again, when others may have been claimed. */
static bool is_last_claimed(const struct shared *shared, const struct branch *branch)
{
	return shared->node.thread == branch->node.thread && shared->node.choice == branch->node.choice;
}

void tree_start(struct tree *tree, struct branch *branch, const struct op *op)
{
	struct shared *shared = branch->from;

	branch->node.op = *op;
	branch->node.choices = op->choices;
	if (!shared || shared->started || !is_last_claimed(shared, branch))
		return;
	shared->node.op = *op;
	shared->node.choices = op->choices;
	invariant(shared->open);
	shared->started = true;
	accept_held(tree, shared);
	queue(tree, shared);
}

static void close_branch(struct shared *shared, unsigned thread)
{
	invariant(shared->open && shared->running[thread]);
	shared->open--;
	shared->running[thread]--;
}

/* Nodes below which nothing is left are forgotten, and so on upwards. */
static void settle(struct tree *tree, struct shared *shared)
{
	while (shared && !shared->open && !shared->queued) {
		struct shared *above = shared->branch.from;
		invariant(!shared->held && (!above || above->depth + 1 == shared->depth));
		if (above)
			close_branch(above, shared->branch.node.thread);
		free_node(tree, shared);
		shared = above;
	}
}

void tree_close(struct tree *tree, const struct branch *branch)
{
	struct shared *shared = branch->from;

	if (!shared)
		return;
	close_branch(shared, branch->node.thread);
	settle(tree, shared);
	debug_invariant(tree_is_valid(tree));
}

/* --- claims --- */

bool tree_claim(struct tree *tree, struct branch *branch, struct buffer *guide, struct buffer *kept)
{
	struct dfs *view = &tree->view;
	struct shared *shared;

	while ((shared = take_waiting(tree))) {
		unsigned before = view_node(tree, shared)->thread;
		bool claimed = dfs_advance(view);
		shared->node = view->nodes[shared->depth];
		store_explored(tree, shared);
		if (!claimed) { /* what was left turned out not to be needed */
			settle(tree, shared);
			continue;
		}
		invariant(shared->running[shared->node.thread] < UINT16_MAX);
		if (shared->node.thread != before)
			shared->partial = 0;
		*branch = current_branch(shared);
		shared->started = false;
		shared->open++;
		shared->running[shared->node.thread]++;
		unit_pack_guide(view, guide);
		if (view->rule->forget_guide)
			view->rule->forget_guide(view);
		pack_raw(kept, shared->kept->bytes.data, shared->kept->bytes.size);
		debug_invariant(shared_is_valid(shared));
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
		struct shared *shared = path[i]->from;
		if (!shared->started ||
		    (!shared->node.todo && shared->nexplored == path[i]->nexplored &&
		     shared->node.thread == path[i]->node.thread && shared->node.backtrack == path[i]->node.backtrack))
			continue; /* there is nothing new */
		struct buffer known = {0};
		tree->view.explored.count = 0; /* of the others nothing is asked any more */
		bring_up_to_date(tree, shared, path[i]->node.thread);
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

static struct shared *find_number(struct tree *tree, uint64_t number)
{
	for (struct shared *shared = tree->last; shared; shared = shared->previous)
		if (shared->number == number)
			return shared;
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

static void pack_one(struct tree *tree, struct shared *shared, struct buffer *buffer)
{
	tree_pack_branch(tree, &shared->branch, buffer);
	tree->view.nnodes = 0;
	tree->view.explored.count = 0;
	*dfs_push(&tree->view) = shared->node;
	for (uint32_t k = 0; k < shared->nexplored; k++)
		explored_add(&tree->view.explored, &shared->explored[k], 0);
	unit_pack_node(&tree->view, 0, buffer);
	pack_number(buffer, shared->started);
	pack_number(buffer, shared->open);
	pack_raw(buffer, shared->running, sizeof shared->running);
	pack_number(buffer, shared->partial);
	pack_bytes(buffer, shared->kept->bytes.data, shared->kept->bytes.size);
	for (const struct held_offer *held = shared->held; held; held = held->next) {
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
	for (struct shared *shared = tree->first; shared; shared = shared->next) {
		shared->number = number++;
		pack_one(tree, shared, buffer);
	}
}

static void unpack_held(struct shared *shared, struct packed *packed)
{
	uint64_t taken;
	struct held_offer **end = &shared->held;

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
		struct shared *shared = new_node(tree, &branch, kept);
		shared->number = number;
		release_kept(kept);
		tree->view.nnodes = 0;
		tree->view.explored.count = 0;
		unit_unpack_node(&tree->view, packed);
		shared->node = tree->view.nodes[0];
		shared->explored = xmalloc((tree->view.explored.count + 1) * sizeof *shared->explored);
		for (; shared->nexplored < tree->view.explored.count; shared->nexplored++)
			shared->explored[shared->nexplored] = tree->view.explored.items[shared->nexplored].sleeper;
		shared->started = unpack_number(packed);
		shared->open = (uint32_t)unpack_number(packed);
		unpack_raw(packed, shared->running, sizeof shared->running);
		shared->partial = unpack_number(packed);
		struct packed bytes = unpack_bytes(packed);
		pack_raw(&kept->bytes, bytes.at, packed_left(&bytes));
		unpack_held(shared, packed);
	}
	for (struct shared *shared = tree->first; shared && !packed->broken; shared = shared->next)
		queue(tree, shared);
	packed->broken |= !tree_is_valid(tree); /* the file may say anything */
	return !packed->broken;
}
