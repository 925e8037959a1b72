#include "common/invariant.h"
#include "common/pack.h"

#include <string.h>

#include "common/trouble.h"

/* Seven bits at a time, the lowest first. */
void pack_number(struct buffer *buffer, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		buffer_add_char(buffer, (char)(number | 0x80));
	buffer_add_char(buffer, (char)number);
}

void pack_raw(struct buffer *buffer, const void *data, size_t size)
{
	if (size)
		buffer_add(buffer, data, size);
}

void pack_bytes(struct buffer *buffer, const void *data, size_t size)
{
	pack_number(buffer, size);
	pack_raw(buffer, data, size);
}

void pack_items(struct buffer *buffer, const void *items, uint32_t count, size_t size)
{
	invariant(items || !count);
	pack_number(buffer, count);
	pack_raw(buffer, items, count * size);
}

void pack_text(struct buffer *buffer, const char *text)
{
	pack_number(buffer, text ? strlen(text) + 1 : 0);
	if (text)
		pack_raw(buffer, text, strlen(text));
}

static const unsigned char *take(struct packed *packed, size_t size)
{
	const unsigned char *at = packed->at;

	invariant(packed->at <= packed->end);
	if (packed->broken || size > packed_left(packed)) {
		packed->broken = true;
		packed->at = packed->end;
		return NULL;
	}
	packed->at += size;
	return at;
}

uint64_t unpack_number(struct packed *packed)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const unsigned char *byte = take(packed, 1);
		if (!byte)
			return 0;
		number |= (uint64_t)(*byte & 0x7f) << shift;
		if (!(*byte & 0x80))
			return number;
	}
	packed->broken = true;
	return 0;
}

void *unpack_items(struct packed *packed, uint32_t *count, size_t size)
{
	*count = unpack_count(packed, size);
	return unpack_array(packed, *count, size);
}

uint32_t unpack_count(struct packed *packed, size_t size)
{
	uint64_t count = unpack_number(packed);

	invariant(size); /* or any number would do */
	if (count > UINT32_MAX || count * size > packed_left(packed)) {
		packed->broken = true;
		return 0;
	}
	return (uint32_t)count;
}

void unpack_raw(struct packed *packed, void *data, size_t size)
{
	const unsigned char *from = size ? take(packed, size) : NULL;

	if (from)
		memcpy(data, from, size);
	else if (size)
		memset(data, 0, size);
}

struct packed unpack_bytes(struct packed *packed)
{
	uint64_t size = unpack_number(packed);
	const unsigned char *from = take(packed, size);

	return packed_from(from ? from : packed->end, from ? size : 0);
}

char *unpack_text(struct packed *packed)
{
	uint64_t size = unpack_number(packed);

	if (!size)
		return NULL;
	const unsigned char *from = take(packed, size - 1);
	char *text = xmalloc(from ? size : 1);
	if (from)
		memcpy(text, from, size - 1);
	text[from ? size - 1 : 0] = 0;
	return text;
}

void *unpack_array(struct packed *packed, size_t count, size_t size)
{
	const unsigned char *from = take(packed, count * size);
	void *array = xmalloc(count * size);

	if (from && count)
		memcpy(array, from, count * size);
	else
		memset(array, 0, count * size);
	return array;
}
