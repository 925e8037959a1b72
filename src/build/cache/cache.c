#define _GNU_SOURCE
#include "build/cache/cache.h"

#include "build/driver/paths.h"
#include "build/cache/manifest.h"
#include "build/driver/spawn.h"
#include "build/driver/steps.h"
#include "common/digest.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "common/version.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ENTRY (64ull << 20)

struct cache {
	char *directory;
	char *entry; /* the file */
	struct timespec start;
};

/* ---- which builds ---- */

/* Flags that change nothing but what the compiler makes of the sources: whatever else they make it read, it tells. */
static const char *const plain_flags[] = {
	"-D",
	"-U",
	"-I",
	"-isystem",
	"-iquote",
	"-idirafter",
	"-std=",
	"-ansi",
	"-pedantic",
	"-W",
	"-pthread",
	"-nostdinc",
	"-m",
	"-fno-",
	"-fPI",
	"-fpi",
	"-fwrapv",
	"-fcommon",
	"-fsigned-",
	"-funsigned-",
	"-fexceptions",
	"-frtti",
	"-fms-extensions",
	"-fvisibility=",
	"-fstack-protector",
	"-fstrict-",
	"-fdiagnostics-",
	"-fcolor-diagnostics",
	"-ffast-math",
	NULL,
};

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool is_plain_flag(const char *flag)
{
	if (!strcmp(flag, "-w"))
		return true;
	if (has_prefix(flag, "-Wl,") || has_prefix(flag, "-Wp,") || has_prefix(flag, "-Wa,") ||
	    has_prefix(flag, "-mllvm") || has_prefix(flag, "-module") || strstr(flag, "native"))
		return false;
	for (const char *const *plain = plain_flags; *plain; plain++)
		if (has_prefix(flag, *plain))
			return true;
	return false;
}

static bool is_plain_item(const struct item *item)
{
	switch (item->kind) {
	case ITEM_SOURCE: return strcmp(item->text, "-") && (!item->language || *item->language == 'c');
	case ITEM_FLAG:
	case ITEM_COMPILE_FLAG: return is_plain_flag(item->text);
	case ITEM_LINK_FLAG:
	case ITEM_ASSEMBLY: return false;
	case ITEM_OBJECT:
	case ITEM_LIBRARY_PATH: return true;
	case ITEM_LIBRARY: return !strchr(item->text, '/');
	}
	return false;
}

static bool is_plain(const struct arguments *arguments)
{
	for (unsigned i = 0; i < arguments->count; i++)
		if (!is_plain_item(&arguments->items[i]))
			return false;
	return true;
}

/* ---- the key ---- */

/* Environment variables that the compiler, its driver or the linker look at; or the beginnings of their names. */
static const char *const variables[] = {
	"PATH=",
	"PWD=",
	"CPATH=",
	"C_INCLUDE_PATH=",
	"CPLUS_INCLUDE_PATH=",
	"OBJC_INCLUDE_PATH=",
	"LIBRARY_PATH=",
	"COMPILER_PATH=",
	"GCC_EXEC_PREFIX=",
	"SOURCE_DATE_EPOCH=",
	"CLANG_",
	"CCC_",
	"LLVM_",
	"LD_",
	"LDEMULATION=",
	"GNUTARGET=",
	"DEFAULT_CROSS_OPTIONS=",
	"COLLECT_",
	"LANG=",
	"LANGUAGE=",
	"LC_",
	"TERM=",
	"NO_COLOR=",
	"CLICOLOR",
	NULL,
};

static void add_environment(struct digest *key)
{
	for (char **at = environ; at && *at; at++)
		for (const char *const *variable = variables; *variable; variable++)
			if (has_prefix(*at, *variable))
				digest_add_text(key, *at);
}

/* Which file it is, and whether it was changed: for what is too large to be read each time. */
static void add_identity(struct digest *key, const char *path)
{
	struct stat status;

	digest_add_text(key, path);
	if (!stat(path, &status)) {
		int64_t facts[] = {(int64_t)status.st_dev, (int64_t)status.st_ino, status.st_size,
				   status.st_mtim.tv_sec,  status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
				   status.st_ctim.tv_nsec};
		digest_add(key, facts, sizeof facts);
	}
}

