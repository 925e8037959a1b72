/*
 * What compilers make calls of by themselves, for code that runs where there is no C library (wire/guest.h).
 */
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

/* Eight bytes at a time, wherever they are: what is copied is mostly small. */
enum { WORD = 8 };

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	unsigned char *place = to;
	const unsigned char *source = from;

	for (; size >= WORD; size -= WORD, place += WORD, source += WORD)
		__builtin_memcpy(place, source, WORD);
	while (size--)
		*place++ = *source++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	unsigned char *last = (unsigned char *)to + size;
	const unsigned char *source = (const unsigned char *)from + size;

	if ((char *)to - (char *)from >= (ptrdiff_t)size || to <= from)
		return memcpy(to, from, size);
	while (size--)
		*--last = *--source;
	return to;
}

void *memset(void *to, int value, size_t size)
{
	unsigned char *place = to;
	uint64_t word = (unsigned char)value * UINT64_C(0x0101010101010101);

	for (; size >= WORD; size -= WORD, place += WORD)
		__builtin_memcpy(place, &word, WORD);
	while (size--)
		*place++ = (unsigned char)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (; size && *x == *y; size--, x++, y++)
		;
	return size ? *x - *y : 0;
}
