/*
 * Streams: stdio.h without printf and scanf.  Input is read into memory of the wrapper's
 * own while the stream is used, then announced and copied.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"
#include "runtime/core/thread.h"

/* --- output --- */

int WRAP(fputc)(int c, FILE *stream)
{
	STREAM_OUTPUT(stream);
	return fputc(c, stream);
}

int WRAP(putchar)(int c)
{
	return WRAP(fputc)(c, stdout);
}

int WRAP(putw)(int word, FILE *stream)
{
	STREAM_OUTPUT(stream);
	return putw(word, stream);
}

int WRAP(fputs)(const char *restrict string, FILE *restrict stream)
{
	PRIVATE_STRING(copy, string);
	STREAM_OUTPUT(stream);
	return fputs(copy.data, stream);
}

int WRAP(puts)(const char *string)
{
	PRIVATE_STRING(copy, string);
	STREAM_OUTPUT(stdout);
	return puts(copy.data);
}

size_t WRAP(fwrite)(const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
	TEMPORARY(copy, size * count);
	read_in(copy.data, from, size * count);
	STREAM_OUTPUT(stream);
	return fwrite(copy.data, size, count, stream);
}

void WRAP(perror)(const char *string)
{
	int error = errno;

	PRIVATE_STRING(copy, string ? string : "");
	STREAM_OUTPUT(stderr);
	errno = error;
	perror(copy.data);
}

/* All streams at once: those in memory are left out. */
int WRAP(fflush)(FILE *stream)
{
	if (!stream) {
		streams_flush_point();
		return fflush(NULL);
	}
	STREAM_OUTPUT(stream);
	return fflush(stream);
}

wint_t WRAP(fputwc)(wchar_t c, FILE *stream)
{
	STREAM_OUTPUT(stream);
	return fputwc(c, stream);
}

wint_t WRAP(putwchar)(wchar_t c)
{
	return WRAP(fputwc)(c, stdout);
}

int WRAP(fputws)(const wchar_t *restrict string, FILE *restrict stream)
{
	PRIVATE_WIDE(copy, string);
	STREAM_OUTPUT(stream);
	return fputws(copy.data, stream);
}

/* --- input --- */

int WRAP(fgetc)(FILE *stream)
{
	STREAM_CHANGE(stream);
	return fgetc(stream);
}

int WRAP(getchar)(void)
{
	return WRAP(fgetc)(stdin);
}

int WRAP(getw)(FILE *stream)
{
	STREAM_CHANGE(stream);
	return getw(stream);
}

int WRAP(ungetc)(int c, FILE *stream)
{
	STREAM_CHANGE(stream);
	return ungetc(c, stream);
}

wint_t WRAP(fgetwc)(FILE *stream)
{
	STREAM_CHANGE(stream);
	return fgetwc(stream);
}

wint_t WRAP(getwchar)(void)
{
	return WRAP(fgetwc)(stdin);
}

wint_t WRAP(ungetwc)(wint_t c, FILE *stream)
{
	STREAM_CHANGE(stream);
	return ungetwc(c, stream);
}

static char *get_line(char *own, int size, FILE *stream)
{
	STREAM_CHANGE(stream);
	return fgets(own, size, stream);
}

enum { USUAL_LINE = 4096 };

/*
 * How much of the buffer fgets has written.  The line may have zeros in it: what was not
 * written still has the byte it was filled with.  Only an unusually large buffer is not filled.
 */
static size_t filled(const char *own, size_t size)
{
	if (size > USUAL_LINE)
		return strlen(own) + 1;
	while (size && own[size - 1] != 0)
		size--;
	return size;
}

char *WRAP(fgets)(char *restrict to, int size, FILE *restrict stream)
{
	TEMPORARY(own, size > 0 ? (size_t)size : 0);

	memset(own.data, 0xff, smaller(own_size, USUAL_LINE));
	if (!get_line(own.data, size, stream))
		return NULL;
	write_out(to, own.data, filled(own.data, own_size));
	return to;
}

static wchar_t *get_wide_line(wchar_t *own, int size, FILE *stream)
{
	STREAM_CHANGE(stream);
	return fgetws(own, size, stream);
}

wchar_t *WRAP(fgetws)(wchar_t *restrict to, int size, FILE *restrict stream)
{
	TEMPORARY(own, (size > 0 ? (size_t)size : 0) * sizeof *to);

	if (!get_wide_line(own.data, size, stream))
		return NULL;
	write_out(to, own.data, (wcslen(own.data) + 1) * sizeof *to);
	return to;
}

static size_t read_stream(void *own, size_t size, size_t count, FILE *stream)
{
	STREAM_CHANGE(stream);
	return fread(own, size, count, stream);
}

size_t WRAP(fread)(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
	TEMPORARY(own, size * count);
	size_t got = read_stream(own.data, size, count, stream);

	write_out(to, own.data, got * size);
	return got;
}

static ssize_t read_line(char **own, int end, FILE *stream)
{
	size_t room = 0;

	STREAM_CHANGE(stream);
	return getdelim(own, &room, end, stream);
}