/* The directory above, or the empty text. */
static void go_up(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

static void add_identities(struct digest *key, const char *directory, const char *pattern)
{
	char *full = xasprintf("%s/%s", directory, pattern);
	glob_t found;

	if (!glob(full, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			add_identity(key, found.gl_pathv[i]);
	globfree(&found);
	free(full);
}

/* The compiler is its program and two libraries, which may be links to files elsewhere; its settings are beside it. */
static bool add_compiler_identity(struct digest *key, const char *program)
{
	char *path = realpath(program, NULL);

	if (!path)
		return false;
	add_identity(key, program);
	add_identity(key, path);
	go_up(path);
	add_identity(key, path);
	go_up(path);
	add_identities(key, path, "lib/libLLVM*.so*");
	add_identities(key, path, "lib/libclang-cpp*.so*");
	free(path);
	return true;
}

/* The first program of that name in PATH. */
static char *find_program(const char *name)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		const char *end = strchrnul(at, ':');
		char *path = xasprintf("%.*s/%s", (int)(end - at), at, name);

		if (*path == '/' && !access(path, X_OK))
			return path;
		free(path);
		at = *end ? end + 1 : end;
	}
	return NULL;
}

static void add_words(struct digest *key, const struct list *words)
{
	for (unsigned i = 0; i < words->count; i++)
		digest_add_text(key, words->items[i]);
}

static bool make_key(struct digest *key, const struct arguments *arguments)
{
	char *directory = getcwd(NULL, 0), *compiler = find_program(INSPECT_CLANG);
	struct list terminal = {0};
	bool good = directory && compiler && add_compiler_identity(key, compiler);

	if (good) {
		invariant(*directory == '/'); /* names that are relative mean the same files */
		digest_add_text(key, INSPECT_VERSION);
		digest_add_text(key, directory);
		add_words(key, &arguments->expanded);
		add_terminal_flags(&terminal);
		add_words(key, &terminal);
		add_environment(key);
		add_identity(key, "/proc/self/exe");
		add_identity(key, build_instrumentor());
		add_identity(key, build_runtime_library());
	}
	list_release(&terminal);
	free(compiler);
	free(directory);
	return good;
}

/* ---- the folder ---- */

/* Made when it is missing.  What others can write to is not for us: programs in there are run. */
static bool is_ours(const char *directory)
{
	struct stat status;

	if (mkdir(directory, 0700) && errno != EEXIST)
		return false;
	return !stat(directory, &status) && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       !(status.st_mode & 022);
}

static char *find_directory(void)
{
	const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *parent, *directory;

	if (given && *given == '/')
		parent = xstrdup(given);
	else if (home && *home == '/')
		parent = xasprintf("%s/.cache", home);
	else
		return NULL;
	invariant(*parent == '/');
	directory = xasprintf("%s/inspect", parent);
	if (mkdir(parent, 0700) && errno != EEXIST)
		directory[0] = '\0';
	free(parent);
	if (*directory && is_ours(directory))
		return directory;
	free(directory);
	return NULL;
}

struct cache *cache_open(const struct arguments *arguments)
{
	struct digest key = {0};
	struct cache *cache;
	char *directory;

	if (!is_plain(arguments) || !(directory = find_directory()))
		return NULL;
	if (!make_key(&key, arguments)) {
		free(directory);
		return NULL;
	}
	cache = xcalloc(1, sizeof *cache);
	cache->directory = directory;
	cache->entry =
		xasprintf("%s/%016llx%016llx", directory, (unsigned long long)key.high, (unsigned long long)key.low);
	invariant(strlen(cache->entry) == strlen(directory) + 1 + 32); /* as many digits whatever the digest */
	clock_gettime(CLOCK_REALTIME_COARSE, &cache->start);
	return cache;
}

void cache_close(struct cache *cache)
{
	if (!cache)
		return;
	free(cache->directory);
	free(cache->entry);
	free(cache);
}

/* ---- an entry: the header, the manifest, the messages, the program ---- */

#define ENTRY_MAGIC "inspect program\n" /* change it with the format */

struct entry_header {
	char magic[16];
	struct digest digest; /* of all that follows */
	uint64_t manifest_size, messages_size, program_size;
};

_Static_assert(sizeof ENTRY_MAGIC - 1 == sizeof((struct entry_header *)0)->magic, "the magic has no NUL");
_Static_assert(sizeof(struct entry_header) == 56, "no padding: it goes to the file as it is");

struct parts {
	const char *manifest, *messages, *program;
};

static bool read_all(int fd, char *bytes, size_t size)
{
	while (size) {
		ssize_t got = read(fd, bytes, size);

		if (got <= 0)
			return false;
		invariant((size_t)got <= size);
		bytes += got;
		size -= (size_t)got;
	}
	return true;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t put = write(fd, bytes, size);

		if (put <= 0)
			return false;
		invariant((size_t)put <= size);
		bytes += put;
		size -= (size_t)put;
	}
	return true;
}

/* The whole file, or NULL; one that is not ours is not there. */
static char *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	char *bytes = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	    (uint64_t)status.st_size <= MAX_ENTRY) {
		*size = (size_t)status.st_size;
		bytes = xmalloc(*size + 1);
		if (!read_all(fd, bytes, *size)) {
			free(bytes);
			bytes = NULL;
		}
	}
	close(fd);
	return bytes;
}

static struct digest digest_of(const struct entry_header *header, const char *rest, size_t size)
{
	struct digest digest = {0};

	digest_add(&digest, &header->manifest_size, 3 * sizeof header->manifest_size);
	digest_add(&digest, rest, size);
	return digest;
}

