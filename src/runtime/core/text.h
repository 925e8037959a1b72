/* Formatting without libc: no call of it may be made during an execution. */
#ifndef INSPECT_RUNTIME_CORE_TEXT_H
#define INSPECT_RUNTIME_CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "wire/channel.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* All of these end the text with a zero, within `size` bytes; what does not fit is left out. */
void text_copy(char *to, size_t size, const char *from);
void text_append(char *to, size_t size, const char *from);
void text_append_number(char *to, size_t size, uint64_t number);
void text_write(const char *text); /* to stderr */

/* Set the running thread's message from parts, NULL-terminated. */
void message_set(char message[MAX_MESSAGE], const char *first, ...) __attribute__((sentinel));

#pragma GCC visibility pop

#endif
