#include "search/dfs/unit.h"

#include "common/invariant.h"
#include "search/dfs/rule.h"

/* --- nodes --- */

/* The first that belongs to this node or to one after it. */
static uint32_t first_explored(const struct explored_list *list, uint32_t node)
{
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (list->items[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	debug_invariant(low == list->count || list->items[low].node >= node);
	debug_invariant(!low || list->items[low - 1].node < node); /* those of lower nodes come first */
	return low;
}

void unit_pack_node(const struct dfs *dfs, uint32_t i, struct buffer *buffer)
{
	invariant(i < dfs->nnodes);
	struct node node = dfs->nodes[i];
	const struct explored_list *explored = &dfs->explored;
	uint32_t first = first_explored(explored, i), end = first;

	node.todo = 0;
	pack_raw(buffer, &node, sizeof node);
	while (end < explored->count && explored->items[end].node == i)
		end++;
	pack_number(buffer, end - first);
	for (uint32_t k = first; k < end; k++)
		pack_raw(buffer, &explored->items[k].sleeper, sizeof(struct sleeper));
	if (dfs->rule->pack_node)
		dfs->rule->pack_node(dfs, i, buffer);
}

static bool is_possible(const struct node *node)
{
	return node->thread < MAX_THREADS && node->op.kind < EV_COUNT;
}

void unit_unpack_node(struct dfs *dfs, struct packed *packed)
{
	struct node *node = dfs_push(dfs);
	uint32_t i = dfs->nnodes - 1;

	unpack_raw(packed, node, sizeof *node);
	packed->broken |= !is_possible(node);
	for (uint32_t left = unpack_count(packed, sizeof(struct sleeper)); left; left--) {
		struct sleeper sleeper;
		unpack_raw(packed, &sleeper, sizeof sleeper);
		explored_add(&dfs->explored, &sleeper, i);
		dfs->partial |= sleeper.partial;
	}
	if (dfs->rule->unpack_node)
		dfs->rule->unpack_node(dfs, i, packed);
}

/* --- what is known --- */

void unit_pack_known(const struct dfs *dfs, uint32_t i, unsigned except, struct buffer *buffer)
{
	const struct node *node = &dfs->nodes[i];
	uint32_t count = 0;

	invariant(i < dfs->nnodes);
	pack_number(buffer, node->backtrack);
	for (uint32_t k = 0; k < dfs->explored.count; k++) {
		const struct explored *explored = &dfs->explored.items[k];
		count += explored->node == i && explored->sleeper.thread != except;
	}
	pack_number(buffer, count);
	for (uint32_t k = 0; k < dfs->explored.count; k++) {
		const struct explored *explored = &dfs->explored.items[k];
		if (explored->node == i && explored->sleeper.thread != except)
			pack_raw(buffer, &explored->sleeper, sizeof explored->sleeper);
	}
	if (dfs->rule->pack_node)
		dfs->rule->pack_node(dfs, i, buffer);
}

static void forget_elsewhere(struct dfs *dfs, uint32_t node)
{
	struct explored_list *list = &dfs->elsewhere;
	uint32_t n = 0;

	for (uint32_t k = 0; k < list->count; k++)
		if (list->items[k].node != node)
			list->items[n++] = list->items[k];
	list->count = n;
	dfs->nodes[node].elsewhere = 0;
}

void unit_unpack_known(struct dfs *dfs, uint32_t i, struct packed *packed)
{
	struct node *node = &dfs->nodes[i];

	invariant(i < dfs->base); /* our own nodes we know ourselves */
	node->backtrack |= unpack_number(packed) & node->enabled;
	forget_elsewhere(dfs, i);
	for (uint32_t left = unpack_count(packed, sizeof(struct sleeper)); left; left--) {
		struct sleeper sleeper;
		unpack_raw(packed, &sleeper, sizeof sleeper);
		sleeper.thread %= MAX_THREADS;
		sleeper.partial = false; /* here, where it was claimed, what follows from it is still waited for */
		explored_add(&dfs->elsewhere, &sleeper, i);
		node->elsewhere |= thread_bit(sleeper.thread);
	}
	if (dfs->rule->forget_node)
		dfs->rule->forget_node(dfs, i);
	if (dfs->rule->unpack_node)
		dfs->rule->unpack_node(dfs, i, packed);
}

/* --- the rest --- */

void unit_pack_guide(const struct dfs *dfs, struct buffer *buffer)
{
	if (dfs->rule->pack_guide)
		dfs->rule->pack_guide(dfs, buffer);
}

void unit_unpack_guide(struct dfs *dfs, struct packed *packed)
{
	if (dfs->rule->unpack_guide)
		dfs->rule->unpack_guide(dfs, packed);
}

void unit_pack_kept(const struct dfs *dfs, struct buffer *buffer)
{
	if (dfs->rule->pack_kept)
		dfs->rule->pack_kept(dfs, buffer);
}

void unit_unpack_kept(struct dfs *dfs, struct packed *packed)
{
	if (dfs->rule->unpack_kept)
		dfs->rule->unpack_kept(dfs, packed);
}
