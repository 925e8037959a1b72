/*
 * What a system call is about to change in the file system is written down first (wire/journal.h), in the SIGSYS handler: so
 * nothing is missed, whoever makes the call.  What could not be undone is refused.
 *
 * Paths are resolved by the kernel: a descriptor that was opened for the place only (O_PATH) has a name in /proc that is
 * absolute and has no symbolic links in it.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/core/runtime.h"
#include "runtime/core/text.h"
#include "runtime/process/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

static inline struct journal *the_journal(void)
{
	return &rt->channel->journal;
}

/* --- paths --- */

bool descriptor_path(int fd, char path[PATH_ROOM])
{
	char link[32] = "/proc/self/fd/";

	text_append_number(link, sizeof link, (uint64_t)fd);
	long length = SYS3(SYS_readlink, link, path, PATH_ROOM - 1);
	path[length > 0 ? length : 0] = 0;
	return length > 0 && length < PATH_ROOM - 1;
}

/*
 * As the call itself, without a descriptor for the program in the way: where the program has set a low limit, or has as many
 * open as it may, there is one more for us.
 */
static long open_beyond_limit(int directory, const char *name, long flags)
{
	struct rlimit limit;
	long fd = SYS4(SYS_openat, directory, name, flags, 0);

	if (fd != -EMFILE || SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit))
		return fd;
	rlim_t more = limit.rlim_cur + 64;
	struct rlimit higher = {more, more > limit.rlim_max ? more : limit.rlim_max};
	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, &higher, NULL))
		return fd;
	fd = SYS4(SYS_openat, directory, name, flags, 0);
	SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
	return fd;
}

static bool is_out_of_descriptors(long error)
{
	return error == -EMFILE || error == -ENFILE;
}

/* Of what the path leads to, if it is there. */
static bool path_of_existing(int directory, const char *name, int flags, char path[PATH_ROOM], long *error)
{
	long fd = open_beyond_limit(directory, name, O_PATH | O_CLOEXEC | flags);

	*error = fd < 0 ? fd : 0;
	if (fd < 0)
		return false;
	bool good = descriptor_path((int)fd, path);
	SYS1(SYS_close, fd);
	return good;
}

/* The directory that the last part of the name is in, and that part. */
static const char *split_path(const char *name, char directory[PATH_ROOM])
{
	size_t length = strlen(name), start;

	while (length > 1 && name[length - 1] == '/')
		length--;
	for (start = length; start && name[start - 1] != '/';)
		start--;
	if (start >= PATH_ROOM)
		return NULL;
	memcpy(directory, name, start);
	directory[start] = 0;
	if (!start)
		text_copy(directory, PATH_ROOM, ".");
	return name + start;
}

static enum found resolve_missing(int directory, const char *name, char path[PATH_ROOM])
{
	char parent[PATH_ROOM], *end;
	const char *last = split_path(name, parent);
	long error;

	if (!last || !*last)
		return FOUND_NOTHING;
	if (!path_of_existing(directory, parent, O_DIRECTORY, path, &error))
		return is_out_of_descriptors(error) ? FOUND_UNKNOWN : FOUND_NOTHING;
	if (strcmp(path, "/"))
		text_append(path, PATH_ROOM, "/");
	text_append(path, PATH_ROOM, last);
	for (end = path + strlen(path); end > path + 1 && end[-1] == '/';)
		*--end = 0;
	return strlen(path) < PATH_ROOM - 1 ? FOUND_ROOM : FOUND_NOTHING;
}

enum found journal_resolve(int directory, const char *name, bool follow, char path[PATH_ROOM])
{
	long error;

	if (path_of_existing(directory, name, follow ? 0 : O_NOFOLLOW, path, &error))
		return FOUND_FILE;
	if (error != -ENOENT)
		return is_out_of_descriptors(error) ? FOUND_UNKNOWN : FOUND_NOTHING;
	if (follow && path_of_existing(directory, name, O_NOFOLLOW, path, &error))
		return FOUND_DANGLING;
	return resolve_missing(directory, name, path);
}

