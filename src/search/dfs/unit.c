#include "search/dfs/unit.h"

#include "search/strategy.h"

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
	return low;
}

void unit_pack_node(const struct search *search, uint32_t i, struct buffer *buffer)
{
	struct node node = search->nodes[i];
	const struct explored_list *explored = &search->explored;
	uint32_t first = first_explored(explored, i), end = first;

	node.todo = 0;
	pack_raw(buffer, &node, sizeof node);
	while (end < explored->count && explored->items[end].node == i)
		end++;
	pack_number(buffer, end - first);
	for (uint32_t k = first; k < end; k++)
		pack_raw(buffer, &explored->items[k].sleeper, sizeof(struct sleeper));
	if (search->strategy->pack_node)
		search->strategy->pack_node(search, i, buffer);
}

static bool is_possible(const struct node *node)
{
	return node->thread < MAX_THREADS && node->op.kind < EV_COUNT;
}

void unit_unpack_node(struct search *search, struct packed *packed)
{
	struct node *node = search_push(search);
	uint32_t i = search->nnodes - 1;

	unpack_raw(packed, node, sizeof *node);
	packed->broken |= !is_possible(node);
	for (uint32_t left = unpack_count(packed, sizeof(struct sleeper)); left; left--) {
		struct sleeper sleeper;
		unpack_raw(packed, &sleeper, sizeof sleeper);
		explored_add(&search->explored, &sleeper, i);
		search->partial |= sleeper.partial;
	}
	if (search->strategy->unpack_node)
		search->strategy->unpack_node(search, i, packed);
}

/* --- what is known --- */

void unit_pack_known(const struct search *search, uint32_t i, unsigned except, struct buffer *buffer)
{
	const struct node *node = &search->nodes[i];
	uint32_t count = 0;

	pack_number(buffer, node->backtrack);
	for (uint32_t k = 0; k < search->explored.count; k++) {
		const struct explored *explored = &search->explored.items[k];
		count += explored->node == i && explored->sleeper.thread != except;
	}
	pack_number(buffer, count);
	for (uint32_t k = 0; k < search->explored.count; k++) {
		const struct explored *explored = &search->explored.items[k];
		if (explored->node == i && explored->sleeper.thread != except)
			pack_raw(buffer, &explored->sleeper, sizeof explored->sleeper);
	}
	if (search->strategy->pack_node)
		search->strategy->pack_node(search, i, buffer);
}

static void forget_elsewhere(struct search *search, uint32_t node)
{
	struct explored_list *list = &search->elsewhere;
	uint32_t n = 0;

	for (uint32_t k = 0; k < list->count; k++)
		if (list->items[k].node != node)
			list->items[n++] = list->items[k];
	list->count = n;
	search->nodes[node].elsewhere = 0;
}

void unit_unpack_known(struct search *search, uint32_t i, struct packed *packed)
{
	struct node *node = &search->nodes[i];

	node->backtrack |= unpack_number(packed) & node->enabled;
	forget_elsewhere(search, i);
	for (uint32_t left = unpack_count(packed, sizeof(struct sleeper)); left; left--) {
		struct sleeper sleeper;
		unpack_raw(packed, &sleeper, sizeof sleeper);
		sleeper.thread %= MAX_THREADS;
		sleeper.partial = false; /* here, where it was claimed, what follows from it is still waited for */
		explored_add(&search->elsewhere, &sleeper, i);
		node->elsewhere |= thread_bit(sleeper.thread);
	}
	if (search->strategy->forget_node)
		search->strategy->forget_node(search, i);
	if (search->strategy->unpack_node)
		search->strategy->unpack_node(search, i, packed);
}

/* --- the rest --- */

void unit_pack_guide(const struct search *search, struct buffer *buffer)
{
	if (search->strategy->pack_guide)
		search->strategy->pack_guide(search, buffer);
}

void unit_unpack_guide(struct search *search, struct packed *packed)
{
	if (search->strategy->unpack_guide)
		search->strategy->unpack_guide(search, packed);
}

void unit_pack_kept(const struct search *search, struct buffer *buffer)
{
	if (search->strategy->pack_kept)
		search->strategy->pack_kept(search, buffer);
}

void unit_unpack_kept(struct search *search, struct packed *packed)
{
	if (search->strategy->unpack_kept)
		search->strategy->unpack_kept(search, packed);
}
