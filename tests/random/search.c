#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OUTCOMES_FD = 3, MAX_ARGUMENTS = 32 };

/* --- one process --- */

/* Standard output and error, and what --outcomes writes. */
struct files {
	int out, err, outcomes;
};

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

static struct files make_files(void)
{
	struct files files = {memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC),
			      memfd_create("outcomes", MFD_CLOEXEC)};

	if (files.out < 0 || files.err < 0 || files.outcomes < 0)
		abort();
	return files;
}

/* The exit status; -1 when it could not be run, or was killed. */
static int run(char *const *arguments, const struct files *files)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, files->out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, files->err, STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&actions, files->outcomes, OUTCOMES_FD);
	int error = posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- which strategies there are --- */

static bool is_wanted(const struct harness *harness, const char *name)
{
	for (unsigned i = 0; i < harness->nwanted; i++)
		if (!strcmp(harness->wanted[i], name))
			return true;
	return !harness->nwanted && strcmp(name, harness->strategies[ORACLE]);
}

/* The help lists them below --search: all at the same distance from the edge, more of their text further away. */
static void find_strategies(struct harness *harness, char *help)
{
	char *rest = strstr(help, "--search=NAME"), *line;

	strcpy(harness->strategies[ORACLE], "all");
	harness->nstrategies = 1;
	strsep(&rest, "\n");
	size_t edge = rest ? strspn(rest, " ") : 0;
	while (rest && (line = strsep(&rest, "\n")) && strspn(line, " ") >= edge) {
		char name[NAME_SIZE];
		if (strspn(line, " ") == edge && sscanf(line, " %15[a-z-]", name) == 1 && is_wanted(harness, name) &&
		    harness->nstrategies < MAX_STRATEGIES)
			strcpy(harness->strategies[harness->nstrategies++], name);
	}
}

bool harness_init(struct harness *harness)
{
	struct files files = make_files();
	char *arguments[] = {(char *)harness->inspect, "check", "--help", NULL};
	int status = run(arguments, &files);
	char *help = take_text(files.out);

	close(files.err);
	close(files.outcomes);
	if (!status)
		find_strategies(harness, help);
	free(help);
	return !status && harness->nstrategies > 1;
}

/* --- reading results --- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *sort_lines(char *text)
{
	size_t length = strlen(text), n = 0;
	char **lines = calloc(length + 1, sizeof *lines), *sorted = malloc(length + 2), *end = sorted, *rest = text;

	if (!lines || !sorted)
		abort();
	for (char *line; (line = strsep(&rest, "\n"));)
		if (*line)
			lines[n++] = line;
	qsort(lines, n, sizeof *lines, by_text);
	*sorted = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(lines[i], lines[i - 1]))
			end += sprintf(end, "%s\n", lines[i]);
	free(lines);
	free(text);
	return sorted;
}

static uint64_t number_of(const char *json, const char *name)
{
	char wanted[40];
	const char *at;

	snprintf(wanted, sizeof wanted, "\n  \"%s\": ", name);
	at = strstr(json, wanted);
	return at ? strtoull(at + strlen(wanted), NULL, 10) : UINT64_MAX;
}

/* Where one exit status was seen first is a matter of the order of executions. */
static bool has_place(const char *kind)
{
	return strcmp(kind, "exit") && strcmp(kind, "nondeterminism");
}

/*
 * Kind and places of each bug, from the JSON object, of which every member is on a line of its own; what a
 * bug or its other place says itself is indented by six and eight blanks.
 */
static char *read_findings(const char *json)
{
	const char *at = strstr(json, "\n  \"bugs\": ["), *end = strstr(json, "\n  \"warnings\": [");
	char *text = malloc(strlen(json) + 1), *out = text;
	unsigned line, column;
	char kind[32] = "";

	if (!text)
		abort();
	*out = 0;
	for (; at && at < end; at = strchr(at + 1, '\n')) {
		if (sscanf(at, "\n      \"kind\": \"%31[a-z]\"", kind) == 1 && !strncmp(at, "\n      \"", 8))
			out += sprintf(out, "\n%s", kind);
		else if (strncmp(at, "\n      \"line", 12) && strncmp(at, "\n        \"line", 14))
			continue;
		else if (has_place(kind) && sscanf(at, " \"line\": %u, \"column\": %u", &line, &column) == 2)
			out += sprintf(out, " %u:%u", line, column);
	}
	return sort_lines(text);
}