/* The caller's buffer grows as the C library would have it: at least 120 bytes, else twice what it was. */
static char *grow_line(char *line, size_t *room, size_t need)
{
	size_t larger = need > 2 * *room ? need : 2 * *room;

	if (line && *room >= need)
		return line;
	larger = larger < 120 ? 120 : larger;
	char *grown = realloc(line, larger);
	if (grown)
		*room = larger;
	return grown;
}

ssize_t WRAP(getdelim)(char **restrict line, size_t *restrict size, int end, FILE *restrict stream)
{
	char *own = NULL;
	ssize_t length = read_line(&own, end, stream);

	char *buffer;
	size_t room;

	read_in(&buffer, line, sizeof buffer);
	read_in(&room, size, sizeof room);
	room = buffer ? room : 0;
	char *grown = grow_line(buffer, &room, length < 0 ? 1 : (size_t)length + 1);
	if (!grown)
		length = -1;
	if (grown && grown != buffer) {
		write_out(line, &grown, sizeof grown);
		write_out(size, &room, sizeof room);
	}
	if (length >= 0)
		write_out(grown, own, (size_t)length + 1);
	free(own);
	return length;
}

ssize_t WRAP(getline)(char **restrict line, size_t *restrict size, FILE *restrict stream)
{
	return WRAP(getdelim)(line, size, '\n', stream);
}

/* --- opening and closing --- */

FILE *WRAP(fopen)(const char *restrict path, const char *restrict mode)
{
	PRIVATE_STRING(copy, path);
	PRIVATE_STRING(copy_of_mode, mode);
	return fopen(copy.data, copy_of_mode.data);
}

FILE *WRAP(fdopen)(int fd, const char *mode)
{
	PRIVATE_STRING(copy, mode);
	return fdopen(fd, copy.data);
}

FILE *WRAP(freopen)(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
	PRIVATE_STRING(copy, path ? path : "");
	PRIVATE_STRING(copy_of_mode, mode);
	possible_cancellation_point();
	STREAM_USE(stream, stream_opens);
	return freopen(path ? copy.data : NULL, copy_of_mode.data, stream);
}

int WRAP(fclose)(FILE *stream)
{
	possible_cancellation_point();
	stream_enter(stream);
	stream_opens(stream);
	stream_leave(&stream);
	stream_forget(stream);
	return fclose(stream);
}

/* --- position and state --- */

int WRAP(fseek)(FILE *stream, long offset, int whence)
{
	STREAM_CHANGE(stream);
	return fseek(stream, offset, whence);
}

int WRAP(fseeko)(FILE *stream, off_t offset, int whence)
{
	STREAM_CHANGE(stream);
	return fseeko(stream, offset, whence);
}

void WRAP(rewind)(FILE *stream)
{
	STREAM_CHANGE(stream);
	rewind(stream);
}

/* Where output of others will have moved it, too: no longer does output commute with it. */
long WRAP(ftell)(FILE *stream)
{
	STREAM_CHANGE(stream);
	return ftell(stream);
}

off_t WRAP(ftello)(FILE *stream)
{
	STREAM_CHANGE(stream);
	return ftello(stream);
}

static int get_position(FILE *stream, fpos_t *own)
{
	STREAM_CHANGE(stream);
	return fgetpos(stream, own);
}

int WRAP(fgetpos)(FILE *restrict stream, fpos_t *restrict position)
{
	fpos_t own;
	int result = get_position(stream, &own);

	if (!result)
		write_out(position, &own, sizeof own);
	return result;
}

int WRAP(fsetpos)(FILE *stream, const fpos_t *position)
{
	fpos_t own;

	read_in(&own, position, sizeof *position);
	STREAM_CHANGE(stream);
	return fsetpos(stream, &own);
}

int WRAP(setvbuf)(FILE *restrict stream, char *restrict buffer, int mode, size_t size)
{
	STREAM_SET(stream);
	return setvbuf(stream, buffer, mode, size);
}

void WRAP(setbuf)(FILE *restrict stream, char *restrict buffer)
{
	STREAM_SET(stream);
	setbuf(stream, buffer);
}

void WRAP(setbuffer)(FILE *restrict stream, char *restrict buffer, size_t size)
{
	STREAM_SET(stream);
	setbuffer(stream, buffer, size);
}

void WRAP(setlinebuf)(FILE *stream)
{
	STREAM_SET(stream);
	setlinebuf(stream);
}

int WRAP(feof)(FILE *stream)
{
	STREAM_LOOK(stream);
	return feof(stream);
}

int WRAP(ferror)(FILE *stream)
{
	STREAM_LOOK(stream);
	return ferror(stream);
}

void WRAP(clearerr)(FILE *stream)
{
	STREAM_SET(stream);
	clearerr(stream);
}

int WRAP(fileno)(FILE *stream)
{
	STREAM_LOOK(stream);
	return fileno(stream);
}

int WRAP(fwide)(FILE *stream, int mode)
{
	STREAM_SET(stream);
	return fwide(stream, mode);
}