/* --- entries --- */

static struct journal_entry *entry_at(uint64_t place)
{
	invariant(place && place <= JOURNAL_SIZE);
	return (struct journal_entry *)&the_journal()->entries[place - 1];
}

static bool has_room(uint64_t size)
{
	return size <= JOURNAL_SIZE - the_journal()->used;
}

/* An entry at the end, which does not count yet. */
static struct journal_entry *draft_entry(enum journal_kind kind, const char *path, const char *other)
{
	uint32_t path_size = (uint32_t)strlen(path) + 1, other_size = other ? (uint32_t)strlen(other) + 1 : 0;
	struct journal_entry *entry = entry_at(the_journal()->used + 1);

	if (!has_room(sizeof *entry + path_size + other_size))
		return NULL;
	*entry = (struct journal_entry){.previous = the_journal()->last,
					.kind = kind,
					.path_size = path_size,
					.other_size = other_size};
	memcpy(entry + 1, path, path_size);
	memcpy((char *)(entry + 1) + path_size, other ? other : "", other_size);
	return entry;
}

static uint64_t size_of(const struct journal_entry *entry)
{
	return (sizeof *entry + entry->path_size + entry->other_size + entry->size + 7) & ~7ull;
}

/* It counts from here on, whatever happens to this process. */
static bool publish_entry(const struct journal_entry *entry)
{
	uint64_t place = the_journal()->used + 1;

	if (!entry || !has_room(size_of(entry)))
		return false;
	the_journal()->used += size_of(entry);
	__atomic_store_n(&the_journal()->last, place, __ATOMIC_RELEASE);
	return true;
}

static void describe(struct journal_entry *entry, const struct stat *status)
{
	entry->mode = status->st_mode;
	entry->owner = status->st_uid;
	entry->group = status->st_gid;
	entry->device = status->st_dev;
	entry->inode = status->st_ino;
	entry->times[0] = status->st_atim.tv_sec;
	entry->times[1] = status->st_atim.tv_nsec;
	entry->times[2] = status->st_mtim.tv_sec;
	entry->times[3] = status->st_mtim.tv_nsec;
}

/* Are the contents in an earlier entry, or was the file not there when the execution began? */
static bool is_known(const struct stat *status)
{
	for (uint64_t place = the_journal()->last; place; place = entry_at(place)->previous) {
		const struct journal_entry *entry = entry_at(place);
		if (entry->inode == status->st_ino && entry->device == status->st_dev &&
		    (entry->kind == JOURNAL_CREATED || entry->kind == JOURNAL_CONTENTS))
			return true;
	}
	return false;
}