static void read_ends(struct outcome *outcome, char *text)
{
	static const char classes[] = "equivalence classes: ";
	char *at = strstr(text, classes);

	outcome->classes = at ? strtoull(at + strlen(classes), NULL, 10) : UINT64_MAX;
	if (at)
		*at = 0;
	outcome->ends = sort_lines(text);
}

static void read_outcome(struct outcome *outcome, char *json, char *ends)
{
	outcome->complete = strstr(json, "\n  \"complete\": true") != NULL;
	outcome->executions = number_of(json, "executions");
	outcome->blocked = number_of(json, "blocked");
	outcome->assumed = number_of(json, "assumed");
	outcome->findings = read_findings(json);
	read_ends(outcome, ends);
	free(json);
}

/* --- one search --- */

/* The last one that there is room for is NULL. */
static void add_words(char **arguments, unsigned count, char *words)
{
	for (char *word; (word = strsep(&words, " ")) && count < MAX_ARGUMENTS - 1;)
		if (*word)
			arguments[count++] = word;
}

static char *describe_failure(int status, const char *message)
{
	char *text;

	if (asprintf(&text, "exit status %d: %.200s", status, message) < 0)
		abort();
	text[strcspn(text, "\n")] = 0;
	return text;
}

static int run_search(const struct harness *harness, const struct program *program, char *words, struct files *files)
{
	char text[MAX_TEXT], options[MAX_OPTIONS];
	char *arguments[MAX_ARGUMENTS + 4] = {(char *)harness->inspect, "check"};
	unsigned count = 2;

	program_print(program, text);
	strcpy(options, program->options);
	add_words(arguments, count, words);
	while (arguments[count])
		count++;
	add_words(arguments, count, options);
	while (arguments[count])
		count++;
	arguments[count++] = (char *)harness->program;
	arguments[count++] = "--";
	arguments[count++] = text;
	return run(arguments, files);
}

/*
 * The programs are short: executions would hardly ever go on from a checkpoint.  So some of the
 * searches have them as close together as possible; not the oracle, nor the one that nobody uses.
 */
static bool wants_checkpoints(const struct harness *harness, const char *strategy)
{
	return strcmp(strategy, harness->strategies[ORACLE]) && strcmp(strategy, "dpor");
}

void search(const struct harness *harness, const struct program *program, const char *strategy, const char *option,
	    struct outcome *outcome)
{
	struct files files = make_files();
	bool oracle = !strcmp(strategy, harness->strategies[ORACLE]);
	char words[512];

	*outcome = (struct outcome){.complete = false};
	snprintf(words, sizeof words,
		 "--search=%s --keep-going --no-progress --trace=%s/%d --json=- --outcomes=/dev/fd/%d "
		 "--max-executions=%u --checkpoints=%d %s",
		 strategy, harness->scratch, (int)getpid(), OUTCOMES_FD,
		 oracle ? harness->oracle_limit : harness->limit, wants_checkpoints(harness, strategy),
		 option ? option : "");
	int status = run_search(harness, program, words, &files);
	char *json = take_text(files.out), *message = take_text(files.err), *ends = take_text(files.outcomes);
	if (status != 0 && status != 1 && status != 3)
		outcome->broken = describe_failure(status, message);
	bool cut = strstr(json, "\"limits\": [\n");
	read_outcome(outcome, json, ends);
	if (!outcome->broken && (strstr(outcome->findings, "nondeterminism") || cut))
		outcome->broken = strdup("says that the program is not deterministic or does not end");
	free(message);
}

void outcome_release(struct outcome *outcome)
{
	free(outcome->broken);
	free(outcome->ends);
	free(outcome->findings);
	*outcome = (struct outcome){.complete = false};
}
