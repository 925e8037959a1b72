/*
 * The parts of std::list, std::map and std::set that are compiled into the C++
 * library and not in its headers, so that their accesses are seen like those of the
 * rest: the links of lists, the steps from node to node of a tree.  Inserting into a
 * tree and removing from it is left to the library; what every use of the tree looks
 * at is announced before it.
 */
#define _GNU_SOURCE
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/cxx/cxx.h"

#include <dlfcn.h>

static void *read_link(void **link, uint32_t site)
{
	__inspect_read(link, sizeof *link, site);
	return *link;
}

static void write_link(void **link, void *value, uint32_t site)
{
	__inspect_write(link, sizeof *link, site);
	*link = value;
}

/* --- std::list: std::__detail::_List_node_base --- */

struct list_node {
	void *next, *previous;
};

#define LIST(name) __asm__("_ZNSt8__detail15_List_node_base" name)
void list_hook(struct list_node *node, struct list_node *before) LIST("7_M_hookEPS0_");
void list_unhook(struct list_node *node) LIST("9_M_unhookEv");
void list_transfer(struct list_node *before, struct list_node *first, struct list_node *last)
	LIST("11_M_transferEPS0_S1_");
void list_reverse(struct list_node *header) LIST("10_M_reverseEv");
void list_swap(struct list_node *a, struct list_node *b) LIST("4swapERS0_S1_");

static void connect(struct list_node *left, struct list_node *right, uint32_t site)
{
	write_link(&left->next, right, site);
	write_link(&right->previous, left, site);
}

void list_hook(struct list_node *node, struct list_node *before)
{
	uint32_t site = rt->current_site;
	struct list_node *previous = read_link(&before->previous, site);

	connect(previous, node, site);
	connect(node, before, site);
}

void list_unhook(struct list_node *node)
{
	uint32_t site = rt->current_site;
	struct list_node *previous = read_link(&node->previous, site), *next = read_link(&node->next, site);

	connect(previous, next, site);
}

/* Nodes from `first` up to, not including, `last` move in front of `before`. */
void list_transfer(struct list_node *before, struct list_node *first, struct list_node *last)
{
	uint32_t site = rt->current_site;

	if (before == last || first == last)
		return;
	struct list_node *left = read_link(&first->previous, site), *end = read_link(&last->previous, site);
	connect(left, last, site);
	connect(read_link(&before->previous, site), first, site);
	connect(end, before, site);
}

void list_reverse(struct list_node *header)
{
	uint32_t site = rt->current_site;
	struct list_node *node = header;

	do {
		struct list_node *next = read_link(&node->next, site);
		write_link(&node->next, read_link(&node->previous, site), site);
		write_link(&node->previous, next, site);
		node = next;
	} while (node != header);
}

/* The nodes of one list get the header of the other. */
static void adopt(struct list_node *header, struct list_node old, const struct list_node *old_header, uint32_t site)
{
	if (old.next == old_header) {
		connect(header, header, site);
	} else {
		connect(header, old.next, site);
		connect(old.previous, header, site);
	}
}

void list_swap(struct list_node *a, struct list_node *b)
{
	uint32_t site = rt->current_site;
	struct list_node of_a = {read_link(&a->next, site), read_link(&a->previous, site)};
	struct list_node of_b = {read_link(&b->next, site), read_link(&b->previous, site)};

	adopt(a, of_b, b, site);
	adopt(b, of_a, a, site);
}

/* --- std::map, std::set: std::_Rb_tree_node_base --- */

/* The parent of the root is the header, whose parent is the root and whose children are the ends. */
struct tree_node {
	uint32_t black;
	void *parent, *left, *right;
};

#define TREE(name) __asm__("_ZSt" name)
#define NODE "St18_Rb_tree_node_base"
struct tree_node *tree_next(struct tree_node *node) TREE("18_Rb_tree_incrementP" NODE);
struct tree_node *tree_next_const(struct tree_node *node) TREE("18_Rb_tree_incrementPK" NODE);
struct tree_node *tree_previous(struct tree_node *node) TREE("18_Rb_tree_decrementP" NODE);
struct tree_node *tree_previous_const(struct tree_node *node) TREE("18_Rb_tree_decrementPK" NODE);
void tree_insert(bool left, struct tree_node *node, struct tree_node *parent, struct tree_node *header)
	TREE("29_Rb_tree_insert_and_rebalancebP" NODE "S0_RS_");
struct tree_node *tree_erase(struct tree_node *node, struct tree_node *header)
	TREE("28_Rb_tree_rebalance_for_eraseP" NODE "RS_");

struct tree_node *tree_next(struct tree_node *node)
{
	uint32_t site = rt->current_site;
	struct tree_node *at = read_link(&node->right, site), *left;

	if (at) {
		while ((left = read_link(&at->left, site)))
			at = left;
		return at;
	}
	at = read_link(&node->parent, site);
	while (node == read_link(&at->right, site)) {
		node = at;
		at = read_link(&at->parent, site);
	}
	/* the root without a right child: its parent is the header, whose right child it is */
	return node->right != at ? at : node;
}

struct tree_node *tree_next_const(struct tree_node *node)
{
	return tree_next(node);
}

/* Only the header is red and its parent's parent. */
static bool is_header(struct tree_node *node, uint32_t site)
{
	struct tree_node *parent = read_link(&node->parent, site);

	return !node->black && read_link(&parent->parent, site) == node;
}

struct tree_node *tree_previous(struct tree_node *node)
{
	uint32_t site = rt->current_site;
	struct tree_node *at, *right;

	if (is_header(node, site))
		return read_link(&node->right, site);
	at = read_link(&node->left, site);
	if (at) {
		while ((right = read_link(&at->right, site)))
			at = right;
		return at;
	}
	at = read_link(&node->parent, site);
	while (node == read_link(&at->left, site)) {
		node = at;
		at = read_link(&at->parent, site);
	}
	return at;
}

struct tree_node *tree_previous_const(struct tree_node *node)
{
	return tree_previous(node);
}

void prepare_containers(void)
{
	*(void **)&rt->cxx.tree_insert = dlsym(RTLD_NEXT, "_ZSt29_Rb_tree_insert_and_rebalancebP" NODE "S0_RS_");
	*(void **)&rt->cxx.tree_erase = dlsym(RTLD_NEXT, "_ZSt28_Rb_tree_rebalance_for_eraseP" NODE "RS_");
}

/* A constructor comes here before main has prepared anything. */
static void need_library(void)
{
	if (!rt->cxx.tree_insert)
		prepare_containers();
	if (!rt->cxx.tree_insert || !rt->cxx.tree_erase)
		anomaly(EV_REFUSED, "std::map and std::set need the shared C++ library (no -static-libstdc++)");
}

void tree_insert(bool left, struct tree_node *node, struct tree_node *parent, struct tree_node *header)
{
	uint32_t site = rt->current_site;

	need_library();
	__inspect_write(header, sizeof *header, site);
	__inspect_write(parent, sizeof *parent, site);
	__inspect_write(node, sizeof *node, site);
	rt->cxx.tree_insert(left, node, parent, header);
}

struct tree_node *tree_erase(struct tree_node *node, struct tree_node *header)
{
	uint32_t site = rt->current_site;

	need_library();
	__inspect_write(header, sizeof *header, site);
	__inspect_write(node, sizeof *node, site);
	return rt->cxx.tree_erase(node, header);
}