static bool read_contents(struct journal_entry *entry, const char *path)
{
	char *to = (char *)(entry + 1) + entry->path_size + entry->other_size;
	long fd = open_beyond_limit(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOATIME), got = 1;

	if (fd == -EPERM)
		fd = open_beyond_limit(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	while (got > 0) {
		uint64_t room =
			JOURNAL_SIZE - the_journal()->used - sizeof *entry - entry->path_size - entry->other_size;
		got = room > entry->size + 8 ? SYS3(SYS_read, fd, to + entry->size, room - entry->size - 8) : -1;
		entry->size += got > 0 ? (uint64_t)got : 0;
	}
	SYS1(SYS_close, fd);
	return got == 0;
}

static bool read_link(struct journal_entry *entry, const char *path)
{
	char *to = (char *)(entry + 1) + entry->path_size + entry->other_size;

	if (!has_room(sizeof *entry + entry->path_size + entry->other_size + PATH_ROOM + 8))
		return false;
	long length = SYS3(SYS_readlink, path, to, PATH_ROOM - 1);
	if (length < 0)
		return false;
	to[length] = 0;
	entry->size = (uint64_t)length + 1;
	return true;
}

/* --- what was there --- */

static const char blind[] = "changing files where no more files can be opened";
static const char too_much[] = "changing files of more than 64 MiB together, or that cannot be read,";

static const char *note_created(const char *path)
{
	return publish_entry(draft_entry(JOURNAL_CREATED, path, NULL)) ? NULL : too_much;
}

static bool is_bottomless(const struct stat *status)
{
	unsigned number = minor(status->st_rdev);

	return S_ISCHR(status->st_mode) && major(status->st_rdev) == 1 && (number == 3 || number == 5 || number == 7);
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* A file that may be written from now on. */
static const char *note_contents(const char *path)
{
	struct stat status;

	if (SYS4(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW))
		return NULL; /* one without a name, which nobody can open again: captured output */
	if (is_bottomless(&status) || S_ISDIR(status.st_mode))
		return NULL;
	if (!S_ISREG(status.st_mode) || starts_with(path, "/proc/") || starts_with(path, "/sys/"))
		return "writing to a device, a pipe or a file of the kernel";
	if (is_known(&status))
		return NULL;
	struct journal_entry *entry = draft_entry(JOURNAL_CONTENTS, path, NULL);
	if (!entry)
		return too_much;
	describe(entry, &status);
	return read_contents(entry, path) && publish_entry(entry) ? NULL : too_much;
}

/* Something whose name goes away. */
static const char *note_removed(const char *path)
{
	struct stat status;
	struct journal_entry *entry = draft_entry(JOURNAL_REMOVED, path, NULL);
	bool good = true;

	if (SYS4(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW))
		return NULL; /* the call will find the same */
	if (!entry)
		return too_much;
	describe(entry, &status);
	if (S_ISREG(status.st_mode) && status.st_nlink > 1 && !is_known(&status))
		return "removing a file with several names";
	if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) && !S_ISLNK(status.st_mode))
		return "removing a device, a pipe or a socket";
	entry->known = S_ISREG(status.st_mode) && is_known(&status);
	if (S_ISLNK(status.st_mode))
		good = read_link(entry, path);
	else if (S_ISREG(status.st_mode) && !entry->known)
		good = read_contents(entry, path);
	return good && publish_entry(entry) ? NULL : too_much;
}

static const char *note_mode(const char *path)
{
	struct stat status;
	struct journal_entry *entry = draft_entry(JOURNAL_MODE, path, NULL);

	if (SYS4(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW))
		return NULL;
	if (!entry)
		return too_much;
	describe(entry, &status);
	return publish_entry(entry) ? NULL : too_much;
}

/* --- calls --- */

static const char *note_open(int directory, const char *name, long flags)
{
	char path[PATH_ROOM];
	bool creates = flags & O_CREAT, writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	bool exclusive = creates && (flags & O_EXCL);

	if ((flags & O_TMPFILE) == O_TMPFILE || flags & O_PATH || (!creates && !writes))
		return NULL;
	switch (journal_resolve(directory, name, !exclusive && !(flags & O_NOFOLLOW), path)) {
	case FOUND_ROOM: return creates ? note_created(path) : NULL;
	case FOUND_FILE: return writes && !exclusive ? note_contents(path) : NULL;
	case FOUND_DANGLING: return creates ? "creating a file through a symbolic link" : NULL;
	case FOUND_UNKNOWN: return blind;
	case FOUND_NOTHING: break;
	}
	return NULL;
}

/* What is found under the name must be written down if it is `wanted`. */
static const char *note_if(int directory, const char *name, bool follow, enum found wanted,
			   const char *(*note)(const char *path))
{
	char path[PATH_ROOM];
	enum found found = journal_resolve(directory, name, follow, path);

	if (found == FOUND_UNKNOWN)
		return blind;
	return found == wanted ? note(path) : NULL;
}

static const char *note_new_name(int directory, const char *name)
{
	return note_if(directory, name, false, FOUND_ROOM, note_created);
}

static const char *note_old_name(int directory, const char *name)
{
	return note_if(directory, name, false, FOUND_FILE, note_removed);
}

static const char *note_change(int directory, const char *name, const char *(*note)(const char *path))
{
	return note_if(directory, name, true, FOUND_FILE, note);
}

