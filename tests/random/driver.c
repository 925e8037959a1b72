/*
 * Compare the searches with the oracle, on random programs.
 *
 *   driver [OPTIONS] [PROGRAM…]
 *
 *   --inspect=PATH     the command (build/inspect)
 *   --program=PATH     tests/random/program.c, built (build/tests/random/program)
 *   --stateful         compare --stateful only (and the first strategy)
 *   --search=NAME      this strategy only; may be repeated (all that inspect has)
 *   --programs=N       so many seeds (2000); 0: until --seconds or a signal
 *   --from=SEED        the first one (1)
 *   --size=N           so many instructions more in each thread (0); then more programs are too large for the oracle
 *   --seconds=S        stop after so many
 *   --jobs=N           at the same time (as many as there are processors)
 *   --limit=N          executions of one search (4000)
 *   --oracle=N         executions of the oracle with programs that are drawn (as many): most that have more than
 *                      500 have far more, and it takes most of the time to find that out
 *   --sparse=N         optimal and the oracles for all programs that are drawn, each other search for every n-th
 *                      only: more programs in the same time
 *   --kept=FILE        programs, one on each line, before the random ones; may be repeated
 *   --failures=N       stop after so many (10)
 *   --no-shrink        print programs that fail as they are
 *   --verbose          a line for each program
 *   --print=SEED       print the program of a seed, and do nothing else
 *
 * A PROGRAM is a text (text.h): check these only.  A program that fails is printed with what differs, made
 * as small as possible, and with the command that shows it.  Exit status 1 if any did.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_KEPT = 512, MORE_EVERY = 16, PROGRESS_SECONDS = 30 };

static struct options {
	uint64_t from, programs;
	double seconds;
	unsigned jobs, failures, size;
	unsigned oracle; /* executions, if not harness.limit */
	unsigned sparse; /* as in struct harness */
	bool no_shrink, verbose;
	bool only_kept; /* those of the command line */
	char *kept[MAX_KEPT]; /* texts */
	unsigned nkept;
} options = {.from = 1, .programs = 2000, .failures = 10};

/* What all jobs count together. */
static struct totals {
	atomic_ullong next; /* the job that comes next: a kept program, then seeds */
	atomic_ullong programs, with_oracle, with_model, with_either, too_large, executions, classes, several, findings,
		failures;
} *totals;

static struct harness harness = {.inspect = "build/inspect", .program = "build/tests/random/program", .limit = 4000};
static volatile sig_atomic_t stop;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

/* --- one program --- */

/* One write, so that jobs do not mix. */
static void print_failure(const char *origin, const struct program *program, const struct verdict *verdict)
{
	char text[MAX_TEXT], *message;

	program_print(program, text);
	int n = asprintf(&message, "FAIL %s\n%s  %s%s%s\n  %s check --search=%s --keep-going%s%s%s%s %s -- '%s'\n",
			 origin, verdict->text, program->options, *program->options ? " " : "", text, harness.inspect,
			 harness.strategies[verdict->strategy], verdict->option ? " " : "",
			 verdict->option ? verdict->option : "", *program->options ? " " : "", program->options,
			 harness.program, text);
	if (n < 0 || write(STDOUT_FILENO, message, (size_t)n) != n)
		abort();
	free(message);
}

static void fail(const char *origin, struct program *program, struct verdict *verdict)
{
	char shrunk[80];

	print_failure(origin, program, verdict);
	if (options.no_shrink)
		return;
	harness.sparse = 0;
	shrink(&harness, program, verdict);
	snprintf(shrunk, sizeof shrunk, "%s, shrunk%s", origin, stop ? " so far" : "");
	print_failure(shrunk, program, verdict);
}

static void count(const struct verdict *verdict)
{
	totals->programs++;
	totals->with_oracle += verdict->with_oracle;
	totals->with_model += verdict->with_model;
	totals->with_either += verdict->with_oracle || verdict->with_model;
	totals->too_large += verdict->too_large;
	totals->executions += verdict->executions;
	totals->classes += verdict->too_large ? 0 : verdict->classes;
	totals->several += !verdict->too_large && verdict->classes > 1;
	totals->findings += verdict->has_findings;
}

