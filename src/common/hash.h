/*
 * Hashes for tables: fast, and no protection against somebody who tries. (Where two inputs must not have the same hash,
 * see common/digest.h.)
 *
 * Nothing but this header, so that the runtime, which has no library, can use it.
 */
#ifndef INSPECT_COMMON_HASH_H
#define INSPECT_COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Bytes: 64-bit FNV-1a. Start with HASH_START, go on with the last result. */
#define HASH_START 0xcbf29ce484222325ull

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = (const unsigned char *)bytes;

	while (size--)
		hash = (hash ^ *at++) * 0x100000001b3ull;
	return hash;
}

/* Words: multiplied by the golden ratio, which moves what differs to the upper bits; all bits of the result are good. */
#define HASH_FACTOR 0x9e3779b97f4a7c15ull

static inline uint64_t hash_word(uint64_t word)
{
	word *= HASH_FACTOR;
	return word ^ word >> 29;
}

/* One more word. The hash of nothing is 0. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
	return hash_word(hash ^ word);
}

/* As a number of so many bits, 1 … 63: cheaper yet. */
static inline uint64_t hash_bits(uint64_t word, unsigned bits)
{
	return word * HASH_FACTOR >> (64 - bits);
}

#endif
