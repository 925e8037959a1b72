#define _GNU_SOURCE
#include "build/instrument/map.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"

#include <stdlib.h>
#include <string.h>

uintptr_t map_get(const struct map *map, const void *key)
{
	uint32_t number = table_find(&map->keys, (uintptr_t)key);

	debug_invariant(key);
	return number ? map->values[number - 1] : 0;
}

void map_put(struct map *map, const void *key, uintptr_t value)
{
	uint32_t number = table_add(&map->keys, (uintptr_t)key);

	debug_invariant(key);
	map->values = array_grow(map->values, &map->size, map->keys.count, sizeof *map->values);
	map->values[number] = value;
}

void map_release(struct map *map)
{
	table_release(&map->keys);
	memory_free(map->values);
	*map = (struct map){0};
}

void pool_init(struct pool *pool)
{
	*pool = (struct pool){.size = 1, .room = 4096, .capacity = 256};
	pool->bytes = xcalloc(pool->room, 1);
	pool->slots = xcalloc(pool->capacity, sizeof *pool->slots);
}

void pool_release(struct pool *pool)
{
	free(pool->bytes);
	free(pool->slots);
	*pool = (struct pool){0};
}

static uint32_t *pool_slot(const struct pool *pool, const char *string)
{
	uint64_t i = hash_bytes(HASH_START, string, strlen(string));

	for (;; i++) {
		uint32_t *slot = &pool->slots[i & (pool->capacity - 1)];

		if (!*slot || !strcmp(pool->bytes + *slot, string))
			return slot;
	}
}

static void pool_grow_slots(struct pool *pool)
{
	uint32_t *old = pool->slots, capacity = pool->capacity;

	pool->capacity *= 2;
	pool->slots = xcalloc(pool->capacity, sizeof *pool->slots);
	for (uint32_t i = 0; i < capacity; i++)
		if (old[i])
			*pool_slot(pool, pool->bytes + old[i]) = old[i];
	free(old);
}

uint32_t pool_add(struct pool *pool, const char *string)
{
	uint32_t length = (uint32_t)strlen(string) + 1;
	uint32_t *slot;

	if (length == 1)
		return 0;
	if (4 * (pool->count + 1) > 3 * pool->capacity)
		pool_grow_slots(pool);
	slot = pool_slot(pool, string);
	if (*slot)
		return *slot;
	while (pool->room - pool->size < length) {
		pool->room *= 2;
		pool->bytes = xrealloc(pool->bytes, pool->room);
	}
	*slot = pool->size;
	memcpy(pool->bytes + pool->size, string, length);
	pool->size += length;
	pool->count++;
	return *slot;
}
