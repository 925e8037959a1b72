/*
 * Wrappers of C library functions (wire/libc.def): what instrumented code calls
 * instead of them.  A wrapper announces what the function reads and writes as
 * accesses of the calling thread, and lets the C library do the work.
 *
 * In an announcement other threads may run.  Therefore:
 *   - what is announced as read is used at once, or copied at once to memory of
 *     the wrapper's own: only the argument that was announced last is used in place;
 *   - what is to be written is complete in memory of the wrapper's own before the
 *     write is announced, and is copied at once after it;
 *   - how much there is to read can change in an announcement: it is measured again
 *     afterwards, and announced again if it is not the same (READ_STABLE).
 * Memory is touched only by functions of the C library, or with rt->memory.touching set, so
 * that the report of a fault names the program's line.
 *
 * The site of all announcements is rt->current_site, which is the caller's at entry and
 * again after each announcement.  A wrapper that calls back into the program keeps it.
 */
#ifndef INSPECT_RUNTIME_LIBC_LIBC_H
#define INSPECT_RUNTIME_LIBC_LIBC_H

/* Some of what is wrapped is there for _GNU_SOURCE only, which counts where the first header is included. */
#ifndef _GNU_SOURCE
#ifdef _FEATURES_H
#error "define _GNU_SOURCE before the first include"
#endif
#define _GNU_SOURCE
#endif

#include <alloca.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/core/runtime.h"
#include "runtime/memory/arguments.h"
#include "runtime/process/system.h"
#include "wire/hidden.h"

/* What the headers give other names, or none. */
char *__xpg_basename(char *);
char *dirname(char *);
int __xpg_strerror_r(int, char *, size_t);

#define WRAP(name) WRAP_EXPANDED(name)
#define WRAP_EXPANDED(name) __inspect_libc_##name

/* A wrapper has the type of what it wraps. */
#define LIBC(name, effects) extern __typeof__(name) WRAP(name);
#define ALIAS(name, function)
#include "wire/libc.def"
#undef LIBC
#undef ALIAS

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* --- announcements (announce.c) --- */

/* Plain accesses to a piece of hidden state; a change is one that the C library protects by a lock. */
void reads_hidden(enum hidden_state state);
void writes_hidden(enum hidden_state state);
void changes_hidden(enum hidden_state state);

/*
 * Streams and directories are objects with a lock.  Output of several threads on stdout or stderr commutes: the
 * order of what is printed is no property that is checked.  So does what only looks at the state of a stream.  Everything
 * else conflicts; the unlocked variants are plain accesses, which race.  What a stream does to its file is part of the
 * same operation (runtime/process/system.h).
 */
void stream_looks(const void *stream);
void stream_outputs(const void *stream);
void stream_changes(const void *stream);
void stream_unlocked(const void *stream);
void directory_uses(const void *directory);
/* It is closed or opened anew, which for a file says the function that does it. */
void stream_opens(const void *stream);
void stream_enter(FILE *stream);
void stream_leave(FILE **stream);
void stream_forget(FILE *stream);

/* To the end of the block the thread uses the stream: it has the stream's lock, where there is one (streamlock.c). */
#define STREAM_USE(stream, announce)                                                                                   \
	FILE *used __attribute__((cleanup(stream_leave))) = (stream);                                                  \
	stream_enter(used);                                                                                            \
	announce(used)

#define STREAM_LOOK(stream) STREAM_USE(stream, stream_looks)
#define STREAM_SET(stream) STREAM_USE(stream, stream_changes)

/* Input and output, and moving to another position, may be cancellation points; the others are none. */
#define STREAM_OUTPUT(stream)                                                                                          \
	possible_cancellation_point();                                                                                 \
	STREAM_USE(stream, stream_outputs)

#define STREAM_CHANGE(stream)                                                                                          \
	possible_cancellation_point();                                                                                 \
	STREAM_USE(stream, stream_changes)

/* As reads_string(), but of at most `max` characters, or of wide ones. */
size_t reads_string_max(const char *string, size_t max);
size_t reads_wide(const wchar_t *string);
size_t reads_wide_max(const wchar_t *string, size_t max);

/* reads(), writes(), reads_string(), and what has a size that is known: memory/arguments.h. */

/* --- memory of the wrapper's own --- */

/* Declare a temporary of `size` bytes that lives to the end of the block. */
#define TEMPORARY(name, size)                                                                                          \
	size_t name##_size = (size);                                                                                   \
	struct temporary name __attribute__((cleanup(temporary_release))) = temporary_map(name##_size);                \
	if (!name.data)                                                                                                \
	name.data = alloca(name##_size + 1)

/* Announce the read of a string argument and keep a copy of it: NAME.data. */
#define PRIVATE_STRING(name, string)                                                                                   \
	size_t name##_length = reads_string(string);                                                                   \
	TEMPORARY(name, name##_length + 1);                                                                            \
	memcpy(name.data, string, name##_length + 1)

#define PRIVATE_WIDE(name, string)                                                                                     \
	size_t name##_length = reads_wide(string);                                                                     \
	TEMPORARY(name, (name##_length + 1) * sizeof(wchar_t));                                                        \
	memcpy(name.data, string, (name##_length + 1) * sizeof(wchar_t))

/* In a variadic function: the result of a call that uses the va_list `arguments`. */
#define WITH_ARGUMENTS(last, call)                                                                                     \
	({                                                                                                             \
		va_list arguments;                                                                                     \
		va_start(arguments, last);                                                                             \
		int result_ = call;                                                                                    \
		va_end(arguments);                                                                                     \
		result_;                                                                                               \
	})

static inline size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

#pragma GCC visibility pop

#endif
