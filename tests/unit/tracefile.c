/* The trace file: what is written is read back, and nothing that is damaged is believed. */
#define _GNU_SOURCE
#include "check.h"

#include "common/trouble.h"
#include "result/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/inspect-unit-XXXXXX";
static char *path;

static struct event events[] = {
	{.thread = 0, .op = {.kind = EV_CREATE, .site = 3, .object = 0x555555555000}},
	{.thread = 1, .choice = 7, .op = {.kind = EV_MUTEX_LOCK, .site = UINT32_MAX, .object = UINT64_MAX}},
	{.thread = 2, .op = {.kind = EV_COUNT - 1}},
};

static struct shared_piece shared[] = {{0, 7}, {SHARED_MEMORY, UINT32_MAX}};

static char *build_words[] = {"a b.c", "-DX=\"100% \n\"", "", NULL};
static char *argument_words[] = {"--", "\xff\x01", NULL};

static struct tracefile sample(void)
{
	return (struct tracefile){
		.program_id = 0xfedcba9876543210,
		.directory = "/some where",
		.program = "prog",
		.build = build_words,
		.args = argument_words,
		.max_steps = 1000,
		.isolation = ISOLATION_FORK,
		.finding =
			{
				.kind = FINDING_RACE,
				.message = "data race on x",
				.thread = 1,
				.site = 5,
				.other_thread = 2,
				.other_site = 6,
				.fault_pc = 0xabc,
				.preemptions = 4,
				.count = UINT64_MAX,
				.execution =
					{
						.ending = ENDING_STOPPED,
						.exit_status = -1,
						.signal = 11,
						.names = {[1] = {.parent = 0, .index = 1},
							  [2] = {.parent = 1, .index = 65535}},
						.nthreads = 3,
						.shared = shared,
						.nshared = 2,
						.events = events,
						.nevents = 3,
					},
			},
	};
}

static bool equal_words(char **a, char **b)
{
	for (; *a && *b && !strcmp(*a, *b); a++, b++)
		;
	return !*a && !*b;
}

static void check_equal_execution(const struct execution *a, const struct execution *b)
{
	CHECK(a->ending == b->ending && a->exit_status == b->exit_status && a->signal == b->signal);
	CHECK(a->nthreads == b->nthreads && a->nevents == b->nevents);
	CHECK(!memcmp(a->names, b->names, sizeof a->names));
	CHECK(a->nshared == b->nshared && !memcmp(a->shared, b->shared, a->nshared * sizeof *a->shared));
	for (uint32_t i = 0; i < a->nevents && i < b->nevents; i++)
		CHECK(!memcmp(&a->events[i], &b->events[i], sizeof a->events[i]));
}

static void check_equal_finding(const struct finding *a, const struct finding *b)
{
	CHECK(a->kind == b->kind && a->count == b->count);
	CHECK_TEXT(a->message, b->message);
	CHECK(a->thread == b->thread && a->site == b->site && a->other_thread == b->other_thread);
	CHECK(a->other_site == b->other_site && a->fault_pc == b->fault_pc && a->preemptions == b->preemptions);
	check_equal_execution(&a->execution, &b->execution);
}

static void check_equal(const struct tracefile *a, const struct tracefile *b)
{
	CHECK(a->program_id == b->program_id);
	CHECK_TEXT(a->directory, b->directory);
	CHECK_TEXT(a->program, b->program);
	CHECK(equal_words(a->build, b->build) && equal_words(a->args, b->args));
	CHECK(a->max_steps == b->max_steps && a->isolation == b->isolation);
	check_equal_finding(&a->finding, &b->finding);
}

static void test_round_trip(void)
{
	struct tracefile written = sample(), read;
	char *why;

	CHECK(tracefile_write(path, &written));
	why = tracefile_read(path, &read);
	CHECK(!why);
	check_equal(&read, &written);
	free(why);
	tracefile_release(&read);
}

/* --- damaged files --- */

static char *slurp(size_t *size)
{
	FILE *in = fopen(path, "r");
	char *text = xmalloc(1 << 16);

	*size = fread(text, 1, 1 << 16, in);
	fclose(in);
	return text;
}

static void spit(const char *text, size_t size)
{
	FILE *out = fopen(path, "w");

	fwrite(text, 1, size, out);
	fclose(out);
}

/* Is the file refused with one line that names it? */
static bool refused(const char *text, size_t size)
{
	struct tracefile read;
	char *why;
	bool good;

	spit(text, size);
	why = tracefile_read(path, &read);
	good = why && strstr(why, path) && !strchr(why, '\n');
	free(why);
	tracefile_release(&read);
	return good;
}

static void test_every_truncation(void)
{
	size_t size;
	char *text = slurp(&size);

	for (size_t i = 0; i < size; i++)
		CHECK(refused(text, i));
	spit(text, size);
	free(text);
}

/* Any byte may become any other; the reader must survive, whatever it says. */
static void test_every_byte_changed(void)
{
	static const char bytes[] = {0, '\n', ' ', '%', '9', 'z', (char)0xff};
	size_t size;
	char *text = slurp(&size);

	for (size_t i = 0; i < size; i++) {
		char original = text[i];
		for (size_t j = 0; j < sizeof bytes; j++) {
			struct tracefile read;
			text[i] = bytes[j];
			spit(text, size);
			free(tracefile_read(path, &read));
			tracefile_release(&read);
		}
		text[i] = original;
	}
	spit(text, size);
	free(text);
}

