/*
 * What functions read and write through their parameters: for those that the runtime defines, in all folders, and for the
 * wrappers of the C library (libc/libc.h).  The site of an announcement is rt->current_site.
 */
#ifndef INSPECT_RUNTIME_MEMORY_ARGUMENTS_H
#define INSPECT_RUNTIME_MEMORY_ARGUMENTS_H

#include <stddef.h>

#include "runtime/memory/data.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* In an announcement others may run: what is announced as read is used at once, what is written is written at once. */
void reads(const void *address, size_t size);
void writes(const void *address, size_t size);
/* Announce the read of a whole string with its end; its length. */
size_t reads_string(const char *string);

/* Announce a read of `size` bytes, an expression that may change with what other threads do; the final size. */
#define READ_STABLE(address, size)                                                                                     \
	({                                                                                                             \
		size_t before_, after_ = (size);                                                                       \
		do {                                                                                                   \
			before_ = after_;                                                                              \
			reads(address, before_);                                                                       \
			after_ = (size);                                                                               \
		} while (after_ != before_);                                                                           \
		after_;                                                                                                \
	})

/* Announce the read, then copy to memory of the function's own; the write, then copy from there. */
void read_in(void *to, const void *from, size_t size);
void write_out(void *to, const void *from, size_t size);
/* A string, of which no more than size - 1 bytes are copied. */
void read_in_string(char *to, const char *from, size_t size);

/* --- large copies that exist while others run --- */

#define TEMPORARY_ON_STACK (256 * 1024)

struct temporary {
	void *data;
	struct region *mapped; /* NULL: on the stack */
};

struct temporary temporary_map(size_t size); /* data is NULL when it is to be on the stack */
void temporary_release(struct temporary *temporary);

/* An execution has ended, in whatever state: none is in use any more. */
void temporaries_reset(void);

#pragma GCC visibility pop

#endif
