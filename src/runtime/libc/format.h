/*
 * What the formats of printf and scanf say about memory.  Nothing here touches anything
 * but its arguments, so that it can be tested by itself.
 */
#ifndef INSPECT_RUNTIME_LIBC_FORMAT_H
#define INSPECT_RUNTIME_LIBC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

enum { MAX_ARGUMENTS = 64 };

/* --- printf --- */

enum argument_type { ARGUMENT_INT, ARGUMENT_LONG, ARGUMENT_DOUBLE, ARGUMENT_LONG_DOUBLE };

/* What is done with the memory that an argument points to. */
enum use { USE_NONE, USE_STRING, USE_WIDE_STRING, USE_COUNT };

enum { NO_PRECISION = -1, NO_ARGUMENT = -1 };

struct print_use {
	uint8_t use; /* enum use, not USE_NONE */
	uint8_t argument;
	uint8_t size; /* of what %n writes */
	int8_t precision_argument; /* or NO_ARGUMENT */
	int precision; /* or NO_PRECISION */
};

struct print_format {
	unsigned arguments; /* how many there are, in the order of the call */
	uint8_t types[MAX_ARGUMENTS]; /* enum argument_type */
	unsigned uses;
	struct print_use use[MAX_ARGUMENTS];
};

/* False when there are more arguments than MAX_ARGUMENTS; what is no conversion counts as text. */
bool print_parse(const char *format, struct print_format *out);

/* --- scanf --- */

enum { SCAN_ROOM = 16 };

enum scan_kind {
	SCAN_VALUE, /* `size` bytes, at most SCAN_ROOM: a number, a pointer, a few characters */
	SCAN_TEXT, /* characters and a terminator */
	SCAN_BLOCK, /* %c with more: `width` characters without one */
	SCAN_COUNT, /* %n, which does not count as assigned */
	SCAN_POINTER, /* memory that scanf allocates, by the program's own wish */
};

struct scan_target {
	uint8_t kind; /* enum scan_kind */
	uint8_t argument;
	uint8_t size; /* of the value, or of one character */
	uint32_t width;
};

struct scan_format {
	unsigned arguments;
	unsigned targets; /* in the order in which they are assigned */
	struct scan_target target[MAX_ARGUMENTS];
};

/*
 * Parse the format and write one to `to` (of scan_room() bytes) that allocates the memory
 * of all texts and blocks: for each of the arguments a pointer to SCAN_ROOM bytes is enough.
 */
bool scan_parse(const char *format, struct scan_format *out, char *to);
size_t scan_room(size_t length);

#pragma GCC visibility pop

#endif
