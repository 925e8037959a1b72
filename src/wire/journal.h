/*
 * The journal: what an execution has changed in the file system, so that it can be undone.
 *
 * The executor writes an entry before each call that changes a file (runtime/process/journal.c); the explorer undoes them, the last one
 * first, before the next execution and when the search ends (execute/journal.c).  Each entry says what was there before the call,
 * under an absolute path without symbolic links, so that nothing but the file system is needed to undo it.
 */
#ifndef INSPECT_WIRE_JOURNAL_H
#define INSPECT_WIRE_JOURNAL_H

#include <stdint.h>

enum journal_kind {
	JOURNAL_CREATED = 1, /* nothing was there */
	JOURNAL_CONTENTS, /* a regular file with these contents, which may change */
	JOURNAL_MODE, /* something with this mode */
	JOURNAL_REMOVED, /* a file, directory or symbolic link that is no longer there */
	JOURNAL_RENAMED, /* `path` was what is now `other` */
};

/* Followed by `path`, `other` and the contents (of a symbolic link: where it leads), each as long as it says. */
struct journal_entry {
	uint64_t previous; /* where that entry begins, + 1; 0: there is none */
	uint32_t kind; /* enum journal_kind */
	uint32_t done; /* the call has succeeded; else it may or may not have been made */
	uint32_t mode, owner, group;
	uint32_t path_size, other_size; /* with the zero at the end; other_size may be 0 */
	uint32_t known; /* the contents are in an earlier entry, or never mattered: `size` is 0 */
	uint64_t device, inode; /* of what was there, or was created: 0, 0 when that is not known */
	uint64_t size; /* of the contents */
	int64_t times[4]; /* of the last access and change, seconds and nanoseconds */
};

#define JOURNAL_SIZE (64ull << 20)

struct journal {
	uint64_t last; /* where the last entry begins, + 1; 0: there is none */
	uint64_t used;
	uint8_t entries[JOURNAL_SIZE] __attribute__((aligned(8)));
};

static inline const struct journal_entry *journal_at(const struct journal *journal, uint64_t place)
{
	return place ? (const struct journal_entry *)&journal->entries[place - 1] : (const struct journal_entry *)0;
}

#endif
