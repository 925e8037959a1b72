#include "storage/table.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"

void table_release(struct table *table)
{
	memory_free(table->keys);
	memory_free(table->slots);
	*table = (struct table){0};
}

bool table_is_valid(const struct table *table)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < table->nslots; i++)
		taken += table->slots[i] != 0;
	for (uint32_t i = 0; i < table->count; i++)
		if (table_find(table, table->keys[i]) != i + 1)
			return false;
	return taken == table->count && !(table->nslots & (table->nslots - 1));
}

/*
 * The keys go into the new table in the order in which they came. So a key is always in the first slot that was free when
 * all before it were in theirs, and can be taken out when all after it are.
 */
static void more_slots(struct table *table)
{
	enum { FIRST = 64 };

	invariant(table->nslots <= UINT32_MAX / 2);
	memory_free(table->slots);
	table->nslots = table->nslots ? 2 * table->nslots : FIRST;
	table->slots = memory_new_clear(table->nslots, sizeof *table->slots);
	for (uint32_t i = 0; i < table->count; i++)
		*table_slot(table, table->keys[i]) = i + 1;
	slow_invariant(table_is_valid(table));
}

uint32_t table_add(struct table *table, uint64_t key)
{
	if (table->count >= table->nslots / 2)
		more_slots(table);
	uint32_t *slot = table_slot(table, key);
	if (*slot)
		return *slot - 1;
	table->keys = array_grow(table->keys, &table->size, table->count + 1ull, sizeof *table->keys);
	table->keys[table->count++] = key;
	*slot = table->count;
	return table->count - 1;
}

void table_cut(struct table *table, uint32_t count)
{
	invariant(count <= table->count);
	if (!count && table->count)
		memset(table->slots, 0, table->nslots * sizeof *table->slots);
	while (table->count > count && count)
		*table_slot(table, table->keys[--table->count]) = 0;
	table->count = count;
	slow_invariant(table_is_valid(table));
}
