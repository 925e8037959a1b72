/* Strings and blocks of bytes: string.h and strings.h. */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"

#include <ctype.h>

#define CHAR char
#define CHAR_ARGUMENT int
#define void_or_wide void
#define S(name) str##name
#define P(name) stp##name
#define M(name) mem##name
#define READ reads_string
#define READ_MAX reads_string_max
#define PRIVATE PRIVATE_STRING
#define LOWER(c) tolower((unsigned char)(c))

#include "runtime/libc/strings.inc"

/* --- strings of bytes only --- */

char *WRAP(strndup)(const char *string, size_t max)
{
	size_t length = reads_string_max(string, max);
	TEMPORARY(copy, length);

	memcpy(copy.data, string, length);
	return duplicate(copy.data, length);
}

char *WRAP(strcasestr)(const char *string, const char *part)
{
	PRIVATE(copy, part);
	READ_STABLE(string, extent(string, strcasestr(string, copy.data), copy_length));
	return (char *)strcasestr(string, copy.data);
}

int WRAP(strverscmp)(const char *a, const char *b)
{
	PRIVATE(copy, a);
	READ(b);
	return strverscmp(copy.data, b);
}

char *WRAP(strtok_r)(char *restrict string, const char *restrict separators, char **restrict place)
{
	char *start = string, *rest;

	if (!start)
		read_in(&start, place, sizeof start);
	char *token = next_token(start, separators, &rest);
	write_out(place, &rest, sizeof rest);
	return token;
}

/* The C library's place would not be known here: it has one of its own, in memory of the runtime. */
char *WRAP(strtok)(char *restrict string, const char *restrict separators)
{
	char *start = string, *rest;

	if (!start) {
		reads_hidden(HIDDEN_STRTOK);
		start = rt->libc.strtok_place;
	}
	char *token = next_token(start, separators, &rest);
	writes_hidden(HIDDEN_STRTOK);
	rt->libc.strtok_place = rest;
	return token;
}

char *WRAP(strsep)(char **restrict string, const char *restrict separators)
{
	PRIVATE(copy, separators);
	char *token, end = 0, *rest = NULL;

	read_in(&token, string, sizeof token);
	if (!token)
		return NULL;
	size_t length = READ_STABLE(token, strcspn(token, copy.data) + 1) - 1;
	if (strnlen(token + length, 1)) {
		write_out(token + length, &end, 1);
		rest = token + length + 1;
	}
	write_out(string, &rest, sizeof rest);
	return token;
}

char *WRAP(strerror_r)(int error, char *buffer, size_t size)
{
	TEMPORARY(own, size);
	char *text = strerror_r(error, own.data, size);

	if (text != own.data)
		return text;
	write_out(buffer, text, smaller(strlen(text) + 1, size));
	return buffer;
}

int WRAP(__xpg_strerror_r)(int error, char *buffer, size_t size)
{
	TEMPORARY(own, size);
	int result = __xpg_strerror_r(error, own.data, size);

	if (size)
		write_out(buffer, own.data, strnlen(own.data, size - 1) + 1);
	return result;
}

/* --- blocks of bytes only --- */

void *WRAP(memrchr)(const void *block, int c, size_t size)
{
	reads(block, size);
	return (void *)memrchr(block, c, size);
}

void *WRAP(rawmemchr)(const void *block, int c)
{
	READ_STABLE(block, (size_t)((const char *)rawmemchr(block, c) - (const char *)block) + 1);
	return (void *)rawmemchr(block, c);
}

void *WRAP(memmem)(const void *block, size_t size, const void *part, size_t part_size)
{
	TEMPORARY(copy, part_size);

	read_in(copy.data, part, part_size);
	READ_STABLE(block, ({
			    const char *found = memmem(block, size, copy.data, part_size);
			    found ? (size_t)(found - (const char *)block) + part_size : size;
		    }));
	return (void *)memmem(block, size, copy.data, part_size);
}

void *WRAP(memccpy)(void *restrict to, const void *restrict from, int c, size_t size)
{
	size_t n = READ_STABLE(from, ({
				       const char *found = memchr(from, c, size);
				       found ? (size_t)(found - (const char *)from) + 1 : size;
			       }));
	bool found = memchr(from, c, size) != NULL;
	TEMPORARY(copy, n);

	memcpy(copy.data, from, n);
	write_out(to, copy.data, n);
	return found ? (char *)to + n : NULL;
}

void WRAP(swab)(const void *restrict from, void *restrict to, ssize_t size)
{
	size_t n = size > 0 ? (size_t)size & ~1ul : 0;
	TEMPORARY(copy, n);

	reads(from, n);
	swab(from, copy.data, (ssize_t)n);
	write_out(to, copy.data, n);
}

void *WRAP(memfrob)(void *block, size_t size)
{
	TEMPORARY(copy, size);

	read_in(copy.data, block, size);
	memfrob(copy.data, size);
	write_out(block, copy.data, size);
	return block;
}

void WRAP(bcopy)(const void *from, void *to, size_t size)
{
	__inspect_copy(to, (void *)from, size, rt->current_site);
}

void WRAP(bzero)(void *block, size_t size)
{
	writes(block, size);
	memset(block, 0, size);
}

/* --- hidden state --- */

char *WRAP(strerror)(int error)
{
	writes_hidden(HIDDEN_STRERROR);
	return strerror(error);
}

char *WRAP(strsignal)(int signal)
{
	writes_hidden(HIDDEN_STRSIGNAL);
	return strsignal(signal);
}
