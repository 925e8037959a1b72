#define _GNU_SOURCE
#include "result/tracefile.h"

#include "common/trouble.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_string(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s ", name);
	for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
		if (*c <= ' ' || *c == '%' || *c == 0x7f)
			fprintf(out, "%%%02x", *c);
		else
			fputc(*c, out);
	}
	fputc('\n', out);
}

static void write_strings(FILE *out, const char *name, char *const *values)
{
	for (; *values; values++)
		write_string(out, name, *values);
}

static void write_steps(FILE *out, const struct tracefile *tracefile)
{
	for (uint32_t i = 0; i < tracefile->nevents; i++) {
		const struct event *event = &tracefile->events[i];
		fprintf(out, "step %u %u %u %" PRIu32 " %" PRIx64 "\n", event->thread, event->choice, event->op.kind,
			event->op.site, event->op.object);
	}
}

static void write_all(FILE *out, const struct tracefile *tracefile)
{
	fprintf(out, "inspect-trace 3\n");
	fprintf(out, "program-id %016" PRIx64 "\n", tracefile->program_id);
	write_string(out, "kind", finding_kind_name(tracefile->kind));
	write_string(out, "message", tracefile->message);
	write_string(out, "directory", tracefile->directory);
	write_string(out, "program", tracefile->program);
	write_strings(out, "build", tracefile->build);
	write_strings(out, "arg", tracefile->args);
	fprintf(out, "max-steps %" PRIu32 "\n", tracefile->max_steps);
	fprintf(out, "isolation %s\n", tracefile->isolation == ISOLATION_FORK ? "fork" : "snapshot");
	fprintf(out, "modes %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
		tracefile->modes.timeouts, tracefile->modes.spurious_wakeups, (uint64_t)tracefile->modes.nondet_low,
		(uint64_t)tracefile->modes.nondet_high, tracefile->features, tracefile->modes.idle_rounds);
	fprintf(out, "ending %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", tracefile->ending,
		(uint32_t)tracefile->exit_status, (uint32_t)tracefile->signal);
	fprintf(out, "at %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIx64 " %" PRIu32 " %" PRIu64 " %d\n",
		tracefile->thread, tracefile->site, tracefile->other_thread, tracefile->other_site, tracefile->fault_pc,
		tracefile->preemptions, tracefile->count, tracefile->weak);
	for (uint32_t t = 1; t < tracefile->nthreads; t++)
		fprintf(out, "thread %" PRIu32 " %u %u\n", t, tracefile->names[t].parent, tracefile->names[t].index);
	for (uint32_t i = 0; i < tracefile->nshared; i++)
		fprintf(out, "shared %" PRIu32 " %" PRIu32 "\n", tracefile->shared[i].thread,
			tracefile->shared[i].piece);
	for (uint32_t i = 0; i < tracefile->nawait_locations; i++)
		fprintf(out, "await %" PRIx64 " %" PRIu32 " %" PRIu32 "\n", tracefile->await_locations[i].address,
			tracefile->await_locations[i].size, tracefile->await_locations[i].flags);
	for (uint32_t i = 0; i < tracefile->nawait_sites; i++)
		fprintf(out, "await-loop %" PRIu32 "\n", tracefile->await_sites[i]);
	write_steps(out, tracefile);
	fprintf(out, "end\n");
}

/* Writes and closes; false with errno. */
static bool write_and_close(FILE *out, const struct tracefile *tracefile)
{
	int error = 0;

	write_all(out, tracefile);
	if (fflush(out) || ferror(out))
		error = errno ? errno : EIO;
	if (fclose(out) && !error)
		error = errno;
	errno = error;
	return !error;
}

static bool write_directly(const char *path, const struct tracefile *tracefile)
{
	FILE *out = fopen(path, "we");

	return out && write_and_close(out, tracefile);
}

/* The permissions that open() would have given. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static bool write_renamed(const char *path, const struct tracefile *tracefile)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(temporary, 0), error = 0;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out || fchmod(fd, usual_mode()) || !write_and_close(out, tracefile) || rename(temporary, path)) {
		error = errno;
		if (fd >= 0)
			unlink(temporary);
	}
	free(temporary);
	errno = error;
	return !error;
}

bool tracefile_write(const char *path, const struct tracefile *tracefile)
{
	struct stat status;

	errno = 0;
	if (!stat(path, &status) && !S_ISREG(status.st_mode)) {
		if (!S_ISDIR(status.st_mode))
			return write_directly(path, tracefile);
		errno = EISDIR;
		return false;
	}
	return write_renamed(path, tracefile);
}
