/* What an execution leaves behind of what the wrappers of the C library keep. */
#ifndef INSPECT_RUNTIME_LIBC_LEFTOVERS_H
#define INSPECT_RUNTIME_LIBC_LEFTOVERS_H

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

void stream_locks_reset(void);

#pragma GCC visibility pop

#endif
