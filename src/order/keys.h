/*
 * Keys of what an operation is about: words of memory and synchronisation objects, in one table (storage/table.h).
 */
#ifndef INSPECT_ORDER_KEYS_H
#define INSPECT_ORDER_KEYS_H

#include "common/invariant.h"
#include <stdbool.h>
#include <stdint.h>

#include "wire/events.h"

enum { CLASS_BITS = 5 };
_Static_assert(OBJECT_KINDS <= 1 << CLASS_BITS, "a key has room for each kind of object");

/* Words of memory and synchronisation objects never share a key. */
static inline uint64_t word_key(uint64_t word)
{
	return word << CLASS_BITS;
}

static inline uint64_t object_key(unsigned object_class, uint64_t object)
{
	return object << CLASS_BITS | object_class;
}

/* The word, of the key of one. */
static inline uint64_t key_word(uint64_t key)
{
	return key >> CLASS_BITS;
}

static inline bool key_is_word(uint64_t key)
{
	return !(key & ((1u << CLASS_BITS) - 1));
}

#endif
