#define _GNU_SOURCE
#include "harness.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OUTCOMES_FD = 3, MAX_ARGUMENTS = 32, PATIENCE_MS = 60000 };

/* The first is what users have: always. */
const struct search searches[] = {
	{.options = "--search=optimal", .every = 1},
	{.options = "--search=optimal --no-awaits", .every = 4},
	{.options = "--search=optimal --seed=1", .every = 5},
	{.options = "--stateful", .every = 4, .stateful = true},
	{.options = "--search=source", .every = 8},
	{.options = "--search=dpor", .every = 8},
	{.options = "--search=all", .every = 8},
	{.options = "--search=source --seed=1 --no-awaits", .every = 20},
	{.options = "--stateful --seed=1", .every = 20, .stateful = true},
	{.options = "--search=optimal --jobs=2", .every = 40, .one_process = true},
	{.options = "--search=optimal", .every = 6, .first = true},
	{.options = "--search=optimal --seed=1", .every = 12, .first = true},
};
const unsigned nsearches = sizeof searches / sizeof *searches;
static_assert(sizeof searches / sizeof *searches <= MAX_SEARCHES, "a bit each");

/* --- one process --- */

struct files {
	int out, err, outcomes;
};

static int make_file(const char *name)
{
	int file = memfd_create(name, MFD_CLOEXEC);

	if (file < 0)
		abort();
	return file;
}

static char *take_text(int fd)
{
	struct stat status;
	char *text;

	if (fstat(fd, &status) || !(text = malloc((size_t)status.st_size + 1)))
		abort();
	ssize_t got = pread(fd, text, (size_t)status.st_size, 0);
	text[got > 0 ? got : 0] = 0;
	close(fd);
	return text;
}

/* The exit status; -1 when it was killed, -2 when it took too long. */
static int wait_for(pid_t pid)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int status, ready;

	do
		ready = end.fd < 0 ? 1 : poll(&end, 1, PATIENCE_MS);
	while (ready < 0 && errno == EINTR);
	if (end.fd >= 0)
		close(end.fd);
	if (!ready)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return !ready ? -2 : WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run(char *const *arguments, const struct files *files)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, files->out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, files->err, STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&actions, files->outcomes, OUTCOMES_FD);
	int error = posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error ? -1 : wait_for(pid);
}

/* --- what it said --- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of the lines that --outcomes writes, those of executions that came to their end, sorted. */
static char *read_ends(char *text)
{
	static const char prefix[] = "exit 0: ";
	size_t length = strlen(text), n = 0;
	char **lines = calloc(length + 1, sizeof *lines), *ends = malloc(length + 2), *out = ends, *rest = text;

	if (!lines || !ends)
		abort();
	for (char *line; (line = strsep(&rest, "\n"));)
		if (!strncmp(line, prefix, sizeof prefix - 1))
			lines[n++] = line + sizeof prefix - 1;
	if (n)
		qsort(lines, n, sizeof *lines, by_text);
	*out = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(lines[i], lines[i - 1]))
			out += sprintf(out, "%s\n", lines[i]);
	free(lines);
	return ends;
}

static void read_finding(struct result *result, const char *kind, unsigned line)
{
	if (!strcmp(kind, "deadlock"))
		result->deadlock = true;
	else if (!strcmp(kind, "livelock"))
		result->livelock = true;
	else if (!strcmp(kind, "race"))
		result->race = true;
	else if (strcmp(kind, "assertion") && strcmp(kind, "crash"))
		snprintf(result->other, sizeof result->other, "%s", kind);
	else if (result->nlines < MAX_SITES)
		result->lines[result->nlines++] = line;
}

/* Every member of the object is on a line of its own; what a bug says itself is indented by six blanks. */
static void read_findings(struct result *result, const char *json)
{
	const char *at = strstr(json, "\n  \"bugs\": [\n"), *end = at ? strstr(at, "\n  ]") : NULL;
	char kind[32] = "";
	unsigned line = 0;

	for (; at && at < end; at = strchr(at + 1, '\n')) {
		if (!strncmp(at, "\n    {", 6)) {
			*kind = 0;
			line = 0;
		}
		if (strncmp(at, "\n      \"", 8) && strncmp(at, "\n    }", 6))
			continue;
		sscanf(at, "\n      \"kind\": \"%31[a-z]\"", kind);
		sscanf(at, "\n      \"line\": %u", &line);
		if (!strncmp(at, "\n    }", 6))
			read_finding(result, kind, line);
	}
}

static uint64_t number_of(const char *json, const char *name)
{
	char wanted[40];
	const char *at;

	snprintf(wanted, sizeof wanted, "\n  \"%s\": ", name);
	at = strstr(json, wanted);
	return at ? strtoull(at + strlen(wanted), NULL, 10) : 0;
}

static char *describe(int status, const char *message)
{
	char *text;

	if (asprintf(&text, "exit status %d: %.300s", status, message) < 0)
		abort();
	text[strcspn(text, "\n")] = 0;
	return text;
}

/* --- one search --- */

static void add_words(char **arguments, unsigned count, char *words)
{
	for (char *word; (word = strsep(&words, " ")) && count < MAX_ARGUMENTS;)
		if (*word)
			arguments[count++] = word;
}

void search_run(const struct harness *harness, const struct search *search, const char *program, unsigned number,
		struct result *result)
{
	struct files files = {make_file("out"), make_file("err"), make_file("outcomes")};
	char words[1024], *arguments[MAX_ARGUMENTS + 1] = {(char *)harness->inspect};

	*result = (struct result){.stateful = search->stateful};
	snprintf(words, sizeof words,
		 "check -q --json=- %s --no-progress --trace=trace --outcomes=/dev/fd/%d "
		 "--watchdog=2 --max-executions=%u --max-steps=%u %s ./%s%s -- %u",
		 search->first ? "" : "--keep-going", OUTCOMES_FD, harness->max_executions, harness->max_steps,
		 search->options, program, search->stateful ? "-stateful" : "", number);
	add_words(arguments, 1, words);
	int status = run(arguments, &files);
	char *json = take_text(files.out), *message = take_text(files.err), *outcomes = take_text(files.outcomes);
	if (status != 0 && status != 1 && status != 3)
		result->broken = describe(status, message);
	read_findings(result, json);
	result->limit = strstr(json, "\n  \"limits\": [\n");
	result->complete = strstr(json, "\n  \"complete\": true") && !result->limit;
	result->executions = number_of(json, "executions") + number_of(json, "blocked");
	result->ends = read_ends(outcomes);
	free(json);
	free(message);
	free(outcomes);
}

void result_release(struct result *result)
{
	free(result->broken);
	free(result->ends);
	*result = (struct result){.complete = false};
}