/* The sample with one line replaced by others must be refused. */
static bool refused_with(const char *line, const char *replacement)
{
	size_t size;
	char *text = slurp(&size), *changed, *at;
	bool good;

	text[size] = '\0';
	at = strstr(text, line);
	if (!at)
		return false;
	changed = xasprintf("%.*s%s%s", (int)(at - text), text, replacement, at + strlen(line));
	good = refused(changed, strlen(changed));
	spit(text, size);
	free(changed);
	free(text);
	return good;
}

static void test_foreign_files(void)
{
	size_t size;
	char *text = slurp(&size);

	CHECK(refused("\x7f"
		      "ELF",
		      4));
	CHECK(refused("inspect-trace 2\nend\n", 20));
	CHECK(refused("inspect-other 1\nend\n", 20));
	CHECK(refused("inspect-trace 1\nend\n", 20));
	CHECK(refused("inspect-trace 1\r\nend\r\n", 22));
	spit(text, size);
	free(text);
}

static void test_wrong_lines(void)
{
	CHECK(refused_with("max-steps 1000\n", ""));
	CHECK(refused_with("max-steps 1000\n", "max-steps 0\n"));
	CHECK(refused_with("max-steps 1000\n", "max-steps 1000001\n"));
	CHECK(refused_with("max-steps 1000\n", "max-steps 18446744073709551616\n"));
	CHECK(refused_with("max-steps 1000\n", "max-steps -1\n"));
	CHECK(refused_with("max-steps 1000\n", "max-steps 10 \n"));
	CHECK(refused_with("max-steps 1000\n", "max-steps\n"));
	CHECK(refused_with("max-steps 1000\n", "max-steps 1000\nmax-steps 1000\n"));
	CHECK(refused_with("kind race\n", "kind rice\n"));
	CHECK(refused_with("isolation fork\n", "isolation spoon\n"));
	CHECK(refused_with("ending 4 ", "ending 99 "));
	CHECK(refused_with("message data%20race%20on%20x\n", "message \n"));
	CHECK(refused_with("message data", "message %0xdata"));
	CHECK(refused_with("message data", "message %00data"));
	CHECK(refused_with("message data", "messages data"));
	CHECK(refused_with("end\n", "end\nstep 0 0 1 0 0\n"));
	CHECK(refused_with("end\n", "end of file\n"));
}

static void test_wrong_threads_and_steps(void)
{
	CHECK(refused_with("thread 2 1 65535\n", "thread 2 1 65536\n"));
	CHECK(refused_with("thread 2 1 65535\n", "thread 2 2 1\n"));
	CHECK(refused_with("thread 2 1 65535\n", "thread 3 1 1\n"));
	CHECK(refused_with("thread 2 1 65535\n", "thread 0 0 1\n"));
	CHECK(refused_with("thread 2 1 65535\n", "")); /* steps and the finding speak of thread 2 */
	CHECK(refused_with("at 1 5 2 6 ", "at 64 5 2 6 "));
	CHECK(refused_with("at 1 5 2 6 ", "at 3 5 2 6 "));
	CHECK(refused_with("shared 0 7\n", "shared 3 7\n"));
	CHECK(refused_with("shared 0 7\n", "shared 0 131072\n"));
	CHECK(refused_with("step 1 7 ", "step 3 7 "));
	CHECK(refused_with("step 1 7 ", "step 1 65536 "));
	CHECK(refused_with("ffffffffffffffff\n", "fffffffffffffffff\n"));
	CHECK(refused_with("ffffffffffffffff\n", "fffffffffffffffg\n"));
	CHECK(refused_with("step 1 7 ", "step 1 7\n"));
	CHECK(refused_with("step 0 0 1 ", "step 0 0 0 "));
	CHECK(refused_with("step 0 0 1 ", "step 0 0 255 "));
	CHECK(refused_with("step 0 ", "thread 3 0 1\nstep 0 ") == false); /* one more thread is no damage */
	CHECK(refused_with("end\n", "thread 3 0 1\nend\n")); /* but after the steps it is */
}

/* --- places that cannot be written --- */

static void test_unwritable(void)
{
	struct tracefile trace = sample();
	struct stat status;

	CHECK(!tracefile_write("/nowhere/at/all", &trace) && errno == ENOENT);
	CHECK(!tracefile_write(directory, &trace) && errno == EISDIR);
	CHECK(!tracefile_write("/dev/full", &trace) && errno == ENOSPC);
	CHECK(!stat("/dev/full", &status) && S_ISCHR(status.st_mode));
	CHECK(tracefile_write("/dev/null", &trace));
	CHECK(!stat("/dev/null", &status) && S_ISCHR(status.st_mode));
}

static void test_unreadable(void)
{
	struct tracefile read;
	char *why = tracefile_read("/nowhere/at/all", &read);

	CHECK_TEXT(why, "cannot read /nowhere/at/all: No such file or directory");
	free(why);
	tracefile_release(&read);
	why = tracefile_read(directory, &read);
	CHECK(why && strstr(why, "Is a directory"));
	free(why);
	tracefile_release(&read);
}

int main(void)
{
	if (!mkdtemp(directory))
		return 1;
	path = xasprintf("%s/trace", directory);
	TEST(test_round_trip);
	TEST(test_every_truncation);
	TEST(test_every_byte_changed);
	TEST(test_foreign_files);
	TEST(test_wrong_lines);
	TEST(test_wrong_threads_and_steps);
	TEST(test_unwritable);
	TEST(test_unreadable);
	unlink(path);
	free(path);
	CHECK(!rmdir(directory)); /* nothing temporary was left behind */
	return check_result();
}
