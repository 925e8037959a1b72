/* Files without streams: unistd.h, fcntl.h, sys/uio.h, sys/stat.h, dirent.h.  Many are cancellation points. */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/libc/libc.h"
#include "runtime/core/thread.h"

/* --- transfers --- */

ssize_t WRAP(read)(int fd, void *to, size_t size)
{
	cancellation_point();
	TEMPORARY(own, size);
	ssize_t got = read(fd, own.data, size);

	if (got > 0)
		write_out(to, own.data, (size_t)got);
	return got;
}

ssize_t WRAP(pread)(int fd, void *to, size_t size, off_t offset)
{
	cancellation_point();
	TEMPORARY(own, size);
	ssize_t got = pread(fd, own.data, size, offset);

	if (got > 0)
		write_out(to, own.data, (size_t)got);
	return got;
}

ssize_t WRAP(write)(int fd, const void *from, size_t size)
{
	cancellation_point();
	TEMPORARY(own, size);
	read_in(own.data, from, size);
	return write(fd, own.data, size);
}

ssize_t WRAP(pwrite)(int fd, const void *from, size_t size, off_t offset)
{
	cancellation_point();
	TEMPORARY(own, size);
	read_in(own.data, from, size);
	return pwrite(fd, own.data, size, offset);
}

static size_t total(const struct iovec *parts, int count)
{
	size_t size = 0;

	for (int i = 0; i < count; i++)
		size += parts[i].iov_len;
	return size;
}

/* The list of parts is read, and copied. */
#define PRIVATE_PARTS(name, parts, count)                                                                              \
	TEMPORARY(name, (count > 0 ? (size_t)count : 0) * sizeof *parts);                                              \
	reads(parts, name##_size);                                                                                     \
	memcpy(name.data, parts, name##_size)

static void scatter(const struct iovec *parts, int count, const char *from, size_t size)
{
	for (int i = 0; size; i++) {
		invariant(i < count); /* not more was read than they have room for */
		size_t n = smaller(parts[i].iov_len, size);
		write_out(parts[i].iov_base, from, n);
		from += n;
		size -= n;
	}
}

static void gather(const struct iovec *parts, int count, char *to)
{
	for (int i = 0; i < count; i++) {
		reads(parts[i].iov_base, parts[i].iov_len);
		memcpy(to, parts[i].iov_base, parts[i].iov_len);
		to += parts[i].iov_len;
	}
}

ssize_t WRAP(readv)(int fd, const struct iovec *parts, int count)
{
	cancellation_point();
	PRIVATE_PARTS(list, parts, count);
	TEMPORARY(own, total(list.data, count));
	ssize_t got = read(fd, own.data, own_size);

	if (got > 0)
		scatter(list.data, count, own.data, (size_t)got);
	return got;
}

ssize_t WRAP(writev)(int fd, const struct iovec *parts, int count)
{
	cancellation_point();
	PRIVATE_PARTS(list, parts, count);
	TEMPORARY(own, total(list.data, count));

	gather(list.data, count, own.data);
	return write(fd, own.data, own_size);
}

/* --- what has nothing to announce --- */

#define OF_DESCRIPTOR(name)                                                                                            \
	int WRAP(name)(int fd)                                                                                         \
	{                                                                                                              \
		cancellation_point();                                                                                  \
		return name(fd);                                                                                       \
	}

OF_DESCRIPTOR(close)
OF_DESCRIPTOR(fsync)
OF_DESCRIPTOR(fdatasync)

/* --- names of files --- */

int WRAP(open)(const char *path, int flags, ...)
{
	int mode = WITH_ARGUMENTS(flags, flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, int) : 0);

	cancellation_point();
	PRIVATE_STRING(copy, path);
	return open(copy.data, flags, mode);
}

int WRAP(openat)(int directory, const char *path, int flags, ...)
{
	int mode = WITH_ARGUMENTS(flags, flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, int) : 0);

	cancellation_point();
	PRIVATE_STRING(copy, path);
	return openat(directory, copy.data, flags, mode);
}

int WRAP(creat)(const char *path, mode_t mode)
{
	cancellation_point();
	PRIVATE_STRING(copy, path);
	return creat(copy.data, mode);
}

#define OF_PATH(name)                                                                                                  \
	int WRAP(name)(const char *path)                                                                               \
	{                                                                                                              \
		PRIVATE_STRING(copy, path);                                                                            \
		return name(copy.data);                                                                                \
	}

OF_PATH(unlink)
OF_PATH(remove)
OF_PATH(rmdir)
OF_PATH(chdir)

#define OF_PATH_AND_MODE(name, type)                                                                                   \
	int WRAP(name)(const char *path, type mode)                                                                    \
	{                                                                                                              \
		PRIVATE_STRING(copy, path);                                                                            \
		return name(copy.data, mode);                                                                          \
	}

OF_PATH_AND_MODE(access, int)
OF_PATH_AND_MODE(mkdir, mode_t)
OF_PATH_AND_MODE(chmod, mode_t)
OF_PATH_AND_MODE(truncate, off_t)

