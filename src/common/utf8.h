/*
 * Just enough UTF-8 for reports: what is valid, and how wide it is on paper.
 * Every code point counts as one column.
 */
#ifndef INSPECT_COMMON_UTF8_H
#define INSPECT_COMMON_UTF8_H

#include <stddef.h>

/*
 * The length in bytes of the valid code point that starts `text`, of which at
 * most `size` bytes exist; 0 when it does not start with a valid one.
 */
size_t utf8_length(const char *text, size_t size);

/* Columns that the string takes. */
size_t utf8_width(const char *text);

/* How many bytes of the string fit into `columns`. */
size_t utf8_fit(const char *text, size_t columns);

#endif
