#define _GNU_SOURCE
#include "build/cache/manifest.h"

#include "common/digest.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which file it is, whatever it is called. */
struct identity {
	dev_t device;
	ino_t inode;
};

struct manifest {
	struct list sources, objects; /* as in struct files_read */
	struct list header_directories; /* … and those of all sources */
	struct list header_names; /* as which a source may have been looked for: "types.h", "sys/types.h" … */
	struct list header_subdirectories; /* of these names: "sys" */
	struct list library_directories, libraries, toolchains;
	struct digest contents; /* of all sources and objects */
	struct digest *stamps; /* of header directories, library directories, toolchains, in this order */
	/* not kept */
	struct timespec start; /* {0} when nothing may be too new */
	struct identity *read; /* the sources, and the objects that are not installed */
	unsigned nread;
	bool too_new; /* something that was looked at changed after the start */
};

/* The stamp of a directory that is looked at again each time. */
_Static_assert(sizeof(struct digest) == 16, "digests go to the file as they are");
static const struct digest no_stamp = {UINT64_MAX, UINT64_MAX};

static void manifest_release(struct manifest *manifest)
{
	list_release(&manifest->sources);
	list_release(&manifest->objects);
	list_release(&manifest->header_directories);
	list_release(&manifest->header_names);
	list_release(&manifest->header_subdirectories);
	list_release(&manifest->library_directories);
	list_release(&manifest->libraries);
	list_release(&manifest->toolchains);
	free(manifest->stamps);
	free(manifest->read);
}

static bool is_installed(const char *path)
{
	return !strncmp(path, "/usr/", 5) || !strncmp(path, "/lib", 4);
}

static bool is_before(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

static void note_times(struct manifest *manifest, const struct stat *status)
{
	if (manifest->start.tv_sec &&
	    !(is_before(status->st_mtim, manifest->start) && is_before(status->st_ctim, manifest->start)))
		manifest->too_new = true;
}

/* ---- contents of files ---- */

static bool has_text(const struct buffer *text, const char *part)
{
	return memmem(buffer_text(text), text->size, part, strlen(part));
}

/* Also in a comment: then the program is built each time, which is no harm. */
static bool asks_for_more(const struct buffer *text)
{
	static const char *const parts[] = {"__DATE__",	   "__TIME__", "__TIMESTAMP__", "__has_include",
					    "__has_embed", ".incbin",  ".include",	"embed ",
					    "embed\t",	   "embed<",   "embed\""};

	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (has_text(text, parts[i]))
			return true;
	return false;
}

/* Blocks are as long as can be, so that the digest depends on the contents only. */
static ssize_t read_block(int fd, char *block, size_t size)
{
	size_t filled = 0;
	ssize_t got;

	while (filled < size && (got = read(fd, block + filled, size - filled)) != 0) {
		if (got < 0)
			return -1;
		filled += (size_t)got;
	}
	invariant(filled <= size);
	return (ssize_t)filled;
}

static bool digest_contents(struct digest *contents, int fd, struct buffer *text)
{
	char block[65536];
	ssize_t got;

	while ((got = read_block(fd, block, sizeof block)) > 0) {
		digest_add(contents, block, (size_t)got);
		if (text)
			buffer_add(text, block, (size_t)got);
	}
	digest_add(contents, "", 0);
	return !got;
}

static void digest_status(struct digest *digest, const struct stat *status)
{
	int64_t facts[] = {(int64_t)status->st_dev, (int64_t)status->st_ino, status->st_size,
			   status->st_mtim.tv_sec,  status->st_mtim.tv_nsec, status->st_ctim.tv_sec,
			   status->st_ctim.tv_nsec};

	digest_add(digest, facts, sizeof facts);
}

/*
 * Adds the file to the digest, and its contents to `text` unless that is NULL.  False when it is
 * not there, or is nothing that can be read twice.
 */
static bool digest_file(struct manifest *manifest, const char *path, struct digest *digest, struct buffer *text)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool good = fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode);

	if (good) {
		note_times(manifest, &status);
		invariant(manifest->nread < manifest->sources.count + manifest->objects.count); /* each is read once */
		manifest->read[manifest->nread++] = (struct identity){status.st_dev, status.st_ino};
		good = digest_contents(digest, fd, text);
	}
	if (fd >= 0)
		close(fd);
	return good;
}

