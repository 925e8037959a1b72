#define _GNU_SOURCE
#include "build/workdir.h"

#include "common/trouble.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *directory;

/* Only files are ever made in it. */
static void workdir_remove(void)
{
	DIR *open = opendir(directory);
	struct dirent *entry;

	while (open && (entry = readdir(open)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(open), entry->d_name, 0);
	if (open)
		closedir(open);
	rmdir(directory);
}

const char *workdir_make(void)
{
	const char *parent = getenv("TMPDIR");

	assert(!directory);
	directory = xasprintf("%s/inspect-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(directory))
		failure("cannot make a directory in %s: %s", parent && *parent ? parent : "/tmp", strerror(errno));
	on_trouble(workdir_remove);
	return directory;
}