/* Is it a complete entry, as it was written? */
static bool split(const char *bytes, size_t size, struct entry_header *header, struct parts *parts)
{
	size_t rest = size - sizeof *header;

	if (size < sizeof *header)
		return false;
	memcpy(header, bytes, sizeof *header);
	if (memcmp(header->magic, ENTRY_MAGIC, sizeof header->magic) || header->manifest_size > rest ||
	    header->messages_size > rest - header->manifest_size ||
	    header->program_size != rest - header->manifest_size - header->messages_size)
		return false;
	parts->manifest = bytes + sizeof *header;
	parts->messages = parts->manifest + header->manifest_size;
	parts->program = parts->messages + header->messages_size;
	invariant(parts->program + header->program_size == bytes + size);
	return digest_equal(digest_of(header, parts->manifest, rest), header->digest);
}

/* The file must not be open when the program is started: so it is written and closed here, at once. */
static bool write_program(const char *path, const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
	bool good = fd >= 0 && write_all(fd, bytes, size);

	if (fd >= 0 && close(fd))
		good = false;
	if (!good)
		unlink(path);
	return good;
}

bool cache_fetch(struct cache *cache, const char *output)
{
	struct entry_header header;
	struct parts parts;
	size_t size = 0;
	char *bytes = read_file(cache->entry, &size);
	bool found = bytes && split(bytes, size, &header, &parts) &&
		     manifest_holds(parts.manifest, header.manifest_size) &&
		     write_program(output, parts.program, header.program_size);

	if (found) {
		fwrite(parts.messages, 1, header.messages_size, stderr);
		utimensat(AT_FDCWD, cache->entry, NULL, 0); /* used just now */
	}
	free(bytes);
	return found;
}

/* ---- not too much of it ---- */

#define MAX_FOLDER (256ull << 20)
#define MAX_AGE_UNFINISHED 3600 /* seconds: nobody writes that long */

struct old_file {
	char name[64];
	struct timespec used;
	uint64_t size;
};

static int compare_ages(const void *a, const void *b)
{
	const struct old_file *first = a, *second = b;

	if (first->used.tv_sec != second->used.tv_sec)
		return first->used.tv_sec < second->used.tv_sec ? -1 : 1;
	return (first->used.tv_nsec > second->used.tv_nsec) - (first->used.tv_nsec < second->used.tv_nsec);
}

/* Adds the file to those that may be removed, unless it goes at once. */
static void note_file(int directory, const char *name, struct buffer *files)
{
	struct old_file file = {0};
	struct stat status;

	if (*name == '.' || strlen(name) >= sizeof file.name ||
	    fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
		return;
	if (has_prefix(name, "new-") && time(NULL) - status.st_mtim.tv_sec > MAX_AGE_UNFINISHED)
		unlinkat(directory, name, 0);
	invariant(strlen(name) < sizeof file.name);
	strcpy(file.name, name);
	file.used = status.st_mtim;
	file.size = (uint64_t)status.st_size;
	buffer_add(files, &file, sizeof file);
}

static void remove_oldest(int directory, struct buffer *files)
{
	struct old_file *file = (struct old_file *)files->data;
	size_t count = files->size / sizeof *file;
	uint64_t total = 0;

	invariant(files->size % sizeof *file == 0);
	for (size_t i = 0; i < count; i++)
		total += file[i].size;
	if (count && total > MAX_FOLDER)
		qsort(file, count, sizeof *file, compare_ages);
	for (size_t i = 0; i < count && total > MAX_FOLDER; i++) {
		unlinkat(directory, file[i].name, 0);
		invariant(total >= file[i].size);
		total -= file[i].size;
	}
}

static void keep_small(const char *path)
{
	DIR *directory = opendir(path);
	struct buffer files = {0};
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		note_file(dirfd(directory), entry->d_name, &files);
	remove_oldest(dirfd(directory), &files);
	buffer_release(&files);
	closedir(directory);
}

/* ---- keeping ---- */

static void write_entry(const struct cache *cache, const struct entry_header *header, const struct buffer *rest)
{
	char *path = xasprintf("%s/new-XXXXXX", cache->directory);
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd >= 0) {
		bool good =
			write_all(fd, (const char *)header, sizeof *header) && write_all(fd, rest->data, rest->size);

		if (close(fd) || !good || rename(path, cache->entry))
			unlink(path);
	}
	invariant(path[strlen(cache->directory)] == '/'); /* rename() is atomic only inside one folder */
	free(path);
}

void cache_store(struct cache *cache, const struct files_read *files, const char *output)
{
	struct entry_header header = {.magic = ENTRY_MAGIC};
	struct buffer rest = {0};
	size_t size = 0;
	char *program = read_file(output, &size);

	if (program && manifest_make(&rest, files, cache->start)) {
		header.manifest_size = rest.size;
		header.messages_size = files->messages.size;
		header.program_size = size;
		buffer_add(&rest, buffer_text(&files->messages), files->messages.size);
		buffer_add(&rest, program, size);
		header.digest = digest_of(&header, rest.data, rest.size);
		invariant(rest.size == header.manifest_size + header.messages_size + header.program_size);
		if (rest.size + sizeof header <= MAX_ENTRY)
			write_entry(cache, &header, &rest);
		keep_small(cache->directory);
	}
	buffer_release(&rest);
	free(program);
}
