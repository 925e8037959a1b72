/*
 * A digest of bytes, 128 bits long: two inputs that differ have different ones, short of an
 * accident that will not happen.  Fast, and no protection against somebody who tries.
 */
#ifndef INSPECT_COMMON_DIGEST_H
#define INSPECT_COMMON_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is the digest of nothing. */
struct digest {
	uint64_t low, high;
};

/* Each piece counts with its length: "ab" and "c" are not "a" and "bc". */
void digest_add(struct digest *digest, const void *bytes, size_t size);
void digest_add_text(struct digest *digest, const char *text);

static inline bool digest_equal(struct digest a, struct digest b)
{
	return a.low == b.low && a.high == b.high;
}

#endif
