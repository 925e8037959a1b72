/* Strings of wide characters, and their conversion: wchar.h. */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"

#include <limits.h>
#include <wctype.h>

#define CHAR wchar_t
#define CHAR_ARGUMENT wchar_t
#define void_or_wide wchar_t
#define S(name) wcs##name
#define P(name) wcp##name
#define M(name) wmem##name
#define READ reads_wide
#define READ_MAX reads_wide_max
#define PRIVATE PRIVATE_WIDE
#define LOWER(c) towlower((wint_t)(c))

#include "runtime/libc/strings.inc"

wchar_t *WRAP(wcstok)(wchar_t *restrict string, const wchar_t *restrict separators, wchar_t **restrict place)
{
	wchar_t *start = string, *rest;

	if (!start)
		read_in(&start, place, sizeof start);
	wchar_t *token = next_token(start, separators, &rest);
	write_out(place, &rest, sizeof rest);
	return token;
}

int WRAP(wcswidth)(const wchar_t *string, size_t max)
{
	reads_wide_max(string, max);
	return wcswidth(string, max);
}

/* --- conversion; without a state of the caller's, a hidden one is used --- */

/* The caller's shift state, in `own`; NULL when the C library's hidden one is to be used. */
static mbstate_t *take_state(mbstate_t *own, const mbstate_t *given)
{
	if (!given) {
		writes_hidden(HIDDEN_MBRTOWC);
		return NULL;
	}
	read_in(own, given, sizeof *own);
	return own;
}

static void give_state(mbstate_t *given, const mbstate_t *own)
{
	if (given && memcmp(given, own, sizeof *own))
		write_out(given, own, sizeof *own);
}

static size_t convert_character(wchar_t *to, const char *from, size_t size, mbstate_t *state)
{
	mbstate_t own, *used = take_state(&own, state);
	wchar_t wide = 0;

	reads_string_max(from, smaller(size, MB_CUR_MAX));
	size_t count = mbrtowc(&wide, from, size, used);
	give_state(state, &own);
	if (to && count <= size)
		write_out(to, &wide, sizeof wide);
	return count;
}

size_t WRAP(mbrtowc)(wchar_t *restrict to, const char *restrict from, size_t size, mbstate_t *restrict state)
{
	return from ? convert_character(to, from, size, state) : convert_character(NULL, "", 1, state);
}

size_t WRAP(mbrlen)(const char *restrict from, size_t size, mbstate_t *restrict state)
{
	return from ? convert_character(NULL, from, size, state) : convert_character(NULL, "", 1, state);
}

size_t WRAP(wcrtomb)(char *restrict to, wchar_t wide, mbstate_t *restrict state)
{
	char bytes[MB_LEN_MAX];
	mbstate_t own, *used = take_state(&own, state);
	size_t size = wcrtomb(bytes, to ? wide : L'\0', used);

	give_state(state, &own);
	if (to && size != (size_t)-1)
		write_out(to, bytes, size);
	return size;
}

int WRAP(mbsinit)(const mbstate_t *state)
{
	if (state)
		reads(state, sizeof *state);
	return mbsinit(state);
}

int WRAP(mblen)(const char *from, size_t size)
{
	if (from)
		reads_string_max(from, smaller(size, MB_CUR_MAX));
	writes_hidden(HIDDEN_MBLEN);
	return mblen(from, size);
}

int WRAP(mbtowc)(wchar_t *restrict to, const char *restrict from, size_t size)
{
	wchar_t wide;

	if (from)
		reads_string_max(from, smaller(size, MB_CUR_MAX));
	writes_hidden(HIDDEN_MBLEN);
	int used = mbtowc(&wide, from, size);
	if (to && from && used >= 0)
		write_out(to, &wide, sizeof wide);
	return used;
}

