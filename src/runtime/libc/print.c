/*
 * The printf family: the format and the strings among the arguments are read, what %n
 * points to and the buffer of sprintf are written.  The strings are not copied: with
 * several of them, a racing write may show in one that was announced before it.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"
#include "runtime/core/anomaly.h"
#include "runtime/libc/format.h"

union value {
	long number;
	const void *pointer;
};

static void fetch_arguments(const struct print_format *format, union value values[], va_list list)
{
	va_list arguments;

	va_copy(arguments, list);
	for (unsigned i = 0; i < format->arguments; i++) {
		switch ((enum argument_type)format->types[i]) {
		case ARGUMENT_INT: values[i].number = va_arg(arguments, int); break;
		case ARGUMENT_LONG: values[i].number = va_arg(arguments, long); break;
		/* NOLINTNEXTLINE(bugprone-branch-clone): not the same type */
		case ARGUMENT_DOUBLE: (void)va_arg(arguments, double); break;
		case ARGUMENT_LONG_DOUBLE: (void)va_arg(arguments, long double); break;
		}
	}
	va_end(arguments);
}

static void announce_use(const struct print_use *use, const union value values[])
{
	const void *pointer = values[use->argument].pointer;
	long precision = use->precision;

	if (use->precision_argument != NO_ARGUMENT)
		precision = values[use->precision_argument].number;
	if (!pointer)
		return; /* printed as (null) */
	switch ((enum use)use->use) {
	case USE_STRING: reads_string_max(pointer, precision < 0 ? SIZE_MAX : (size_t)precision); break;
	case USE_WIDE_STRING: reads_wide_max(pointer, precision < 0 ? SIZE_MAX : (size_t)precision); break;
	case USE_COUNT:
		writes(pointer, use->size);
		__inspect_unknown(); /* it is written later, when something else may have been announced */
		break;
	case USE_NONE: break;
	}
}

static void announce_arguments(const char *text, va_list list)
{
	struct print_format format;
	union value values[MAX_ARGUMENTS] = {0};

	if (!print_parse(text, &format))
		anomaly(EV_REFUSED, "a format with more than 64 arguments is not supported");
	fetch_arguments(&format, values, list);
	for (unsigned i = 0; i < format.uses; i++)
		announce_use(&format.use[i], values);
}

/* The conversions of a wide format are the same; its other characters do not matter. */
static void announce_wide_arguments(const wchar_t *wide, va_list list)
{
	size_t length = wcslen(wide);
	TEMPORARY(narrow, length + 1);
	char *text = narrow.data;

	for (size_t i = 0; i <= length; i++)
		text[i] = wide[i] >= 0 && wide[i] < 128 ? (char)wide[i] : '?';
	announce_arguments(text, list);
}

/* --- to a stream --- */

int WRAP(vfprintf)(FILE *restrict stream, const char *restrict format, va_list list)
{
	PRIVATE_STRING(copy, format);
	announce_arguments(copy.data, list);
	STREAM_OUTPUT(stream);
	return vfprintf(stream, copy.data, list);
}

int WRAP(fprintf)(FILE *restrict stream, const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vfprintf)(stream, format, arguments));
}

int WRAP(vprintf)(const char *restrict format, va_list list)
{
	return WRAP(vfprintf)(stdout, format, list);
}

int WRAP(printf)(const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vfprintf)(stdout, format, arguments));
}

/* --- to a string --- */

static int measure_output(const char *format, va_list list)
{
	va_list arguments;

	va_copy(arguments, list);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	return length;
}

/* --- to a descriptor: what is written is there before others may run --- */

int WRAP(vdprintf)(int fd, const char *restrict format, va_list list)
{
	PRIVATE_STRING(copy, format);
	announce_arguments(copy.data, list);
	int length = measure_output(copy.data, list);
	if (length < 0)
		return length;
	TEMPORARY(own, (size_t)length + 1);
	vsnprintf(own.data, own_size, copy.data, list);
	return (int)write(fd, own.data, (size_t)length);
}

int WRAP(dprintf)(int fd, const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vdprintf)(fd, format, arguments));
}

/* --- to a string of any length --- */

