#define _GNU_SOURCE
#include "execute/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/invariant.h"
#include "common/trouble.h"

static const char *path_of(const struct journal_entry *entry)
{
	return (const char *)(entry + 1);
}

static const char *other_of(const struct journal_entry *entry)
{
	return path_of(entry) + entry->path_size;
}

static const char *contents_of(const struct journal_entry *entry)
{
	return other_of(entry) + entry->other_size;
}

static bool exists(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

static bool remove_created(const struct journal_entry *entry)
{
	const char *path = path_of(entry);

	return !unlink(path) || errno == ENOENT || (errno == EISDIR && (!rmdir(path) || errno == ENOENT));
}

static bool write_all(int fd, const char *from, uint64_t size)
{
	while (size) {
		ssize_t done = write(fd, from, size);
		if (done < 0 && errno != EINTR)
			return false;
		from += done > 0 ? done : 0;
		size -= done > 0 ? (uint64_t)done : 0;
	}
	return true;
}

static bool put_times(int fd, const struct journal_entry *entry)
{
	const struct timespec times[] = {{entry->times[0], entry->times[1]}, {entry->times[2], entry->times[3]}};

	return !futimens(fd, times);
}

/* As it was: its contents unless they are known to an earlier entry, owner, mode and times. */
static bool fill(int fd, const struct journal_entry *entry)
{
	struct stat status;
	bool good = entry->known || (!ftruncate(fd, 0) && write_all(fd, contents_of(entry), entry->size));

	if (good && !fstat(fd, &status) && (status.st_uid != entry->owner || status.st_gid != entry->group))
		good = !fchown(fd, entry->owner, entry->group);
	return good && !fchmod(fd, entry->mode & 07777) && put_times(fd, entry);
}

/* In place, so that it stays the same file; its mode may keep us out for now. */
static bool put_contents(const struct journal_entry *entry)
{
	int fd = open(path_of(entry), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == EACCES && !chmod(path_of(entry), 0600))
		fd = open(path_of(entry), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool good = fill(fd, entry);
	close(fd);
	return good;
}

static bool put_file(const struct journal_entry *entry)
{
	int fd = open(path_of(entry), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	bool good = fill(fd, entry);
	close(fd);
	return good;
}

static bool put_removed(const struct journal_entry *entry)
{
	const char *path = path_of(entry);

	if (!entry->done && exists(path))
		return true;
	switch (entry->mode & S_IFMT) {
	case S_IFREG: return put_file(entry);
	case S_IFDIR: return !mkdir(path, 0700) && !chmod(path, entry->mode & 07777);
	case S_IFLNK: return !symlink(contents_of(entry), path);
	}
	return false;
}

static bool put_name(const struct journal_entry *entry)
{
	if (!entry->done && exists(path_of(entry)))
		return true;
	return !rename(other_of(entry), path_of(entry));
}

static bool undo(const struct journal_entry *entry)
{
	switch (entry->kind) {
	case JOURNAL_CREATED: return remove_created(entry);
	case JOURNAL_CONTENTS: return put_contents(entry);
	case JOURNAL_MODE: return !chmod(path_of(entry), entry->mode & 07777);
	case JOURNAL_REMOVED: return put_removed(entry);
	case JOURNAL_RENAMED: return put_name(entry);
	}
	return false;
}

char *journal_undo(struct journal *journal)
{
	const struct journal_entry *entry;
	char *wrong = NULL;

	for (uint64_t at = journal->last; (entry = journal_at(journal, at)); at = entry->previous) {
		invariant(entry->previous < at); /* the list ends */
		invariant(at <= journal->used);
		if (!undo(entry) && !wrong)
			wrong = xasprintf("%s: %s", path_of(entry), strerror(errno));
	}
	journal->last = journal->used = 0;
	return wrong;
}
