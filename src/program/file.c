#define _GNU_SOURCE
#include "program/file.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct view file_map(const char *path)
{
	struct view view = {NULL, 0};
	struct stat status;
	void *bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		die("%s: no such file", path);
	if (fd < 0 || fstat(fd, &status))
		die("%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		die("%s: is a directory", path);
	if (S_ISREG(status.st_mode) && status.st_size) {
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes == MAP_FAILED)
			die("%s: %s", path, strerror(errno));
		view.bytes = bytes;
		view.size = (size_t)status.st_size;
	}
	invariant(!view.bytes == !view.size);
	close(fd);
	return view;
}

void file_unmap(struct view view)
{
	if (view.bytes)
		munmap((void *)view.bytes, view.size);
}

static bool starts_with(struct view view, const char *magic, size_t length)
{
	return view.size >= length && !memcmp(view.bytes, magic, length);
}

enum file_kind file_kind(struct view view)
{
	if (starts_with(view, "BC\xc0\xde", 4) || starts_with(view, "\xde\xc0\x17\x0b", 4))
		return FILE_BITCODE;
	if (starts_with(view, "\177ELF", 4))
		return FILE_ELF;
	if (starts_with(view, "!<arch>\n", 8))
		return FILE_ARCHIVE;
	if (starts_with(view, "!<thin>\n", 8))
		return FILE_THIN_ARCHIVE;
	return FILE_OTHER;
}