int WRAP(wctomb)(char *to, wchar_t wide)
{
	char bytes[MB_LEN_MAX];

	writes_hidden(HIDDEN_MBLEN);
	int size = wctomb(to ? bytes : NULL, wide);
	if (to && size > 0)
		write_out(to, bytes, (size_t)size);
	return size;
}

/*
 * Strings.  The source is copied and converted as a whole; how much of it was used tells
 * where the pointer to it is left.  There is never more than one wide character for a byte,
 * so that a size that means "no limit" needs no memory.
 */
size_t WRAP(mbsnrtowcs)(wchar_t *restrict to, const char **restrict from, size_t bytes, size_t size,
			mbstate_t *restrict state)
{
	mbstate_t own, *used = take_state(&own, state);

	const char *start;
	read_in(&start, from, sizeof start);
	size_t length = reads_string_max(start, bytes);
	TEMPORARY(copy, length + 1);
	memcpy(copy.data, start, smaller(length + 1, bytes));
	size = smaller(size, length + 1);
	TEMPORARY(result, (to ? size : 0) * sizeof *to);
	const char *at = copy.data;
	size_t count = mbsnrtowcs(to ? result.data : NULL, &at, smaller(length + 1, bytes), size, used);
	if (!to)
		return count;
	at = at ? start + (at - (const char *)copy.data) : NULL;
	give_state(state, &own);
	if (count != (size_t)-1)
		write_out(to, result.data, smaller(count + !at, size) * sizeof *to);
	write_out(from, &at, sizeof at);
	return count;
}

size_t WRAP(mbsrtowcs)(wchar_t *restrict to, const char **restrict from, size_t size, mbstate_t *restrict state)
{
	return WRAP(mbsnrtowcs)(to, from, SIZE_MAX, size, state);
}

size_t WRAP(wcsnrtombs)(char *restrict to, const wchar_t **restrict from, size_t characters, size_t size,
			mbstate_t *restrict state)
{
	mbstate_t own, *used = take_state(&own, state);

	const wchar_t *start;
	read_in(&start, from, sizeof start);
	size_t length = reads_wide_max(start, characters);
	TEMPORARY(copy, (length + 1) * sizeof *start);
	memcpy(copy.data, start, smaller(length + 1, characters) * sizeof *start);
	size = smaller(size, (length + 1) * MB_LEN_MAX);
	TEMPORARY(result, to ? size : 0);
	const wchar_t *at = copy.data;
	size_t count = wcsnrtombs(to ? result.data : NULL, &at, smaller(length + 1, characters), size, used);
	if (!to)
		return count;
	at = at ? start + (at - (const wchar_t *)copy.data) : NULL;
	give_state(state, &own);
	if (count != (size_t)-1)
		write_out(to, result.data, smaller(count + !at, size));
	write_out(from, &at, sizeof at);
	return count;
}

size_t WRAP(wcsrtombs)(char *restrict to, const wchar_t **restrict from, size_t size, mbstate_t *restrict state)
{
	return WRAP(wcsnrtombs)(to, from, SIZE_MAX, size, state);
}

size_t WRAP(mbstowcs)(wchar_t *restrict to, const char *restrict from, size_t size)
{
	PRIVATE_STRING(copy, from);
	size = smaller(size, copy_length + 1);
	TEMPORARY(result, (to ? size : 0) * sizeof *to);
	size_t count = mbstowcs(to ? result.data : NULL, copy.data, size);

	if (to && count != (size_t)-1)
		write_out(to, result.data, smaller(count + 1, size) * sizeof *to);
	return count;
}

size_t WRAP(wcstombs)(char *restrict to, const wchar_t *restrict from, size_t size)
{
	PRIVATE_WIDE(copy, from);
	size = smaller(size, (copy_length + 1) * MB_LEN_MAX);
	TEMPORARY(result, to ? size : 0);
	size_t count = wcstombs(to ? result.data : NULL, copy.data, size);

	if (to && count != (size_t)-1)
		write_out(to, result.data, smaller(count + 1, size));
	return count;
}