static bool is_unrepeatable(const char *path, const struct buffer *text)
{
	return !is_installed(path) && asks_for_more(text);
}

/* With `scan` only if none of them asks for more than contents. */
static bool digest_sources(struct manifest *manifest, struct digest *digest, bool scan)
{
	struct buffer text = {0};
	bool good = true;

	for (unsigned i = 0; i < manifest->sources.count && good; i++) {
		const char *path = manifest->sources.items[i];

		buffer_clear(&text);
		good = digest_file(manifest, path, digest, scan ? &text : NULL) &&
		       !(scan && is_unrepeatable(path, &text));
	}
	buffer_release(&text);
	return good;
}

/* Libraries and programs of the system are large, and nobody changes them without a trace in their times. */
static bool digest_objects(struct manifest *manifest, struct digest *digest)
{
	for (unsigned i = 0; i < manifest->objects.count; i++) {
		const char *path = manifest->objects.items[i];
		struct stat status;

		if (!is_installed(path)) {
			if (!digest_file(manifest, path, digest, NULL))
				return false;
			continue;
		}
		if (stat(path, &status) || !S_ISREG(status.st_mode))
			return false;
		note_times(manifest, &status);
		digest_status(digest, &status);
	}
	return true;
}

/* ---- directories ---- */

static char *join(const char *directory, const char *name)
{
	if (!*directory)
		return xstrdup(*name ? name : ".");
	return *name ? xasprintf("%s/%s", directory, name) : xstrdup(directory);
}

static void add_stat(struct manifest *manifest, struct digest *stamp, const char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
		note_times(manifest, &status);
		digest_status(stamp, &status);
	} else {
		digest_add_text(stamp, "none");
	}
}

/* What changes when a file is added to the directory or to one of the subdirectories. */
static struct digest stamp_of(struct manifest *manifest, const char *directory, const struct list *subdirectories)
{
	struct digest stamp = {0};

	add_stat(manifest, &stamp, *directory ? directory : ".");
	for (unsigned i = 0; i < subdirectories->count; i++) {
		char *path = join(directory, subdirectories->items[i]);

		add_stat(manifest, &stamp, path);
		free(path);
	}
	return stamp;
}

static bool was_read(const struct manifest *manifest, const struct stat *status)
{
	for (unsigned i = 0; i < manifest->nread; i++)
		if (manifest->read[i].device == status->st_dev && manifest->read[i].inode == status->st_ino)
			return true;
	return false;
}

/* None of the names is in the directory, except as a file that was read. */
static bool has_nothing_else(const struct manifest *manifest, const char *directory, const struct list *names)
{
	for (unsigned i = 0; i < names->count; i++) {
		char *path = join(directory, names->items[i]);
		struct stat status;
		bool other = !stat(path, &status) && !was_read(manifest, &status);

		free(path);
		if (other)
			return false;
	}
	return true;
}

/* The directories that are searched for the same names, and their stamps. */
struct searched {
	const struct list *directories, *names, *subdirectories;
	struct digest *stamps;
};

static bool stamp_directories(struct manifest *manifest, const struct searched *searched)
{
	for (unsigned i = 0; i < searched->directories->count; i++) {
		const char *directory = searched->directories->items[i];

		invariant(manifest->nread ||
			  !searched->names->count); /* files are read before directories are judged by them */
		manifest->too_new = false;
		searched->stamps[i] = stamp_of(manifest, directory, searched->subdirectories);
		if (!manifest->too_new)
			continue;
		if (is_installed(directory) || !has_nothing_else(manifest, directory, searched->names))
			return false;
		searched->stamps[i] = no_stamp;
	}
	return true;
}

