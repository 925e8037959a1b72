/*
 * The scanf family.  The C library scans into memory of the wrapper's own, with a format
 * in which all texts are allocated; then what was assigned is announced and copied, and
 * nothing else.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"
#include "runtime/core/anomaly.h"
#include "runtime/libc/format.h"

struct scan {
	struct scan_format format;
	void *destination[MAX_ARGUMENTS];
	struct scanned {
		uint64_t words[SCAN_ROOM / 8];
	} value[MAX_ARGUMENTS];
};

/* All arguments of a scanf are pointers, and those too many do no harm. */
#define VALUES_4(s, i) &(s)->value[i], &(s)->value[(i) + 1], &(s)->value[(i) + 2], &(s)->value[(i) + 3]
#define VALUES_16(s, i) VALUES_4(s, i), VALUES_4(s, (i) + 4), VALUES_4(s, (i) + 8), VALUES_4(s, (i) + 12)
#define VALUES(s) VALUES_16(s, 0), VALUES_16(s, 16), VALUES_16(s, 32), VALUES_16(s, 48)

_Static_assert(MAX_ARGUMENTS == 64, "VALUES has as many");

static void scan_begin(struct scan *scan, const char *format, char *own_format, va_list list)
{
	va_list arguments;

	if (!scan_parse(format, &scan->format, own_format))
		anomaly(EV_REFUSED, "a format with more than 64 arguments is not supported");
	va_copy(arguments, list);
	for (unsigned i = 0; i < scan->format.arguments; i++)
		scan->destination[i] = va_arg(arguments, void *);
	va_end(arguments);
	memset(scan->value, 0xff, sizeof scan->value); /* no %n gives that */
}

static size_t bytes_of(const struct scan_target *target, const void *text)
{
	if (target->kind == SCAN_BLOCK)
		return (size_t)target->width * target->size;
	return target->size == 1 ? strlen(text) + 1 : (wcslen(text) + 1) * sizeof(wchar_t);
}

static void assign_target(struct scan *scan, const struct scan_target *target)
{
	void *to = scan->destination[target->argument], *value = &scan->value[target->argument];

	if (target->kind == SCAN_TEXT || target->kind == SCAN_BLOCK) {
		void *text = *(void **)value;
		write_out(to, text, bytes_of(target, text));
		free(text);
	} else {
		write_out(to, value, target->size);
	}
}

/* The first `result` targets were assigned, and of the counts those that changed. */
static int scan_end(struct scan *scan, int result)
{
	int left = result;

	for (unsigned i = 0; i < scan->format.targets; i++) {
		const struct scan_target *target = &scan->format.target[i];
		bool counts = target->kind != SCAN_COUNT;
		if (counts ? left > 0 : (uint8_t)scan->value[target->argument].words[0] != 0xff)
			assign_target(scan, target);
		left -= counts;
	}
	return result;
}

int WRAP(vsscanf)(const char *restrict string, const char *restrict format, va_list list)
{
	struct scan scan;
	PRIVATE_STRING(copy, format);
	TEMPORARY(own, scan_room(copy_length));

	scan_begin(&scan, copy.data, own.data, list);
	reads_string(string);
	return scan_end(&scan, sscanf(string, own.data, VALUES(&scan)));
}

int WRAP(sscanf)(const char *restrict string, const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vsscanf)(string, format, arguments));
}

static int scan_stream(struct scan *scan, FILE *stream, const char *format)
{
	STREAM_CHANGE(stream);
	return fscanf(stream, format, VALUES(scan));
}

int WRAP(vfscanf)(FILE *restrict stream, const char *restrict format, va_list list)
{
	struct scan scan;
	PRIVATE_STRING(copy, format);
	TEMPORARY(own, scan_room(copy_length));

	scan_begin(&scan, copy.data, own.data, list);
	return scan_end(&scan, scan_stream(&scan, stream, own.data));
}

int WRAP(fscanf)(FILE *restrict stream, const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vfscanf)(stream, format, arguments));
}

int WRAP(vscanf)(const char *restrict format, va_list list)
{
	return WRAP(vfscanf)(stdin, format, list);
}

int WRAP(scanf)(const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vfscanf)(stdin, format, arguments));
}

/* --- wide --- */

static char narrowed(wchar_t c)
{
	return c >= 0 && c < 128 ? (char)c : '?';
}

/* The wide format with the letters that its narrow image got. */
static void widen_changes(wchar_t *to, const char *changed, const wchar_t *original)
{
	for (; *changed; changed++)
		*to++ = narrowed(*original) == *changed ? *original++ : (wchar_t)*changed;
	*to = 0;
}

static void scan_begin_wide(struct scan *scan, const wchar_t *format, wchar_t *own_format, va_list list)
{
	size_t length = wcslen(format);
	TEMPORARY(narrow, length + 1);
	TEMPORARY(changed, scan_room(length));
	char *text = narrow.data;

	for (size_t i = 0; i <= length; i++)
		text[i] = narrowed(format[i]);
	scan_begin(scan, text, changed.data, list);
	widen_changes(own_format, changed.data, format);
}

int WRAP(vswscanf)(const wchar_t *restrict string, const wchar_t *restrict format, va_list list)
{
	struct scan scan;
	PRIVATE_WIDE(copy, format);
	TEMPORARY(own, scan_room(copy_length) * sizeof *format);

	scan_begin_wide(&scan, copy.data, own.data, list);
	reads_wide(string);
	return scan_end(&scan, swscanf(string, own.data, VALUES(&scan)));
}

int WRAP(swscanf)(const wchar_t *restrict string, const wchar_t *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vswscanf)(string, format, arguments));
}

static int scan_wide_stream(struct scan *scan, FILE *stream, const wchar_t *format)
{
	STREAM_CHANGE(stream);
	return fwscanf(stream, format, VALUES(scan));
}

int WRAP(vfwscanf)(FILE *restrict stream, const wchar_t *restrict format, va_list list)
{
	struct scan scan;
	PRIVATE_WIDE(copy, format);
	TEMPORARY(own, scan_room(copy_length) * sizeof *format);

	scan_begin_wide(&scan, copy.data, own.data, list);
	return scan_end(&scan, scan_wide_stream(&scan, stream, own.data));
}

int WRAP(fwscanf)(FILE *restrict stream, const wchar_t *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vfwscanf)(stream, format, arguments));
}

int WRAP(vwscanf)(const wchar_t *restrict format, va_list list)
{
	return WRAP(vfwscanf)(stdin, format, list);
}

int WRAP(wscanf)(const wchar_t *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vfwscanf)(stdin, format, arguments));
}
