#include "order/keys.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "order/undo.h"

void keys_init(struct keys *keys)
{
	*keys = (struct keys){.nslots = 1024};
	keys->slots = xcalloc(keys->nslots, sizeof *keys->slots);
}

void keys_release(struct keys *keys)
{
	free(keys->keys);
	free(keys->slots);
	*keys = (struct keys){0};
}

/*
 * The keys go into the new table in the order in which they came.  So a key is always in
 * the first slot that was free when all before it were in theirs, and can be taken out
 * when all after it are.
 */
static void grow_slots(struct keys *keys)
{
	free(keys->slots);
	keys->nslots *= 2;
	keys->slots = xcalloc(keys->nslots, sizeof *keys->slots);
	for (uint32_t i = 0; i < keys->count; i++)
		*keys_slot(keys, keys->keys[i]) = i + 1;
}

uint32_t keys_add(struct keys *keys, uint64_t key)
{
	uint32_t *slot = keys_slot(keys, key);

	if (*slot)
		return *slot - 1;
	if (keys->count * 2 >= keys->nslots) {
		grow_slots(keys);
		slot = keys_slot(keys, key);
	}
	keys->keys = grow(keys->keys, &keys->size, keys->count + 1, sizeof *keys->keys);
	keys->keys[keys->count++] = key;
	*slot = keys->count;
	return keys->count - 1;
}

void keys_cut(struct keys *keys, uint32_t count)
{
	assert(count <= keys->count);
	if (!count && keys->count)
		memset(keys->slots, 0, keys->nslots * sizeof *keys->slots);
	while (keys->count > count && count)
		*keys_slot(keys, keys->keys[--keys->count]) = 0;
	keys->count = count;
}