static bool directories_hold(struct manifest *manifest, const struct searched *searched)
{
	for (unsigned i = 0; i < searched->directories->count; i++) {
		const char *directory = searched->directories->items[i];
		struct digest stamp = stamp_of(manifest, directory, searched->subdirectories);

		if (!digest_equal(stamp, searched->stamps[i]) &&
		    (is_installed(directory) || !has_nothing_else(manifest, directory, searched->names)))
			return false;
	}
	return true;
}

static unsigned directory_count(const struct manifest *manifest)
{
	return manifest->header_directories.count + manifest->library_directories.count + manifest->toolchains.count;
}

static bool for_all_directories(struct manifest *manifest, bool (*check)(struct manifest *, const struct searched *))
{
	static const struct list none;
	struct digest *libraries = manifest->stamps + manifest->header_directories.count;
	struct digest *toolchains = libraries + manifest->library_directories.count;
	struct searched headers = {&manifest->header_directories, &manifest->header_names,
				   &manifest->header_subdirectories, manifest->stamps};
	struct searched objects = {&manifest->library_directories, &manifest->libraries, &none, libraries};
	struct searched versions = {&manifest->toolchains, &none, &none, toolchains};

	invariant(toolchains + manifest->toolchains.count == manifest->stamps + directory_count(manifest));
	return check(manifest, &headers) && check(manifest, &objects) && check(manifest, &versions);
}

static void make_room(struct manifest *manifest)
{
	invariant(!manifest->stamps && !manifest->read);
	manifest->stamps = xcalloc(directory_count(manifest) + 1, sizeof *manifest->stamps);
	manifest->read = xcalloc(manifest->sources.count + manifest->objects.count + 1, sizeof *manifest->read);
}

/* ---- names of headers ---- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each once: the same build writes the same bytes. */
static bool is_sorted(const struct list *list)
{
	for (unsigned i = 1; i < list->count; i++)
		if (strcmp(list->items[i - 1], list->items[i]) >= 0)
			return false;
	return true;
}

static void sort_uniquely(struct list *list)
{
	unsigned kept = 0;

	if (!list->count)
		return;
	qsort(list->items, list->count, sizeof *list->items, compare_texts);
	for (unsigned i = 1; i < list->count; i++) {
		if (strcmp(list->items[i], list->items[kept]))
			list->items[++kept] = list->items[i];
		else
			free(list->items[i]);
	}
	invariant(kept < list->count);
	list->count = kept + 1;
	list->items[list->count] = NULL;
	debug_invariant(is_sorted(list));
}

/* What follows the directory in the path; NULL when it is not in there. */
static const char *name_in(const char *directory, const char *path)
{
	size_t length = strlen(directory);

	if (!length)
		return *path == '/' ? NULL : path;
	return !strncmp(path, directory, length) && path[length] == '/' ? path + length + 1 : NULL;
}

/* A header is also searched in the directories of the files that include it. */
static void add_directories_of_sources(struct manifest *manifest)
{
	for (unsigned i = 0; i < manifest->sources.count; i++) {
		char *directory = xstrdup(manifest->sources.items[i]), *slash = strrchr(directory, '/');

		*(slash ? slash : directory) = '\0';
		list_add_own(&manifest->header_directories, directory);
	}
	sort_uniquely(&manifest->header_directories);
}

static void add_names(struct manifest *manifest, const char *path)
{
	for (unsigned i = 0; i < manifest->header_directories.count; i++) {
		const char *name = name_in(manifest->header_directories.items[i], path);

		if (!name)
			continue;
		list_add(&manifest->header_names, name);
		for (const char *slash = name; (slash = strchr(slash, '/')); slash++)
			list_add_own(&manifest->header_subdirectories, xasprintf("%.*s", (int)(slash - name), name));
	}
}

static void copy_list(struct list *to, const struct list *from)
{
	for (unsigned i = 0; i < from->count; i++)
		list_add(to, from->items[i]);
}