int WRAP(vsnprintf)(char *restrict to, size_t size, const char *restrict format, va_list list)
{
	PRIVATE_STRING(copy, format);
	announce_arguments(copy.data, list);
	int length = measure_output(copy.data, list);
	if (length < 0)
		return length;
	size_t room = smaller((size_t)length + 1, size);
	TEMPORARY(text, room);
	vsnprintf(text.data, room, copy.data, list);
	write_out(to, text.data, room);
	return length;
}

int WRAP(snprintf)(char *restrict to, size_t size, const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vsnprintf)(to, size, format, arguments));
}

int WRAP(vsprintf)(char *restrict to, const char *restrict format, va_list list)
{
	return WRAP(vsnprintf)(to, SIZE_MAX, format, list);
}

int WRAP(sprintf)(char *restrict to, const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vsnprintf)(to, SIZE_MAX, format, arguments));
}

int WRAP(vasprintf)(char **restrict to, const char *restrict format, va_list list)
{
	PRIVATE_STRING(copy, format);
	announce_arguments(copy.data, list);
	int length = measure_output(copy.data, list);
	if (length < 0)
		return length;
	size_t room = (size_t)length + 1;
	TEMPORARY(text, room);
	vsnprintf(text.data, room, copy.data, list);
	char *block = malloc(room);
	if (!block)
		return -1;
	write_out(block, text.data, room); /* announced before it is written: the block is part of the state */
	write_out(to, &block, sizeof block);
	return length;
}

int WRAP(asprintf)(char **restrict to, const char *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vasprintf)(to, format, arguments));
}

/* --- wide --- */

int WRAP(vfwprintf)(FILE *restrict stream, const wchar_t *restrict format, va_list list)
{
	PRIVATE_WIDE(copy, format);
	announce_wide_arguments(copy.data, list);
	STREAM_OUTPUT(stream);
	return vfwprintf(stream, copy.data, list);
}

int WRAP(fwprintf)(FILE *restrict stream, const wchar_t *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vfwprintf)(stream, format, arguments));
}

int WRAP(vwprintf)(const wchar_t *restrict format, va_list list)
{
	return WRAP(vfwprintf)(stdout, format, list);
}

int WRAP(wprintf)(const wchar_t *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vfwprintf)(stdout, format, arguments));
}

int WRAP(vswprintf)(wchar_t *restrict to, size_t size, const wchar_t *restrict format, va_list list)
{
	PRIVATE_WIDE(copy, format);
	announce_wide_arguments(copy.data, list);
	TEMPORARY(text, size * sizeof *to);
	memset(text.data, 0, size * sizeof *to);
	int length = vswprintf(text.data, size, copy.data, list);
	write_out(to, text.data, smaller(wcsnlen(text.data, size) + 1, size) * sizeof *to);
	return length;
}

int WRAP(swprintf)(wchar_t *restrict to, size_t size, const wchar_t *restrict format, ...)
{
	return WITH_ARGUMENTS(format, WRAP(vswprintf)(to, size, format, arguments));
}

/* --- messages: err.h --- */

static void print_message(const char *format, va_list list, bool with_error)
{
	int error = errno;
	PRIVATE_STRING(copy, format ? format : "");

	if (format)
		announce_arguments(copy.data, list);
	STREAM_OUTPUT(stderr);
	errno = error;
	if (with_error)
		vwarn(format ? copy.data : NULL, list);
	else
		vwarnx(format ? copy.data : NULL, list);
}

void WRAP(vwarn)(const char *format, va_list list)
{
	print_message(format, list, true);
}

void WRAP(vwarnx)(const char *format, va_list list)
{
	print_message(format, list, false);
}

void WRAP(warn)(const char *format, ...)
{
	WITH_ARGUMENTS(format, (print_message(format, arguments, true), 0));
}

void WRAP(warnx)(const char *format, ...)
{
	WITH_ARGUMENTS(format, (print_message(format, arguments, false), 0));
}

/* The end of the process is the runtime's exit, not the one inside the C library. */
void WRAP(verr)(int status, const char *format, va_list list)
{
	print_message(format, list, true);
	exit(status);
}

void WRAP(verrx)(int status, const char *format, va_list list)
{
	print_message(format, list, false);
	exit(status);
}

void WRAP(err)(int status, const char *format, ...)
{
	WITH_ARGUMENTS(format, (print_message(format, arguments, true), 0));
	exit(status);
}

void WRAP(errx)(int status, const char *format, ...)
{
	WITH_ARGUMENTS(format, (print_message(format, arguments, false), 0));
	exit(status);
}