static void print_verdict(const char *origin, const struct verdict *verdict)
{
	printf("%s: %s, %" PRIu64 " classes, %" PRIu64 " executions, %s\n", origin,
	       verdict->too_large     ? "too large"
	       : verdict->with_oracle ? "oracle"
				      : "no oracle",
	       verdict->classes, verdict->executions, verdict->has_findings ? "findings" : "no findings");
	fflush(stdout);
}

static void check_one(const char *origin, struct program *program, bool more)
{
	struct verdict verdict;

	check(&harness, program, more, &verdict);
	if (stop)
		return;
	count(&verdict);
	if (options.verbose)
		print_verdict(origin, &verdict);
	if (!verdict.problem)
		return;
	totals->failures++;
	fail(origin, program, &verdict);
}

static void check_kept(const char *text)
{
	struct program program;

	if (!program_parse(&program, text)) {
		fprintf(stderr, "driver: this is no program: %s\n", text);
		totals->failures++;
		return;
	}
	harness.oracle_limit = harness.limit;
	harness.sparse = 0;
	check_one("kept", &program, true);
}

static void check_seed(uint64_t seed)
{
	struct program program;
	char origin[40];

	generate(&program, seed, options.size);
	snprintf(origin, sizeof origin, "seed %" PRIu64, seed);
	harness.oracle_limit = options.oracle ? options.oracle : harness.limit;
	bool more = seed % MORE_EVERY == 0;
	harness.sparse = more ? 0 : options.sparse;
	harness.turn = (unsigned)(seed * 0x9e3779b97f4a7c15ull >> 40);
	check_one(origin, &program, more);
}

/* --- jobs --- */

static void work(double deadline)
{
	while (!stop && totals->failures < options.failures && (!options.seconds || now() < deadline)) {
		uint64_t next = totals->next++;
		if (next < options.nkept)
			check_kept(options.kept[next]);
		else if (!options.only_kept && (!options.programs || next - options.nkept < options.programs))
			check_seed(options.from + next - options.nkept);
		else
			break;
	}
}

static void progress(double start)
{
	double seconds = now() - start;

	fprintf(stderr, "%.0f s: %llu programs (%.1f/s), %llu with the oracle, %llu executions, %llu failed\n", seconds,
		totals->programs, (double)totals->programs / seconds, totals->with_oracle, totals->executions,
		totals->failures);
}

/* Wait for all jobs, telling now and then how far they are; pass on a signal. */
static bool supervise(const pid_t *jobs, double start)
{
	unsigned left = options.jobs;
	bool good = true, told = false;
	double shown = start;

	while (left) {
		int status;
		struct timespec moment = {.tv_nsec = 50000000};
		pid_t pid = waitpid(-1, &status, WNOHANG);
		if (pid > 0) {
			left--;
			good &= WIFEXITED(status) && !WEXITSTATUS(status);
			continue;
		}
		for (unsigned i = 0; stop && !told && i < options.jobs; i++)
			kill(jobs[i], SIGTERM);
		told = stop;
		nanosleep(&moment, NULL);
		if (now() - shown >= PROGRESS_SECONDS) {
			shown = now();
			progress(start);
		}
	}
	return good;
}

/*
 * When there are jobs for all cores, each keeps to one.  Most searches are short, and the two processes of each
 * would otherwise spin for each other on cores that other jobs need.
 */
static void take_core(unsigned job)
{
	cpu_set_t allowed, mine;

	if (sched_getaffinity(0, sizeof allowed, &allowed) || options.jobs < (unsigned)CPU_COUNT(&allowed))
		return;
	job %= (unsigned)CPU_COUNT(&allowed);
	for (unsigned core = 0, n = 0; core < CPU_SETSIZE; core++) {
		if (!CPU_ISSET(core, &allowed) || n++ != job)
			continue;
		CPU_ZERO(&mine);
		CPU_SET(core, &mine);
		sched_setaffinity(0, sizeof mine, &mine);
	}
}

static bool run_jobs(void)
{
	pid_t *jobs = calloc(options.jobs, sizeof *jobs);
	double start = now();

	fflush(NULL);
	for (unsigned i = 0; i < options.jobs; i++) {
		jobs[i] = fork();
		if (jobs[i] == 0) {
			take_core(i);
			work(start + options.seconds);
			_exit(0);
		}
		if (jobs[i] < 0)
			abort();
	}
	bool good = supervise(jobs, start);
	free(jobs);
	return good;
}