static void manifest_init(struct manifest *manifest, const struct files_read *files, struct timespec start)
{
	*manifest = (struct manifest){.start = start};
	copy_list(&manifest->sources, &files->sources);
	copy_list(&manifest->objects, &files->objects);
	copy_list(&manifest->header_directories, &files->header_directories);
	copy_list(&manifest->library_directories, &files->library_directories);
	copy_list(&manifest->libraries, &files->libraries);
	copy_list(&manifest->toolchains, &files->toolchains);
	add_directories_of_sources(manifest);
	for (unsigned i = 0; i < manifest->sources.count; i++)
		add_names(manifest, manifest->sources.items[i]);
	sort_uniquely(&manifest->header_names);
	sort_uniquely(&manifest->header_subdirectories);
	make_room(manifest);
}

/* ---- as bytes: for each list its length and its texts with their NULs; digests ---- */

static struct list *list_number(struct manifest *manifest, unsigned n)
{
	struct list *const lists[] = {
		&manifest->sources,
		&manifest->objects,
		&manifest->header_directories,
		&manifest->header_names,
		&manifest->header_subdirectories,
		&manifest->library_directories,
		&manifest->libraries,
		&manifest->toolchains,
	};

	return n < sizeof lists / sizeof *lists ? lists[n] : NULL;
}

static void write_manifest(struct buffer *bytes, struct manifest *manifest)
{
	struct list *list;

	invariant(manifest->stamps);
	invariant(is_sorted(&manifest->header_names) && is_sorted(&manifest->header_directories));
	for (unsigned n = 0; (list = list_number(manifest, n)); n++) {
		uint32_t count = list->count;

		buffer_add(bytes, &count, sizeof count);
		for (unsigned i = 0; i < count; i++)
			buffer_add(bytes, list->items[i], strlen(list->items[i]) + 1);
	}
	buffer_add(bytes, &manifest->contents, sizeof manifest->contents);
	buffer_add(bytes, manifest->stamps, directory_count(manifest) * sizeof *manifest->stamps);
}

/* False when there are too few bytes. */
static bool take(const char **at, const char *end, void *to, size_t size)
{
	invariant(*at <= end);
	if ((size_t)(end - *at) < size)
		return false;
	memcpy(to, *at, size);
	*at += size;
	return true;
}

static bool read_list(const char **at, const char *end, struct list *list)
{
	uint32_t count;

	if (!take(at, end, &count, sizeof count))
		return false;
	invariant(*at <= end);
	for (uint32_t i = 0; i < count; i++) {
		const char *nul = memchr(*at, '\0', (size_t)(end - *at));

		if (!nul)
			return false;
		list_add(list, *at);
		*at = nul + 1;
	}
	return true;
}

/* To be released in either case. */
static bool read_manifest(struct manifest *manifest, const char *at, size_t size)
{
	const char *end = at + size;
	struct list *list;

	*manifest = (struct manifest){0};
	for (unsigned n = 0; (list = list_number(manifest, n)); n++)
		if (!read_list(&at, end, list))
			return false;
	make_room(manifest);
	return take(&at, end, &manifest->contents, sizeof manifest->contents) &&
	       take(&at, end, manifest->stamps, directory_count(manifest) * sizeof *manifest->stamps) && at == end;
}

/* ---- the two questions ---- */

bool manifest_make(struct buffer *bytes, const struct files_read *files, struct timespec start)
{
	struct manifest manifest;
	bool good;

	if (files->unknown || !files->sources.count)
		return false;
	invariant(files->scratch); /* or files that are gone by now would be part of it */
	manifest_init(&manifest, files, start);
	good = digest_sources(&manifest, &manifest.contents, true) && digest_objects(&manifest, &manifest.contents) &&
	       !manifest.too_new && for_all_directories(&manifest, stamp_directories);
	if (good)
		write_manifest(bytes, &manifest);
	manifest_release(&manifest);
	return good;
}

bool manifest_holds(const char *bytes, size_t size)
{
	struct manifest manifest;
	struct digest contents = {0};
	bool good = read_manifest(&manifest, bytes, size) && digest_sources(&manifest, &contents, false) &&
		    digest_objects(&manifest, &contents) && digest_equal(contents, manifest.contents) &&
		    for_all_directories(&manifest, directories_hold);

	manifest_release(&manifest);
	return good;
}
