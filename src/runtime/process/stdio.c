/*
 * Functions of the C library that make system calls inside, where nobody else may run: what they do to files and
 * descriptors is announced before.  Names of temporary files are not random: the first that is free is taken.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/core/runtime.h"
#include "runtime/process/system.h"

#define TABLE SYSTEM_BIT(SYSTEM_DESCRIPTORS)
#define NAMES SYSTEM_BIT(SYSTEM_NAMES)

/* --- streams --- */

static int flags_of_mode(const char *mode)
{
	int flags = *mode == 'r' ? O_RDONLY : *mode == 'a' ? O_WRONLY | O_CREAT : O_WRONLY | O_CREAT | O_TRUNC;

	return strchr(mode, 'x') ? flags | O_EXCL : flags;
}

FILE *fopen(const char *path, const char *mode)
{
	SYSTEM_BEGIN(CALL_fopen, reach_of_open(AT_FDCWD, path, flags_of_mode(mode)));
	FILE *stream = ORIGINAL(fopen)(path, mode);
	SYSTEM_END(stream);
	return stream;
}

FILE *fopen64(const char *, const char *) __attribute__((alias("fopen"), visibility("default")));

FILE *fdopen(int fd, const char *mode)
{
	SYSTEM_BEGIN(CALL_fopen, ((struct reach){.looks = descriptor_slot(fd)}));
	FILE *stream = ORIGINAL(fdopen)(fd, mode);
	SYSTEM_END(stream);
	return stream;
}

/* What it does when the stream is flushed and its descriptor closed. */
static struct reach reach_of_fclose(int fd)
{
	if (fd < 0)
		return (struct reach){0};
	return (struct reach){.changes = TABLE | descriptor_slot(fd) | descriptor_position(fd) | descriptor_file(fd)};
}

static struct reach reach_of_freopen(int fd, const char *path, const char *mode)
{
	struct reach closing = reach_of_fclose(fd);

	if (!path)
		return closing;
	struct reach opening = reach_of_open(AT_FDCWD, path, flags_of_mode(mode));
	return (struct reach){.looks = opening.looks, .changes = opening.changes | closing.changes};
}

FILE *freopen(const char *path, const char *mode, FILE *stream)
{
	int fd = fileno_unlocked(stream);

	SYSTEM_BEGIN(CALL_fopen, reach_of_freopen(fd, path, mode));
	FILE *result = ORIGINAL(freopen)(path, mode, stream);
	SYSTEM_END(result);
	return result;
}

FILE *freopen64(const char *, const char *, FILE *) __attribute__((alias("freopen"), visibility("default")));

int fclose(FILE *stream)
{
	int fd = fileno_unlocked(stream);

	SYSTEM_BEGIN(CALL_fclose, reach_of_fclose(fd));
	int result = ORIGINAL(fclose)(stream);
	SYSTEM_END(true);
	return result;
}

/* --- use of a stream: of what it has in memory, its descriptor stands for that, and of its file --- */

bool stream_is_of_file(int fd)
{
	return descriptor_is_file(fd) || (fd >= 0 && rt->channel->features & FEATURE_REOPENS);
}

static struct reach reach_of_use(int fd, enum stream_use use)
{
	uint64_t slot = descriptor_slot(fd), position = descriptor_position(fd), file = descriptor_file(fd);

	if (use == STREAM_LOOKS || (use == STREAM_OUTPUTS && descriptor_is_output(fd)))
		return (struct reach){.looks = slot};
	if (use == STREAM_OUTPUTS)
		return (struct reach){.changes = slot | position | file};
	return (struct reach){.looks = file, .changes = slot | position};
}

enum { ANY_STREAM = MAX_DESCRIPTORS };

void stream_point(int fd, enum stream_use use)
{
	SYSTEM_BEGIN(CALL_stream, reach_of_use(fd, use));
	SYSTEM_END(use != STREAM_LOOKS);
	self()->system.stream = fd < 0 ? 0 : (uint32_t)fd + 1;
}

/* Whatever is open may be written now. */
void streams_flush_point(void)
{
	SYSTEM_BEGIN(CALL_fflush, ((struct reach){.looks = TABLE, .changes = any_file_is_open() ? ALL_FILES : 0}));
	SYSTEM_END(true);
	self()->system.stream = ANY_STREAM + 1;
}

bool write_is_announced(int fd)
{
	const struct thread *thread = self();

	return rt->phase != PHASE_RUN || rt->nthreads < 2 || thread->system.calls || !descriptor_is_file(fd) ||
	       thread->system.stream == (uint32_t)fd + 1 || thread->system.stream == ANY_STREAM + 1;
}

/* --- directories --- */

DIR *opendir(const char *path)
{
	SYSTEM_BEGIN(CALL_opendir, reach_of_open(AT_FDCWD, path, O_RDONLY));
	DIR *directory = ORIGINAL(opendir)(path);
	SYSTEM_END(directory);
	return directory;
}

static struct reach reach_of_entries(int fd)
{
	return REACH(descriptor_slot(fd) | NAMES, descriptor_position(fd));
}

ssize_t getdents64(int fd, void *to, size_t size)
{
	SYSTEM_BEGIN(CALL_getdents64, reach_of_entries(fd));
	long result = system_call(SYS_getdents64, fd, (long)to, (long)size, 0, 0, 0);
	SYSTEM_END(result > 0);
	return with_errno(result);
}

struct dirent *readdir(DIR *directory)
{
	SYSTEM_BEGIN(CALL_readdir, reach_of_entries(dirfd(directory)));
	struct dirent *entry = ORIGINAL(readdir)(directory);
	SYSTEM_END(entry);
	return entry;
}

struct dirent64 *readdir64(DIR *directory)
{
	return (struct dirent64 *)readdir(directory);
}