static bool are_one_file(const char *path, const char *other)
{
	struct stat a, b;

	return !SYS4(SYS_newfstatat, AT_FDCWD, path, &a, AT_SYMLINK_NOFOLLOW) &&
	       !SYS4(SYS_newfstatat, AT_FDCWD, other, &b, AT_SYMLINK_NOFOLLOW) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static const char *note_rename(int directory, const char *from, int other_directory, const char *to)
{
	char path[PATH_ROOM], other[PATH_ROOM];
	enum found found = journal_resolve(other_directory, to, false, other);
	enum found old = journal_resolve(directory, from, false, path);

	if (found == FOUND_UNKNOWN || old == FOUND_UNKNOWN)
		return blind;
	if (old != FOUND_FILE || found == FOUND_NOTHING)
		return NULL;
	if (found == FOUND_FILE && are_one_file(path, other))
		return NULL;
	const char *why = found == FOUND_FILE ? note_removed(other) : NULL;
	if (why)
		return why;
	return publish_entry(draft_entry(JOURNAL_RENAMED, path, other)) ? NULL : too_much;
}

static const char *note_descriptor_mode(int fd)
{
	char path[PATH_ROOM];

	return descriptor_path(fd, path) ? note_mode(path) : NULL;
}

static const char *note_call_on_files(long number, const long a[6])
{
	switch (number) {
	case SYS_open: return note_open(AT_FDCWD, (const char *)a[0], a[1]);
	case SYS_openat: return note_open((int)a[0], (const char *)a[1], a[2]);
	case SYS_creat: return note_open(AT_FDCWD, (const char *)a[0], O_CREAT | O_TRUNC | O_WRONLY);
	case SYS_truncate: return note_change(AT_FDCWD, (const char *)a[0], note_contents);
	case SYS_chmod: return note_change(AT_FDCWD, (const char *)a[0], note_mode);
	case SYS_fchmodat: return note_change((int)a[0], (const char *)a[1], note_mode);
	case SYS_fchmod: return note_descriptor_mode((int)a[0]);
	case SYS_unlink:
	case SYS_rmdir: return note_old_name(AT_FDCWD, (const char *)a[0]);
	case SYS_unlinkat: return note_old_name((int)a[0], (const char *)a[1]);
	case SYS_mkdir: return note_new_name(AT_FDCWD, (const char *)a[0]);
	case SYS_mkdirat: return note_new_name((int)a[0], (const char *)a[1]);
	case SYS_link:
	case SYS_symlink: return note_new_name(AT_FDCWD, (const char *)a[1]);
	case SYS_symlinkat: return note_new_name((int)a[1], (const char *)a[2]);
	case SYS_linkat: return note_new_name((int)a[2], (const char *)a[3]);
	case SYS_rename: return note_rename(AT_FDCWD, (const char *)a[0], AT_FDCWD, (const char *)a[1]);
	case SYS_renameat: return note_rename((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3]);
	case SYS_renameat2:
		return a[4] ? "renameat2 with flags"
			    : note_rename((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3]);
	}
	return NULL;
}

const char *journal_note(struct journal_mark *mark, long number, const long a[6])
{
	*mark = (struct journal_mark){.last = the_journal()->last, .used = the_journal()->used};
	const char *why = note_call_on_files(number, a);

	if (!why && the_journal()->last != mark->last && rt->channel->files_refused)
		why = "changing files, which other workers would see (try without --jobs and --checkpoint),";
	if (why)
		journal_settle(mark, -1);
	return why;
}

void journal_settle(const struct journal_mark *mark, long result)
{
	struct stat status;

	if (the_journal()->last == mark->last)
		return;
	if (result < 0) {
		the_journal()->last = mark->last;
		the_journal()->used = mark->used;
		return;
	}
	for (uint64_t place = the_journal()->last; place != mark->last; place = entry_at(place)->previous)
		entry_at(place)->done = 1;
	struct journal_entry *entry = entry_at(the_journal()->last);
	if (entry->kind == JOURNAL_CREATED && result > 0 && !SYS2(SYS_fstat, result, &status)) { /* by an open */
		entry->device = status.st_dev;
		entry->inode = status.st_ino;
	}
}
