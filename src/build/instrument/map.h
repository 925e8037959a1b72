/*
 * A hash map from pointers (or small numbers) to words.  Key NULL is not
 * allowed; a key that is absent has the value 0.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_MAP_H
#define INSPECT_BUILD_INSTRUMENT_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash.h"
#include "storage/table.h"

struct map {
	struct table keys;
	uintptr_t *values; /* by number of the key */
	uint32_t size;
};

uintptr_t map_get(const struct map *map, const void *key);
void map_put(struct map *map, const void *key, uintptr_t value);
void map_release(struct map *map);

/*
 * Strings, each stored once.  The pool is also the layout of strings in the
 * site table: NUL-terminated one after the other, offset 0 is "".
 */
struct pool {
	char *bytes;
	uint32_t size;
	uint32_t room;
	uint32_t *slots; /* offsets; 0 = free */
	uint32_t capacity;
	uint32_t count;
};

void pool_init(struct pool *pool);
void pool_release(struct pool *pool);
uint32_t pool_add(struct pool *pool, const char *string);

#endif