int closedir(DIR *directory)
{
	int fd = dirfd(directory);

	SYSTEM_BEGIN(CALL_closedir, ((struct reach){.changes = TABLE | descriptor_slot(fd)}));
	int result = ORIGINAL(closedir)(directory);
	SYSTEM_END(!result);
	return result;
}

DIR *fdopendir(int fd)
{
	SYSTEM_BEGIN(CALL_opendir, ((struct reach){.looks = descriptor_slot(fd)}));
	DIR *directory = ORIGINAL(fdopendir)(fd);
	SYSTEM_END(directory);
	return directory;
}

/* Whole trees are looked at as if at once; functions of the program that are called meanwhile let others run. */
#define LOOKS_AT_NAMES(result_type, name, parameters, path, arguments)                                                 \
	result_type name parameters                                                                                    \
	{                                                                                                              \
		system_point(CALL_##name, (struct reach){.looks = naming(AT_FDCWD, path), .changes = TABLE});          \
		return ORIGINAL(name) arguments;                                                                       \
	}

LOOKS_AT_NAMES(int, scandir,
	       (const char *path, struct dirent ***list, int (*select)(const struct dirent *),
		int (*compare)(const struct dirent **, const struct dirent **)),
	       path, (path, list, select, compare))
LOOKS_AT_NAMES(int, glob, (const char *pattern, int flags, int (*error)(const char *, int), glob_t *result), pattern,
	       (pattern, flags, error, result))
LOOKS_AT_NAMES(int, ftw, (const char *path, __ftw_func_t call, int open), path, (path, call, open))
LOOKS_AT_NAMES(int, nftw, (const char *path, __nftw_func_t call, int open, int flags), path, (path, call, open, flags))

/* --- paths --- */

char *realpath(const char *path, char *to)
{
	SYSTEM_BEGIN(CALL_realpath, ((struct reach){.looks = naming(AT_FDCWD, path)}));
	char *result = ORIGINAL(realpath)(path, to);
	SYSTEM_END(false);
	return result;
}

char *getcwd(char *to, size_t size)
{
	SYSTEM_BEGIN(CALL_getcwd, ((struct reach){.looks = SYSTEM_BIT(SYSTEM_DIRECTORY) | NAMES}));
	char *result = ORIGINAL(getcwd)(to, size);
	SYSTEM_END(false);
	return result;
}

/* --- temporary files --- */

enum { LETTERS = 6, ATTEMPTS = 26 * 26 * 26 };

static void put_letters(char *to, unsigned number)
{
	for (unsigned i = LETTERS; i-- > 0; number /= 26)
		to[i] = (char)('A' + number % 26);
}

static long make_file(const char *path, int flags)
{
	return system_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CREAT | O_EXCL | flags, 0600, 0, 0);
}

static long make_directory(const char *path, int flags)
{
	(void)flags;
	return system_call(SYS_mkdir, (long)path, 0700, 0, 0, 0, 0);
}

/* The template is the caller's, and read in place: others may change it, but only before the file is made. */
static long make_temporary(char *template, int suffix, int flags, long (*make)(const char *, int))
{
	size_t length = strlen(template), end = length - (size_t)suffix;
	char path[4096];
	long result = -EEXIST;

	if (suffix < 0 || end > length || end < LETTERS || length >= sizeof path ||
	    strncmp(template + end - LETTERS, "XXXXXX", LETTERS) != 0)
		return -EINVAL;
	memcpy(path, template, length + 1);
	SYSTEM_BEGIN(CALL_mkstemp, reach_of_open(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL));
	for (unsigned i = 0; i < ATTEMPTS && result == -EEXIST; i++) {
		put_letters(path + end - LETTERS, i);
		result = make(path, flags);
	}
	SYSTEM_END(result >= 0);
	if (result < 0)
		return result;
	__inspect_write(template + end - LETTERS, LETTERS, rt->current_site);
	memcpy(template + end - LETTERS, path + end - LETTERS, LETTERS);
	return result;
}

int mkostemps(char *template, int suffix, int flags)
{
	if (rt->standalone || rt->phase == PHASE_START)
		return ORIGINAL(mkostemps)(template, suffix, flags);
	return (int)with_errno(make_temporary(template, suffix, flags & ~O_ACCMODE, make_file));
}

int mkstemp(char *template)
{
	return mkostemps(template, 0, 0);
}

int mkostemp(char *template, int flags)
{
	return mkostemps(template, 0, flags);
}

int mkstemps(char *template, int suffix)
{
	return mkostemps(template, suffix, 0);
}

int mkstemp64(char *) __attribute__((alias("mkstemp"), visibility("default")));
int mkostemp64(char *, int) __attribute__((alias("mkostemp"), visibility("default")));
int mkstemps64(char *, int) __attribute__((alias("mkstemps"), visibility("default")));
int mkostemps64(char *, int, int) __attribute__((alias("mkostemps"), visibility("default")));

char *mkdtemp(char *template)
{
	if (rt->standalone || rt->phase == PHASE_START)
		return ORIGINAL(mkdtemp)(template);
	return with_errno(make_temporary(template, 0, 0, make_directory)) < 0 ? NULL : template;
}

FILE *tmpfile(void)
{
	char path[] = P_tmpdir "/inspectXXXXXX";

	if (rt->standalone || rt->phase == PHASE_START)
		return ORIGINAL(tmpfile)();
	int fd = open(P_tmpdir, O_RDWR | O_TMPFILE | O_EXCL, 0600);
	if (fd < 0 && (fd = mkostemps(path, 0, 0)) >= 0)
		unlink(path);
	return fd < 0 ? NULL : ORIGINAL(fdopen)(fd, "w+");
}

FILE *tmpfile64(void) __attribute__((alias("tmpfile"), visibility("default")));
