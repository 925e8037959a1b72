#define _GNU_SOURCE
#include "result/tracefile.h"

#include "common/invariant.h"
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
	invariant(value);
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

static void write_steps(FILE *out, const struct execution *execution)
{
	for (uint32_t i = 0; i < execution->nevents; i++) {
		const struct event *event = &execution->events[i];
		invariant(event->thread == 0 || event->thread < execution->nthreads);
		invariant(event->op.kind != EV_NOTHING && event->op.kind < EV_COUNT);
		fprintf(out, "step %u %u %u %" PRIu32 " %" PRIx64 "\n", event->thread, event->choice, event->op.kind,
			event->op.site, event->op.object);
	}
}

/* What the reader takes: whatever is written here must be good enough to be read again. */
static void assert_readable(const struct tracefile *tracefile)
{
	const struct finding *finding = &tracefile->finding;
	const struct execution *execution = &finding->execution;

	invariant(tracefile->max_steps > 0);
	invariant(tracefile->max_steps <= MAX_EVENTS);
	invariant(tracefile->isolation == ISOLATION_FORK || tracefile->isolation == ISOLATION_SNAPSHOT);
	invariant(tracefile->modes.timeouts <= TIMEOUTS_LAST_RESORT);
	invariant(tracefile->modes.spurious_wakeups <= 1);
	/* endings after this one are no end that a finding has: its execution was repeated up to there, and stopped */
	invariant(execution->ending <= ENDING_ASSUMED);
	invariant(finding->thread == 0 || finding->thread < execution->nthreads);
	invariant(finding->other_thread == 0 || finding->other_thread < execution->nthreads);
	debug_invariant(finding_is_valid(finding));
}

static void write_shared(FILE *out, const struct execution *execution)
{
	for (uint32_t i = 0; i < execution->nshared; i++) {
		const struct shared_piece *shared = &execution->shared[i];
		invariant(shared->thread == SHARED_MEMORY || shared->thread == 0 ||
			  shared->thread < execution->nthreads);
		fprintf(out, "shared %" PRIu32 " %" PRIu32 "\n", shared->thread, shared->piece);
	}
}

static void write_awaits(FILE *out, const struct execution *execution)
{
	for (uint32_t i = 0; i < execution->nawait_locations; i++) {
		const struct await_location *location = &execution->await_locations[i];
		invariant(location->size <= 8);
		invariant(!(location->flags & ~(AWAIT_MIXED | AWAIT_APART)));
		fprintf(out, "await %" PRIx64 " %" PRIu32 " %" PRIu32 "\n", location->address, location->size,
			location->flags);
	}
	for (uint32_t i = 0; i < execution->nawait_sites; i++) {
		invariant(execution->await_sites[i] < MAX_AWAIT_SITES);
		fprintf(out, "await-loop %" PRIu32 "\n", execution->await_sites[i]);
	}
}

static void write_all(FILE *out, const struct tracefile *tracefile)
{
	const struct finding *finding = &tracefile->finding;
	const struct execution *execution = &finding->execution;

	assert_readable(tracefile);
	fprintf(out, "inspect-trace 3\n");
	fprintf(out, "program-id %016" PRIx64 "\n", tracefile->program_id);
	write_string(out, "kind", finding_kind_name(finding->kind));
	write_string(out, "message", finding->message);
	write_string(out, "directory", tracefile->directory);
	write_string(out, "program", tracefile->program);
	write_strings(out, "build", tracefile->build);
	write_strings(out, "arg", tracefile->args);
	fprintf(out, "max-steps %" PRIu32 "\n", tracefile->max_steps);
	fprintf(out, "isolation %s\n", tracefile->isolation == ISOLATION_FORK ? "fork" : "snapshot");
	fprintf(out, "modes %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
		tracefile->modes.timeouts, tracefile->modes.spurious_wakeups, (uint64_t)tracefile->modes.nondet_low,
		(uint64_t)tracefile->modes.nondet_high, execution->features, tracefile->modes.idle_rounds);
	fprintf(out, "ending %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", execution->ending,
		(uint32_t)execution->exit_status, (uint32_t)execution->signal);
	fprintf(out, "at %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIx64 " %" PRIu32 " %" PRIu64 " %d\n",
		finding->thread, finding->site, finding->other_thread, finding->other_site, finding->fault_pc,
		finding->preemptions, finding->count, finding->weak);
	for (uint32_t t = 1; t < execution->nthreads; t++)
		fprintf(out, "thread %" PRIu32 " %u %u\n", t, execution->names[t].parent, execution->names[t].index);
	write_shared(out, execution);
	write_awaits(out, execution);
	write_steps(out, execution);
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
