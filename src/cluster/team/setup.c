#define _GNU_SOURCE
#include "cluster/team/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cluster/team/launcher.h"
#include "common/trouble.h"
#include "common/version.h"
#include "common/list.h"
#include "wire/channel.h"

enum { FILE_NUMBER = 100 }; /* at least: as many digits everywhere */

/* --- the balancer --- */

static void pack_words(char *const *words, struct buffer *buffer)
{
	for (; *words; words++)
		pack_text(buffer, *words);
	pack_text(buffer, NULL);
}

static void pack_environment(struct buffer *buffer)
{
	for (char **variable = environ; *variable; variable++)
		if (!launcher_owns(*variable))
			pack_text(buffer, *variable);
	pack_text(buffer, NULL);
}

static void pack_program(const char *path, struct buffer *buffer)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
	void *program = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;

	if (program == MAP_FAILED)
		die("cannot read %s: %s", path, strerror(errno));
	pack_bytes(buffer, program, (size_t)size);
	munmap(program, (size_t)size);
	close(file);
}

void setup_pack(const struct explore_options *options, bool with_program, struct buffer *buffer)
{
	char *path = realpath(options->run.program, NULL), *directory = getcwd(NULL, 0);

	if (!path)
		die("cannot read %s: %s", options->run.program, strerror(errno));
	pack_text(buffer, INSPECT_VERSION);
	pack_number(buffer, CHANNEL_LAYOUT);
	pack_raw(buffer, options, sizeof *options);
	pack_text(buffer, options->search);
	pack_text(buffer, options->outcomes);
	pack_text(buffer, directory);
	pack_text(buffer, path);
	pack_words(options->run.argv, buffer);
	pack_environment(buffer);
	if (with_program)
		pack_program(path, buffer);
	else
		pack_bytes(buffer, "", 0);
	free(path);
	free(directory);
}

/* --- a worker --- */

static char **unpack_words(struct packed *packed)
{
	struct list words;
	char *word;

	list_init(&words);
	while ((word = unpack_text(packed))) {
		list_add(&words, word);
		free(word);
	}
	return list_take_items(&words);
}

/* A file that needs no file system, and no cleaning up. */
static char *keep_program(const struct packed *program)
{
	int file = memfd_create("program", MFD_CLOEXEC), high;
	const unsigned char *at = program->at;

	if (file < 0)
		failure("cannot keep the program in memory: %s", strerror(errno));
	while (at < program->end) {
		ssize_t n = write(file, at, (size_t)(program->end - at));
		if (n < 0 && errno != EINTR)
			failure("cannot keep the program in memory: %s", strerror(errno));
		at += n > 0 ? n : 0;
	}
	high = fcntl(file, F_DUPFD_CLOEXEC, FILE_NUMBER);
	close(file);
	/* who has it open for writing cannot run it */
	char *writable = xasprintf("/proc/self/fd/%d", high);
	file = open(writable, O_RDONLY | O_CLOEXEC);
	dup3(file, high, O_CLOEXEC);
	close(file);
	return writable;
}

static void enter_directory(char *directory)
{
	if (directory && chdir(directory))
		die("a worker cannot go to the directory %s: %s", directory, strerror(errno));
	free(directory);
}

bool setup_unpack(struct explore_options *options, struct packed *packed)
{
	char *version = unpack_text(packed);
	bool same = version && !strcmp(version, INSPECT_VERSION) && unpack_number(packed) == CHANNEL_LAYOUT;

	free(version);
	if (!same)
		return false;
	unpack_raw(packed, options, sizeof *options);
	options->search = unpack_text(packed);
	options->outcomes = unpack_text(packed);
	enter_directory(unpack_text(packed));
	options->run.program = unpack_text(packed);
	options->run.argv = unpack_words(packed);
	options->run.environment = unpack_words(packed);
	options->run.no_input = true; /* the launcher gives that to one process at most */
	struct packed program = unpack_bytes(packed);
	if (packed->broken)
		failure("what to do could not be read");
	if (packed_left(&program)) {
		free((char *)options->run.program);
		options->run.program = keep_program(&program);
	}
	return true;
}
