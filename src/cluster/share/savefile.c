#define _GNU_SOURCE
#include "cluster/share/savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "common/version.h"

static const char magic[] = "inspect checkpoint 1\n";

static bool read_file(const char *path, struct buffer *buffer)
{
	FILE *in = fopen(path, "re");
	char bytes[65536];
	size_t n;

	if (!in)
		return false;
	while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
		buffer_add(buffer, bytes, n);
	bool good = !ferror(in);
	fclose(in);
	return good;
}

/* The program by its contents: it may have been moved, or built again from the same sources. */
static struct digest program_digest(const struct explore_options *options)
{
	struct digest digest = {0};
	struct buffer program = {0};

	if (!read_file(options->run.program, &program))
		die("cannot read %s: %s", options->run.program, strerror(errno));
	digest_add(&digest, program.data, program.size);
	buffer_release(&program);
	for (char *const *argument = options->run.argv + 1; *argument; argument++)
		digest_add_text(&digest, *argument);
	return digest;
}

/* What the search would come to another result with. */
static struct digest options_digest(const struct balancer *balancer)
{
	const struct explore_options *options = balancer->options;
	struct digest digest = {0};
	struct buffer all = {0};

	pack_text(&all, balancer->strategy->name);
	pack_number(&all, options->run.max_steps);
	pack_number(&all, options->exit_policy);
	pack_number(&all, options->strict);
	pack_raw(&all, &options->run.modes, sizeof options->run.modes);
	pack_number(&all, options->run.no_awaits);
	pack_number(&all, options->run.all_visible);
	pack_number(&all, options->run.leaks);
	pack_number(&all, options->run.seed);
	digest_add(&digest, all.data, all.size);
	buffer_release(&all);
	return digest;
}

struct identity savefile_identity(const struct balancer *balancer)
{
	return (struct identity){.program = program_digest(balancer->options), .options = options_digest(balancer)};
}

/* --- writing --- */

/* Does it end with a digest of all that is before that? */
static bool is_whole(const struct buffer *buffer)
{
	struct digest whole, now = {0};
	size_t size = buffer->size;

	if (size < sizeof whole)
		return false;
	size -= sizeof whole;
	memcpy(&whole, buffer->data + size, sizeof whole);
	digest_add(&now, buffer->data, size);
	return digest_equal(whole, now);
}

/* What is written first, to be renamed when it is whole. */
static char *other_name(const char *path)
{
	return xasprintf("%s.new", path);
}

void savefile_try(const char *path)
{
	char *other = other_name(path);
	struct stat status;
	int file = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (file < 0)
		die("cannot write the checkpoint %s: %s", path, strerror(errno));
	close(file);
	unlink(other);
	free(other);
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		die("cannot write the checkpoint %s: it is not a file", path);
}

/* Is what was written what is read?  Another balancer that reads it writes as much. */
static bool reads_as_written(const struct balancer *balancer, const struct buffer *written)
{
	struct balancer other = {0};
	struct buffer again = {0};
	struct packed packed = packed_from(written->data, written->size);

	balancer_init(&other, balancer->options, balancer->strategy, balancer->ncrew);
	bool good = balancer_unpack(&other, &packed) && !packed_left(&packed);
	if (good)
		balancer_pack(&other, &again);
	good = good && again.size == written->size;
	result_free(other.result);
	balancer_release(&other);
	buffer_release(&again);
	return good;
}

static void pack_all(const struct identity *identity, struct balancer *balancer, struct buffer *buffer)
{
	struct digest whole = {0};
	struct buffer state = {0};

	pack_raw(buffer, magic, sizeof magic - 1);
	pack_text(buffer, INSPECT_VERSION);
	pack_number(buffer, CHANNEL_LAYOUT);
	pack_raw(buffer, identity, sizeof *identity);
	balancer_pack(balancer, &state);
	slow_invariant(reads_as_written(balancer, &state));
	pack_raw(buffer, state.data, state.size);
	buffer_release(&state);
	digest_add(&whole, buffer->data, buffer->size);
	pack_raw(buffer, &whole, sizeof whole);
	debug_invariant(is_whole(buffer));
}

static bool write_all(int file, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(file, data, size);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
	return true;
}

bool savefile_write(const char *path, const struct identity *identity, struct balancer *balancer)
{
	struct buffer buffer = {0};
	char *other = other_name(path);
	int file = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool good = file >= 0;

	if (good) {
		pack_all(identity, balancer, &buffer);
		good = write_all(file, buffer.data, buffer.size) && !fsync(file);
		good = !close(file) && good;
		good = good && !rename(other, path);
	}
	int error = errno;
	if (!good && file >= 0)
		unlink(other);
	buffer_release(&buffer);
	free(other);
	errno = error;
	return good;
}

void savefile_remove(const char *path)
{
	char *other = other_name(path);

	unlink(path);
	unlink(other); /* somebody may have been killed while he wrote it */
	free(other);
}

/* --- reading --- */

void savefile_read(const char *path, const struct identity *identity, struct balancer *balancer)
{
	struct buffer buffer = {0};
	struct identity its;

	if (!read_file(path, &buffer))
		die("cannot read the checkpoint %s: %s", path, strerror(errno));
	if (buffer.size < sizeof magic - 1 || memcmp(buffer.data, magic, sizeof magic - 1))
		die("%s is not a checkpoint", path);
	if (!is_whole(&buffer))
		die("the checkpoint %s is damaged: start the search again, or use an older one", path);
	struct packed packed = packed_from(buffer.data + sizeof magic - 1, buffer.size - (sizeof magic - 1));
	char *version = unpack_text(&packed);
	uint64_t layout = unpack_number(&packed);
	if (!version || strcmp(version, INSPECT_VERSION) || layout != CHANNEL_LAYOUT)
		die("the checkpoint %s was written by another version of inspect%s%s: start the search again", path,
		    version ? ", " : "", version ? version : "");
	free(version);
	unpack_raw(&packed, &its, sizeof its);
	if (!digest_equal(its.program, identity->program))
		die("the checkpoint %s is of another program, or of other arguments of it", path);
	if (!digest_equal(its.options, identity->options))
		die("the checkpoint %s is of another search: give the same options as for its beginning", path);
	if (!balancer_unpack(balancer, &packed))
		die("the checkpoint %s is damaged: start the search again, or use an older one", path);
	buffer_release(&buffer);
}