int WRAP(rename)(const char *from, const char *to)
{
	PRIVATE_STRING(copy, from);
	PRIVATE_STRING(copy_of_other, to);
	return rename(copy.data, copy_of_other.data);
}

char *WRAP(realpath)(const char *restrict path, char *restrict to)
{
	PRIVATE_STRING(copy, path);
	char *own = realpath(copy.data, NULL);

	if (!own)
		return NULL;
	if (!to) {
		writes(own, strlen(own) + 1);
		return own;
	}
	write_out(to, own, strlen(own) + 1);
	free(own);
	return to;
}

ssize_t WRAP(readlink)(const char *restrict path, char *restrict to, size_t size)
{
	PRIVATE_STRING(copy, path);
	TEMPORARY(own, size);
	ssize_t got = readlink(copy.data, own.data, size);

	if (got > 0)
		write_out(to, own.data, (size_t)got);
	return got;
}

/* The argument is changed, too. */
static char *part_of_path(char *(*part)(char *), char *path)
{
	if (path)
		writes(path, reads_string(path) + 1);
	return part(path);
}

char *WRAP(__xpg_basename)(char *path)
{
	return part_of_path(__xpg_basename, path);
}

char *WRAP(dirname)(char *path)
{
	return part_of_path(dirname, path);
}

/* --- what there is to know --- */

static int give_status(int result, const struct stat *own, struct stat *to)
{
	if (!result)
		write_out(to, own, sizeof *own);
	return result;
}

int WRAP(stat)(const char *restrict path, struct stat *restrict to)
{
	struct stat own;

	PRIVATE_STRING(copy, path);
	return give_status(stat(copy.data, &own), &own, to);
}

int WRAP(lstat)(const char *restrict path, struct stat *restrict to)
{
	struct stat own;

	PRIVATE_STRING(copy, path);
	return give_status(lstat(copy.data, &own), &own, to);
}

int WRAP(fstat)(int fd, struct stat *to)
{
	struct stat own;

	return give_status(fstat(fd, &own), &own, to);
}

int WRAP(fstatat)(int directory, const char *restrict path, struct stat *restrict to, int flags)
{
	struct stat own;

	PRIVATE_STRING(copy, path);
	return give_status(fstatat(directory, copy.data, &own, flags), &own, to);
}

char *WRAP(getcwd)(char *to, size_t size)
{
	if (!to) {
		char *own = getcwd(NULL, size);
		if (own)
			writes(own, strlen(own) + 1);
		return own;
	}
	TEMPORARY(own, size);
	if (!getcwd(own.data, size))
		return NULL;
	write_out(to, own.data, strlen(own.data) + 1);
	return to;
}

int WRAP(gethostname)(char *to, size_t size)
{
	TEMPORARY(own, size);
	int result = gethostname(own.data, size);

	if (!result)
		write_out(to, own.data, smaller(strnlen(own.data, size) + 1, size));
	return result;
}

int WRAP(uname)(struct utsname *to)
{
	struct utsname own;
	int result = uname(&own);

	if (result >= 0)
		write_out(to, &own, sizeof own);
	return result;
}

/* --- directories: not locked --- */

DIR *WRAP(opendir)(const char *path)
{
	PRIVATE_STRING(copy, path);
	return opendir(copy.data);
}

struct dirent *WRAP(readdir)(DIR *directory)
{
	directory_uses(directory);
	struct dirent *entry = readdir(directory);
	if (entry)
		writes(entry, entry->d_reclen);
	return entry;
}

void WRAP(rewinddir)(DIR *directory)
{
	directory_uses(directory);
	rewinddir(directory);
}

int WRAP(closedir)(DIR *directory)
{
	directory_uses(directory);
	return closedir(directory);
}

void WRAP(seekdir)(DIR *directory, long position)
{
	directory_uses(directory);
	seekdir(directory, position);
}

long WRAP(telldir)(DIR *directory)
{
	directory_uses(directory);
	return telldir(directory);
}

/* --- addresses of the network --- */

int WRAP(inet_aton)(const char *text, struct in_addr *to)
{
	struct in_addr own;

	reads_string(text);
	int result = inet_aton(text, &own);
	if (result)
		write_out(to, &own, sizeof own);
	return result;
}

in_addr_t WRAP(inet_addr)(const char *text)
{
	reads_string(text);
	return inet_addr(text);
}

int WRAP(inet_pton)(int family, const char *restrict text, void *restrict to)
{
	char own[16];

	reads_string(text);
	int result = inet_pton(family, text, own);
	if (result == 1)
		write_out(to, own, family == AF_INET ? 4 : 16);
	return result;
}

const char *WRAP(inet_ntop)(int family, const void *restrict from, char *restrict to, socklen_t size)
{
	TEMPORARY(own, size);

	if (family == AF_INET || family == AF_INET6)
		reads(from, family == AF_INET ? 4 : 16);
	if (!inet_ntop(family, from, own.data, size))
		return NULL;
	write_out(to, own.data, strlen(own.data) + 1);
	return to;
}