/* --- the command --- */

/* One program on each line, after comments. */
static bool read_kept(const char *path)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!in)
		return false;
	while ((length = getline(&line, &size, in)) > 0) {
		line[strcspn(line, "#\n")] = 0;
		if (line[strspn(line, " \t")] && options.nkept < MAX_KEPT)
			options.kept[options.nkept++] = strdup(line);
	}
	free(line);
	fclose(in);
	return true;
}

static int print_program(uint64_t seed)
{
	struct program program;
	char text[MAX_TEXT];

	generate(&program, seed, options.size);
	program_print(&program, text);
	printf("%s%s%s\n", program.options, *program.options ? " " : "", text);
	return 0;
}

static const char *value_of(const char *argument, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool add_strategy(const char *name)
{
	if (strlen(name) >= NAME_SIZE || harness.nwanted == MAX_STRATEGIES)
		return false;
	strcpy(harness.wanted[harness.nwanted++], name);
	return true;
}

static bool parse(const char *argument)
{
	const char *value;

	if ((value = value_of(argument, "--inspect")))
		harness.inspect = value;
	else if ((value = value_of(argument, "--program")))
		harness.program = value;
	else if ((value = value_of(argument, "--search")))
		return add_strategy(value);
	else if ((value = value_of(argument, "--programs")))
		options.programs = strtoull(value, NULL, 10);
	else if ((value = value_of(argument, "--from")))
		options.from = strtoull(value, NULL, 10);
	else if ((value = value_of(argument, "--seconds")))
		options.seconds = strtod(value, NULL);
	else if ((value = value_of(argument, "--jobs")))
		options.jobs = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--limit")))
		harness.limit = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--oracle")))
		options.oracle = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--sparse")))
		options.sparse = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--failures")))
		options.failures = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--size")))
		options.size = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--kept")))
		return read_kept(value);
	else if (!strcmp(argument, "--stateful"))
		harness.only_stateful = true;
	else if (!strcmp(argument, "--verbose"))
		options.verbose = true;
	else if (!strcmp(argument, "--no-shrink"))
		options.no_shrink = true;
	else if ((*argument == '-' && !strchr(argument, ' ')) || options.nkept == MAX_KEPT)
		return false;
	else {
		options.kept[options.nkept++] = (char *)argument;
		options.only_kept = true;
	}
	return true;
}

static bool init(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	harness.stop = &stop;
	totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	strcpy(harness.scratch, "/tmp/inspect-random.XXXXXX");
	if (totals == MAP_FAILED || !mkdtemp(harness.scratch)) {
		perror("driver");
		return false;
	}
	if (asprintf(&harness.stateful, "%s-stateful", harness.program) < 0)
		abort();
	if (access(harness.program, X_OK) || access(harness.stateful, X_OK) || !harness_init(&harness)) {
		fprintf(stderr, "driver: cannot run %s or %s\n", harness.inspect, harness.program);
		return false;
	}
	if (!options.jobs)
		options.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	return true;
}

static void summarise(double seconds)
{
	printf("random programs:");
	for (unsigned i = 1; i < harness.nstrategies; i++)
		printf("%s %s", i > 1 ? "," : "", harness.strategies[i]);
	printf(" against %s\n  %llu programs in %.0f s, %llu with the oracle, %llu with the model, %llu with neither, "
	       "%llu too large;\n"
	       "  %llu with more than one class, %llu with findings; %llu classes, %llu executions; %llu failed\n",
	       harness.strategies[ORACLE], totals->programs, seconds, totals->with_oracle, totals->with_model,
	       totals->programs - totals->with_either, totals->too_large, totals->several, totals->findings,
	       totals->classes, totals->executions, totals->failures);
}

static void remove_scratch(void)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf '%s'", harness.scratch);
	if (system(command))
		perror("driver");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *seed = value_of(argv[i], "--print");
		if (seed)
			return print_program(strtoull(seed, NULL, 10));
		if (parse(argv[i]))
			continue;
		fprintf(stderr, "driver: `%s' is not understood, or cannot be read: see tests/random/driver.c\n",
			argv[i]);
		return 2;
	}
	if (!init())
		return 4;
	double start = now();
	bool good = run_jobs();
	summarise(now() - start);
	remove_scratch();
	return good && !totals->failures && totals->programs ? 0 : 1;
}
