/* Writing down what system calls change in the file system (journal.c). */
#ifndef INSPECT_RUNTIME_PROCESS_JOURNAL_H
#define INSPECT_RUNTIME_PROCESS_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

enum { PATH_ROOM = 4096 };

/* Where a descriptor leads, as an absolute path without symbolic links; false when it has none. */
bool descriptor_path(int fd, char path[PATH_ROOM]);

/* What there is under a name. */
enum found {
	FOUND_NOTHING, /* nor can there be: a directory on the way is missing, or the name is bad */
	FOUND_ROOM, /* nothing, but its directory is there */
	FOUND_DANGLING, /* a symbolic link that leads nowhere */
	FOUND_FILE,
	FOUND_UNKNOWN, /* no descriptor is left to look with */
};

/* … and its absolute path, with FOUND_ROOM and FOUND_FILE. */
enum found journal_resolve(int directory, const char *name, bool follow, char path[PATH_ROOM]);

/* How much was written down before a call. */
struct journal_mark {
	uint64_t last, used;
};

/* Write down what the call is about to change; NULL, or why it cannot be made. */
const char *journal_note(struct journal_mark *mark, long number, const long a[6]);
/* The call came to this: a failed one has changed nothing. */
void journal_settle(const struct journal_mark *mark, long result);

#pragma GCC visibility pop

#endif
