/*
 * What compilers make calls of by themselves, for code that runs where there is no C library (wire/guest.h).
 */
#include <stddef.h>

#pragma GCC visibility push(hidden)

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	void *start = to;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return start;
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
	void *start = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
	return start;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (; size && *x == *y; size--, x++, y++)
		;
	return size ? *x - *y : 0;
}
