#define _GNU_SOURCE
#include "common/invariant.h"
#include "common/scratch.h"

#include "common/trouble.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_NESTING 8
#define MAX_ROUNDS 64 /* a compiler that still runs may add files while we remove them */

static char *scratch;

static void empty_directory(int fd, unsigned nesting);

static void remove_entry(int directory, const char *name, unsigned nesting)
{
	int fd;

	if (!strcmp(name, ".") || !strcmp(name, "..") || !unlinkat(directory, name, 0))
		return;
	if (errno != EISDIR || nesting == MAX_NESTING)
		return;
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		empty_directory(fd, nesting + 1);
		close(fd);
	}
	unlinkat(directory, name, AT_REMOVEDIR);
}

/* readdir() allocates and locks: this reads the entries with the bare system call. */
static void empty_directory(int fd, unsigned nesting)
{
	_Alignas(struct dirent64) char entries[4096];

	for (unsigned round = 0; round < MAX_ROUNDS; round++) {
		long size = syscall(SYS_getdents64, fd, entries, sizeof entries);
		if (size <= 0)
			return;
		for (long at = 0; at < size;) {
			struct dirent64 *entry = (struct dirent64 *)(entries + at);
			remove_entry(fd, entry->d_name, nesting);
			at += entry->d_reclen;
		}
		lseek(fd, 0, SEEK_SET);
	}
}

void scratch_remove(void)
{
	int fd, saved = errno;

	if (scratch && (fd = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0) {
		empty_directory(fd, 0);
		close(fd);
		rmdir(scratch);
	}
	errno = saved;
}

static char *make_below(const char *parent)
{
	char *path = xasprintf("%s/inspect-XXXXXX", parent);

	if (!mkdtemp(path))
		die("cannot make the temporary directory %s: %s", path, strerror(errno));
	return path;
}

const char *scratch_make(void)
{
	static char *inside;
	const char *parent = getenv("TMPDIR");
	char *absolute;

	if (scratch) {
		invariant(!inside);
		inside = make_below(scratch);
		return inside;
	}
	if (!parent || !*parent)
		parent = "/tmp";
	absolute = realpath(parent, NULL);
	if (!absolute)
		die("cannot use the temporary directory %s: %s", parent, strerror(errno));
	invariant(absolute[0] == '/');
	scratch = make_below(absolute);
	free(absolute);
	on_trouble(scratch_remove);
	return scratch;
}
