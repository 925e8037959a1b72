/*
 * Data for another process or for a file, packed into a buffer and taken out again.
 *
 * Numbers are short when they are small.  Raw structures are for readers that are the same
 * program; whoever reads a file checks first that they are (cluster/share/savefile.h).  A reader never goes
 * beyond the end: it marks itself as broken and yields zeros.
 */
#ifndef INSPECT_COMMON_PACK_H
#define INSPECT_COMMON_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"

struct packed {
	const unsigned char *at, *end;
	bool broken;
};

static inline struct packed packed_from(const void *data, size_t size)
{
	return (struct packed){.at = data, .end = (const unsigned char *)data + size};
}

void pack_number(struct buffer *buffer, uint64_t number);
void pack_raw(struct buffer *buffer, const void *data, size_t size);
/* With its size. */
void pack_bytes(struct buffer *buffer, const void *data, size_t size);
/* `count` raw structures, and how many they are. */
void pack_items(struct buffer *buffer, const void *items, uint32_t count, size_t size);
/* NULL as well. */
void pack_text(struct buffer *buffer, const char *text);

uint64_t unpack_number(struct packed *packed);
/* A number of things, each at least `size` bytes long: not more than what is left can hold. */
uint32_t unpack_count(struct packed *packed, size_t size);
void unpack_raw(struct packed *packed, void *data, size_t size);
/* What pack_bytes() put there, in place. */
struct packed unpack_bytes(struct packed *packed);
/* malloced, or NULL. */
char *unpack_text(struct packed *packed);
/* What pack_items() put there, malloced. */
void *unpack_items(struct packed *packed, uint32_t *count, size_t size);
/* An array of `count` raw structures, malloced. */
void *unpack_array(struct packed *packed, size_t count, size_t size);

static inline size_t packed_left(const struct packed *packed)
{
	return (size_t)(packed->end - packed->at);
}

#endif
