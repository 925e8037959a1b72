/*
 * Numbers for keys: the first key to be added is 0, the next one 1, and so on, so that what
 * belongs to a key can be in an array of the user's.  The newest keys can be taken out again.
 */
#ifndef INSPECT_ORDER_KEYS_H
#define INSPECT_ORDER_KEYS_H

#include <stdint.h>

struct keys {
	uint64_t *keys;
	uint32_t count, size;
	uint32_t *slots; /* a hash table, power of two: number + 1, 0: free */
	uint32_t nslots;
};

void keys_init(struct keys *keys);
void keys_release(struct keys *keys);
/* Keep the first `count` keys only. */
void keys_cut(struct keys *keys, uint32_t count);
/* The number of the key, which is added if it is new. */
uint32_t keys_add(struct keys *keys, uint64_t key);

enum { CLASS_BITS = 5 };

/* Words of memory and synchronisation objects never share a key. */
static inline uint64_t word_key(uint64_t word)
{
	return word << CLASS_BITS;
}

static inline uint64_t object_key(unsigned object_class, uint64_t object)
{
	return object << CLASS_BITS | object_class;
}

static inline uint64_t keys_hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ull;
	return key ^ key >> 29;
}

/* The slot of the key, or the free one where it belongs. */
static inline uint32_t *keys_slot(const struct keys *keys, uint64_t key)
{
	for (uint64_t i = keys_hash(key);; i++) {
		uint32_t *slot = &keys->slots[i & (keys->nslots - 1)];
		if (!*slot || keys->keys[*slot - 1] == key)
			return slot;
	}
}

/* The number of the key + 1, or 0 when there is no such key. */
static inline uint32_t keys_find(const struct keys *keys, uint64_t key)
{
	return *keys_slot(keys, key);
}

#endif
