#define _GNU_SOURCE
#include "execute/input.h"

#include "common/invariant.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_COPY = 64 << 20, CHUNK = 1 << 16, PIPE_TRIES = 20, PIPE_MICROSECONDS = 5000 };

/* Has all been written that ever will?  So it is with what shells make of a here-document. */
static bool pipe_is_complete(void)
{
	struct pollfd input = {.fd = STDIN_FILENO};

	for (int tries = 0; tries < PIPE_TRIES; tries++) {
		if (poll(&input, 1, 0) == 1 && (input.revents & POLLHUP))
			return true;
		input.events = POLLIN;
		if (poll(&input, 1, 0) != 1)
			return false;
		usleep(PIPE_MICROSECONDS); /* who writes may be at it */
	}
	return false;
}

enum input input_kind(void)
{
	struct stat status;
	int fd = STDIN_FILENO;

	if (fstat(fd, &status))
		return INPUT_NO_FILE;
	if (S_ISREG(status.st_mode) || (S_ISCHR(status.st_mode) && !isatty(fd)))
		return INPUT_FILE;
	return S_ISFIFO(status.st_mode) && pipe_is_complete() ? INPUT_FILE : INPUT_NO_FILE;
}

/* Copy all of standard input, whose place does not move; false when that fails or it is too large. */
static bool copy_input(int to)
{
	static char chunk[CHUNK];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(STDIN_FILENO, chunk, sizeof chunk, at)) > 0) {
		if (at + got > MAX_COPY || pwrite(to, chunk, (size_t)got, at) != got)
			return false;
		at += got;
	}
	return got == 0;
}

/* The same for a pipe, whose contents stay in it. */
static bool copy_pipe(int to)
{
	int ends[2], size;

	if (ioctl(STDIN_FILENO, FIONREAD, &size) || pipe2(ends, O_CLOEXEC))
		return false;
	fcntl(ends[1], F_SETPIPE_SZ, fcntl(STDIN_FILENO, F_GETPIPE_SZ));
	bool copied = !size || (tee(STDIN_FILENO, ends[1], (size_t)size, SPLICE_F_NONBLOCK) == size &&
				splice(ends[0], NULL, to, NULL, (size_t)size, 0) == size);
	close(ends[0]);
	close(ends[1]);
	return copied;
}

static int open_copy(bool (*copy)(int to))
{
	int fd = memfd_create("inspect-input", MFD_CLOEXEC);

	if (fd >= 0 && copy(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Another open file with the same contents, or -1. */
static int open_again(mode_t mode)
{
	int flags = fcntl(STDIN_FILENO, F_GETFL);

	if (S_ISFIFO(mode))
		return open_copy(copy_pipe);
	int fd = open("/proc/self/fd/0", (flags & (O_ACCMODE | O_APPEND | O_NONBLOCK)) | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && (flags & O_ACCMODE) == O_RDONLY)
		return open_copy(copy_input); /* somebody else has opened it for us */
	return fd;
}

enum input input_make_own(void)
{
	struct stat status;
	off_t place = lseek(STDIN_FILENO, 0, SEEK_CUR); /* none in a pipe */

	if (fstat(STDIN_FILENO, &status) || S_ISCHR(status.st_mode))
		return INPUT_FILE; /* a device like /dev/null has no place that could move */
	int fd = open_again(status.st_mode);
	if (fd < 0 || lseek(fd, place < 0 ? 0 : place, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0)
		return INPUT_NOT_OPENED;
	close(fd);
	return INPUT_FILE;
}

const char *input_refusal(enum input input)
{
	invariant(input != INPUT_FILE);
	switch (input) {
	case INPUT_NONE: return "the program reads its standard input, which workers of MPI do not have";
	case INPUT_NOT_OPENED:
		return "the program reads its standard input, a file that cannot be opened again and is too large to "
		       "copy: "
		       "use < FILE with one that can be read";
	default:
		return "the program reads its standard input, which must be a file to be read again in every "
		       "execution: "
		       "use < FILE";
	}
}
