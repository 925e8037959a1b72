/*
 * What functions of the program's C library read and write through their parameters (announce.c), for those of them that the
 * other folders define.  The wrappers themselves are in libc.h.
 */
#ifndef INSPECT_RUNTIME_LIBC_ANNOUNCE_H
#define INSPECT_RUNTIME_LIBC_ANNOUNCE_H

#include <stddef.h>

#include "runtime/libc/data.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

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

/* --- what an execution left behind --- */

void stream_locks_reset(void);
void temporaries_reset(void);

#pragma GCC visibility pop

#endif
