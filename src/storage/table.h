/*
 * Numbers for keys: the first key to be added is 0, the next one 1, and so on. So what belongs to a key can be in an array of
 * the user's, and a set is a table without such an array. The newest keys can be taken out again.
 *
 * All zero is an empty table.
 */
#ifndef INSPECT_STORAGE_TABLE_H
#define INSPECT_STORAGE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/hash.h"

struct table {
	uint64_t *keys; /* by number */
	uint32_t count, size;
	uint32_t *slots; /* open addressing: number + 1, 0: free; at most half of them are taken */
	uint32_t nslots; /* a power of two, or 0 */
};

void table_release(struct table *table);
/* The number of the key, which is added if it is new. */
uint32_t table_add(struct table *table, uint64_t key);
/* Keep the first `count` keys only. */
void table_cut(struct table *table, uint32_t count);

/* The slot of the key, or the free one where it belongs. There must be slots. */
static inline uint32_t *table_slot(const struct table *table, uint64_t key)
{
	for (uint64_t i = hash_word(key);; i++) {
		uint32_t *slot = &table->slots[i & (table->nslots - 1)];
		if (!*slot || table->keys[*slot - 1] == key)
			return slot;
	}
}

/* The number of the key + 1, or 0 when there is no such key. */
static inline uint32_t table_find(const struct table *table, uint64_t key)
{
	return table->nslots ? *table_slot(table, key) : 0;
}

/* The facts above, looked at again; takes as long as the table is large. */
bool table_is_valid(const struct table *table);

#endif
