/*
 * The functions that use a stream without its lock: whoever calls them must have it, or
 * the stream to himself.  Plain accesses to the stream, which race.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"

/* --- output --- */

int WRAP(fputc_unlocked)(int c, FILE *stream)
{
	stream_unlocked(stream);
	return fputc_unlocked(c, stream);
}

int WRAP(putchar_unlocked)(int c)
{
	stream_unlocked(stdout);
	return putchar_unlocked(c);
}

int WRAP(fputs_unlocked)(const char *restrict string, FILE *restrict stream)
{
	PRIVATE_STRING(copy, string);
	stream_unlocked(stream);
	return fputs_unlocked(copy.data, stream);
}

size_t WRAP(fwrite_unlocked)(const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
	TEMPORARY(copy, size * count);
	read_in(copy.data, from, size * count);
	stream_unlocked(stream);
	return fwrite_unlocked(copy.data, size, count, stream);
}

int WRAP(fflush_unlocked)(FILE *stream)
{
	if (stream)
		stream_unlocked(stream);
	return fflush_unlocked(stream);
}

wint_t WRAP(fputwc_unlocked)(wchar_t c, FILE *stream)
{
	stream_unlocked(stream);
	return fputwc_unlocked(c, stream);
}

wint_t WRAP(putwchar_unlocked)(wchar_t c)
{
	stream_unlocked(stdout);
	return putwchar_unlocked(c);
}

int WRAP(fputws_unlocked)(const wchar_t *restrict string, FILE *restrict stream)
{
	PRIVATE_WIDE(copy, string);
	stream_unlocked(stream);
	return fputws_unlocked(copy.data, stream);
}

/* --- input --- */

int WRAP(fgetc_unlocked)(FILE *stream)
{
	stream_unlocked(stream);
	return fgetc_unlocked(stream);
}

int WRAP(getchar_unlocked)(void)
{
	stream_unlocked(stdin);
	return getchar_unlocked();
}

char *WRAP(fgets_unlocked)(char *restrict to, int size, FILE *restrict stream)
{
	TEMPORARY(own, size > 0 ? (size_t)size : 0);

	stream_unlocked(stream);
	if (!fgets_unlocked(own.data, size, stream))
		return NULL;
	write_out(to, own.data, strlen(own.data) + 1);
	return to;
}

size_t WRAP(fread_unlocked)(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
	TEMPORARY(own, size * count);

	stream_unlocked(stream);
	size_t got = fread_unlocked(own.data, size, count, stream);
	write_out(to, own.data, got * size);
	return got;
}

wint_t WRAP(fgetwc_unlocked)(FILE *stream)
{
	stream_unlocked(stream);
	return fgetwc_unlocked(stream);
}

wint_t WRAP(getwchar_unlocked)(void)
{
	stream_unlocked(stdin);
	return getwchar_unlocked();
}

wchar_t *WRAP(fgetws_unlocked)(wchar_t *restrict to, int size, FILE *restrict stream)
{
	TEMPORARY(own, (size > 0 ? (size_t)size : 0) * sizeof *to);

	stream_unlocked(stream);
	if (!fgetws_unlocked(own.data, size, stream))
		return NULL;
	write_out(to, own.data, (wcslen(own.data) + 1) * sizeof *to);
	return to;
}

/* --- state --- */

int WRAP(feof_unlocked)(FILE *stream)
{
	stream_unlocked(stream);
	return feof_unlocked(stream);
}

int WRAP(ferror_unlocked)(FILE *stream)
{
	stream_unlocked(stream);
	return ferror_unlocked(stream);
}

void WRAP(clearerr_unlocked)(FILE *stream)
{
	stream_unlocked(stream);
	clearerr_unlocked(stream);
}

int WRAP(fileno_unlocked)(FILE *stream)
{
	stream_unlocked(stream);
	return fileno_unlocked(stream);
}
