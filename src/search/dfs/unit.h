/*
 * Parts of a search, for other processes and for files.
 *
 * A part is what is below a branch of a node.  To go on with it one needs the nodes on the way there, with what was
 * claimed before the branch; what is known by now about what is claimed there, so that it is not offered again; and
 * what the strategy keeps.
 */
#ifndef INSPECT_SEARCH_DFS_UNIT_H
#define INSPECT_SEARCH_DFS_UNIT_H

#include "search/dfs/dfs.h"

/* One node, as it is; unpacked, it is added at the end. */
void unit_pack_node(const struct dfs *dfs, uint32_t node, struct buffer *buffer);
void unit_unpack_node(struct dfs *dfs, struct packed *packed);

/* What is claimed at a node of others, in the view of its owner; `except` is our own branch. */
void unit_pack_known(const struct dfs *dfs, uint32_t node, unsigned except, struct buffer *buffer);
void unit_unpack_known(struct dfs *dfs, uint32_t node, struct packed *packed);

/* What the strategy keeps besides: how the plan goes on, and the rest. */
void unit_pack_guide(const struct dfs *dfs, struct buffer *buffer);
void unit_unpack_guide(struct dfs *dfs, struct packed *packed);
void unit_pack_kept(const struct dfs *dfs, struct buffer *buffer);
void unit_unpack_kept(struct dfs *dfs, struct packed *packed);

#endif
