#define _GNU_SOURCE
#include "build/instrument/map.h"

#include "common/trouble.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct map_slot {
	const void *key;
	uintptr_t value;
};

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	while (size--)
		hash = (hash ^ *at++) * 0x100000001b3ull;
	return hash;
}

/* The slot of the key, or the free one where it belongs. */
static struct map_slot *find(const struct map *map, const void *key)
{
	size_t i = (((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15ull) >> 20;

	for (;; i++) {
		struct map_slot *slot = &map->slots[i & (map->capacity - 1)];

		if (!slot->key || slot->key == key)
			return slot;
	}
}

uintptr_t map_get(const struct map *map, const void *key)
{
	assert(key);
	return map->capacity ? find(map, key)->value : 0;
}

static void grow(struct map *map)
{
	struct map larger = {.capacity = map->capacity ? 2 * map->capacity : 64, .count = map->count};

	larger.slots = xcalloc(larger.capacity, sizeof *larger.slots);
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].key)
			*find(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
}

void map_put(struct map *map, const void *key, uintptr_t value)
{
	struct map_slot *slot;

	assert(key);
	if (4 * (map->count + 1) > 3 * map->capacity)
		grow(map);
	slot = find(map, key);
	map->count += !slot->key;
	slot->key = key;
	slot->value = value;
}

void map_release(struct map *map)
{
	free(map->slots);
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
