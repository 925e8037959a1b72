/*
 * Our own parts are found beside the running program: in the build tree
 * (build/inspect, build/inspect-instrument) or installed (PREFIX/bin/inspect,
 * PREFIX/lib/inspect/inspect-instrument).
 */
#define _GNU_SOURCE
#include "build/driver/paths.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directory of the running program. */
static const char *own_directory(void)
{
	static char path[PATH_MAX];
	ssize_t length;

	if (path[0])
		return path;
	length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length <= 0)
		failure("cannot find our own program: /proc is not mounted");
	path[length] = 0;
	invariant(strrchr(path, '/')); /* the kernel gives an absolute path */
	*strrchr(path, '/') = 0;
	return path;
}

/* The first of two places that exists, relative to our own directory; NULL when neither does. */
static char *find(const char *in_tree, const char *installed)
{
	const char *const places[] = {in_tree, installed};

	for (unsigned i = 0; i < 2; i++) {
		char *path = xasprintf("%s/%s", own_directory(), places[i]);

		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

char *build_optional_part(const char *name)
{
	char *installed = xasprintf("../lib/inspect/%s", name);
	char *path = find(name, installed);

	invariant(*name && !strchr(name, '/')); /* the same one in both places */
	free(installed);
	return path;
}

static char *find_part(const char *name)
{
	char *path = build_optional_part(name);

	if (!path)
		failure("%s is missing: it belongs beside %s/inspect", name, own_directory());
	return path;
}

const char *build_runtime_library(void)
{
	static char *path;

	return path ? path : (path = find_part("libinspect-runtime.a"));
}

const char *build_instrumentor(void)
{
	static char *path;

	return path ? path : (path = find_part("inspect-instrument"));
}

/* The directory of a header, or NULL. */
static char *directory_of(char *header)
{
	invariant(!header || strrchr(header, '/')); /* find() has put a directory before it */
	if (header)
		*strrchr(header, '/') = 0;
	return header;
}

const char *include_directory(void)
{
	static char *path;

	return path ? path : (path = directory_of(find("../include/inspect.h", "../../include/inspect.h")));
}

const char *override_directory(void)
{
	static char *path;

	return path ? path
		    : (path = directory_of(
			       find("../src/build/override/pthread.h", "../lib/inspect/override/pthread.h")));
}
