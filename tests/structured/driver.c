/*
 * Compare the searches with an oracle that knows nothing of Inspect, on structured random programs.
 *
 *   driver [OPTIONS] [PROGRAM…]
 *
 *   --inspect=PATH     the command (build/inspect)
 *   --include=PATH     where inspect.h is (include)
 *   --programs=N       so many seeds (2000), of which some are left out: see is_wanted(); 0: until --seconds or a signal
 *   --from=SEED        the first one (1)
 *   --seconds=S        stop after so many
 *   --jobs=N           at the same time (as many as there are processors)
 *   --kinds=LIST       what programs are made of: names of ingredients.def with commas; +NAME adds one to the usual
 *   --search=TEXT      only searches whose options have this text; may be repeated
 *   --max-states=N     larger programs are left out (2000)
 *   --max-executions=N of one search (500): one that needs more is not complete
 *   --max-steps=N      of one execution (250)
 *   --thorough=N       all searches for each n-th program (10)
 *   --kept=FILE        programs, one on each line, before the random ones; may be repeated
 *   --known=FILE       programs with what the oracle must say of them (known.txt): compared first, without inspect
 *   --failures=N       stop after so many (10)
 *   --no-shrink        print programs that fail as they are, as is done with those of --kept
 *   --print=SEED       print the program of a seed as C, what the oracle says of it, and do nothing else
 *
 * A PROGRAM is the text of a tree (tree.h): check these only, with all searches.  A program that fails is printed with what
 * differs, made as small as possible, as C and as a tree.  Exit status 1 if any did.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_KEPT = 512, PROGRESS_SECONDS = 30 };

static struct options {
	uint64_t from, programs;
	double seconds;
	unsigned jobs, failures;
	uint32_t ingredients;
	bool no_shrink, only_kept;
	char *kept[MAX_KEPT];
	unsigned nkept;
} options = {.from = 1, .programs = 2000, .failures = 10};

/* What all jobs count together. */
static struct totals {
	atomic_ullong next; /* batch; those that were kept come first */
	atomic_ullong programs, too_large, left_out, searches, incomplete, limits, executions, states, several,
		findings, untold, failures;
} *totals;

static struct harness harness = {.max_executions = 500, .max_steps = 250, .max_states = 2000, .thorough_every = 10};
static char scratch[64] = "/tmp/inspect-structured.XXXXXX", *inspect_path = "build/inspect", *include_path = "include";
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

/* --- what failed --- */

static void print_source(FILE *out, const struct program *program)
{
	struct source source;

	source_begin(&source, out);
	source_add(&source, program, NULL);
	source_end(&source);
}

/* The kinds of nodes of a program, for a look at many failures. */
static void print_shape(FILE *out, const struct program *program)
{
	fprintf(out, "shape:");
	for (unsigned k = 1; k < KINDS; k++)
		if (program_uses(program, k) && k != K_CONST && k != K_LOCAL && k != K_EVAL && k != K_SPAWN)
			fprintf(out, " %s", kind_rows[k].name);
	fprintf(out, "\n");
}

/* One write, so that jobs do not mix. */
static void print_failure(const char *title, const struct search *search, const struct program *program,
			  const char *message, bool as_c)
{
	char tree[MAX_TREE_TEXT], *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		abort();
	program_write(program, tree);
	fprintf(out, "%s: %s%s\n%s  tree: %s\n  ", title, search->options,
		search->stateful ? " (built so)"
		: search->first	 ? " (first finding)"
				 : "",
		message, tree);
	print_shape(out, program);
	if (as_c)
		print_source(out, program);
	fclose(out);
	if (write(STDOUT_FILENO, text, length) != (ssize_t)length)
		abort();
	free(text);
}

static void fail(const struct member *member, const struct search *search, enum problem problem, const char *message)
{
	struct program program = member->program;
	char title[80];

	snprintf(title, sizeof title, "FAIL %s %" PRIu64, member->kept ? "kept" : "seed", member->origin);
	print_failure(title, search, &program, message, false);
	if (options.no_shrink || (member->kept && !options.only_kept))
		return;
	shrink(&harness, search, problem, &program);
	strcat(title, stop ? ", shrunk so far" : ", shrunk");
	print_failure(title, search, &program, "", true);
}

/* --- one program --- */

/* Programs for the stateful search are built in batches: all of a batch, or none. */
static bool is_due(const struct member *member, unsigned which, uint64_t batch)
{
	const struct search *search = &searches[which];

	if ((harness.only && !(harness.only & 1u << which)) ||
	    (search->one_process && program_has_system_calls(&member->program)))
		return false;
	if (search->stateful)
		return options.only_kept || harness.only || batch % search->every == 0;
	return member->thorough || member->origin % search->every == which % search->every;
}

/* False if there is no need to go on: it failed, or its executions have no end in sight, which costs most of the time. */
static bool check_with(const struct member *member, unsigned number, unsigned which)
{
	char message[MAX_MESSAGE];
	struct result result;

	enum problem problem = check_search(&harness, &searches[which], "batch", member, number, &result, message);
	if (stop)
		problem = NO_PROBLEM;
	totals->searches++;
	totals->incomplete += !result.complete;
	totals->limits += result.limit;
	totals->untold += result.complete && member->answer.livelock && !result.livelock;
	totals->executions += result.executions;
	bool too_long = result.limit && !member->thorough;
	result_release(&result);
	if (!problem)
		return !too_long;
	totals->failures++;
	fail(member, &searches[which], problem, message);
	return false;
}

static bool has_findings(const struct answer *answer)
{
	return answer->nsites || answer->deadlock || answer->livelock || answer->race;
}

static bool has_several_ends(const struct answer *answer)
{
	const char *second = strchr(answer->ends, '\n');

	return second && second[1];
}

static void check_member(const struct member *member, unsigned number, uint64_t batch)
{
	const struct answer *answer = &member->answer;

	for (unsigned i = 0; i < nsearches && !stop; i++)
		if (is_due(member, i, batch) && !check_with(member, number, i))
			break;
	totals->programs++;
	totals->states += answer->states;
	totals->findings += has_findings(answer);
	totals->several += has_several_ends(answer);
}

/* --- batches --- */

static bool is_over(double deadline)
{
	return stop || totals->failures >= options.failures || (options.seconds && now() >= deadline);
}

static void check_batch(struct batch *batch, uint64_t number, double deadline)
{
	bool stateful = false;

	if (!batch->count)
		return;
	batch_print(batch, "batch.c");
	for (unsigned i = 0; i < batch->count; i++)
		for (unsigned k = 0; k < nsearches; k++)
			stateful |= searches[k].stateful && is_due(&batch->members[i], k, number);
	if (!batch_build(&harness, batch, "batch", false) ||
	    (stateful && !batch_build(&harness, batch, "batch", true))) {
		totals->failures += !stop;
		return;
	}
	for (unsigned i = 0; i < batch->count && !is_over(deadline); i++)
		check_member(&batch->members[i], i, number);
}

/* The oracle is cheap and searches are not: of programs that tell little, and of livelocks, only some are searched. */
static bool is_wanted(const struct answer *answer, uint64_t seed)
{
	if (!has_several_ends(answer) && !answer->nsites && !answer->deadlock && !answer->race)
		return seed % 3 == 0;
	return !answer->livelock || seed % 2 == 0;
}

static void add_seed(struct batch *batch, uint64_t seed)
{
	struct program program;

	generate(&program, seed, options.ingredients);
	if (!batch_add(&harness, batch, &program, seed)) {
		totals->too_large++;
		return;
	}
	struct member *member = &batch->members[batch->count - 1];
	member->thorough = seed % harness.thorough_every == 0;
	if (is_wanted(&member->answer, seed))
		return;
	answer_release(&member->answer);
	batch->count--;
	totals->left_out++;
}

static void add_kept(struct batch *batch, unsigned which)
{
	struct program program;

	if (!program_parse(&program, options.kept[which]) || !batch_add(&harness, batch, &program, which)) {
		fprintf(stderr, "driver: this is no program, or too large: %s\n", options.kept[which]);
		totals->failures++;
		return;
	}
	batch->members[batch->count - 1].thorough = batch->members[batch->count - 1].kept = true;
}

/* False when there is none left. */
static bool fill_batch(struct batch *batch, uint64_t number)
{
	uint64_t of_kept = (options.nkept + BATCH - 1) / BATCH;

	if (number < of_kept) {
		for (uint64_t i = number * BATCH; i < (number + 1) * BATCH && i < options.nkept; i++)
			add_kept(batch, (unsigned)i);
		return true;
	}
	uint64_t first = (number - of_kept) * BATCH;
	if (options.only_kept || (options.programs && first >= options.programs))
		return false;
	for (uint64_t i = first; i < first + BATCH && (!options.programs || i < options.programs); i++)
		add_seed(batch, options.from + i);
	return true;
}

static void work(unsigned job, double deadline)
{
	static struct batch batch;
	char folder[100];

	snprintf(folder, sizeof folder, "%s/%u", scratch, job);
	if (mkdir(folder, 0700) || chdir(folder)) {
		perror(folder);
		_exit(4);
	}
	while (!is_over(deadline)) {
		uint64_t number = totals->next++;
		if (!fill_batch(&batch, number))
			break;
		check_batch(&batch, number, deadline);
		batch_clear(&batch);
	}
}

/* --- jobs --- */

static void progress(double start)
{
	double seconds = now() - start;

	fprintf(stderr, "%.0f s: %llu programs (%.1f/s), %llu searches, %llu executions, %llu failed\n", seconds,
		totals->programs, (double)totals->programs / seconds, totals->searches, totals->executions,
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

/* When there are jobs for all cores, each keeps to one: searches are short, and would get into each other's way. */
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
			work(i, start + options.seconds);
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

static bool read_kinds(const char *list)
{
	char *copy = strdup(list), *rest = copy;
	bool good = copy != NULL;

	if (*list != '+')
		options.ingredients = 0;
	for (char *name; good && (name = strsep(&rest, ","));) {
		unsigned i = 0;
		name += *name == '+';
		while (i < INGREDIENTS && strcmp(name, ingredient_rows[i].name))
			i++;
		good = i < INGREDIENTS;
		options.ingredients |= 1u << i;
	}
	free(copy);
	return good;
}

static bool read_search(const char *text)
{
	unsigned before = harness.only;

	for (unsigned i = 0; i < nsearches; i++)
		if (strstr(searches[i].options, text))
			harness.only |= 1u << i;
	return harness.only != before;
}

static void write_findings(const struct answer *answer, char text[8])
{
	snprintf(text, 8, "%s%s%s%s%s", answer->nsites ? "a" : "", answer->deadlock ? "d" : "",
		 answer->livelock ? "l" : "", answer->quiet_livelock ? "q" : "", answer->race ? "r" : "");
	if (!*text)
		strcpy(text, "-");
}

/* A line of known.txt. */
static bool is_known(const char *line)
{
	static struct code code;
	struct program program;
	struct answer answer;
	char wanted[8], findings[8];
	unsigned ends, found = 0;
	int length = 0;

	if (sscanf(line, "%u %7s %n", &ends, wanted, &length) != 2 || !program_parse(&program, line + length) ||
	    !compile(&code, &program)) {
		fprintf(stderr, "driver: this is no program: %s", line);
		return false;
	}
	interpret(&code, harness.max_states, &answer);
	for (const char *c = answer.ends ? answer.ends : ""; *c; c++)
		found += *c == '\n';
	write_findings(&answer, findings);
	bool good = !answer.too_large && found == ends && !strcmp(findings, wanted);
	if (!good)
		fprintf(stderr, "driver: the oracle says %u %s and not %s", found, findings, line);
	answer_release(&answer);
	return good;
}

static bool read_known(const char *path)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	bool good = in != NULL;

	while (in && getline(&line, &size, in) > 0)
		if (*line != '#' && *line != '\n')
			good &= is_known(line);
	free(line);
	if (in)
		fclose(in);
	return good;
}

static int print_program(uint64_t seed)
{
	static struct code code;
	struct program program;
	struct answer answer;
	char tree[MAX_TREE_TEXT];

	generate(&program, seed, options.ingredients);
	program_write(&program, tree);
	print_source(stdout, &program);
	printf("/*\n%s\n", tree);
	if (!compile(&code, &program))
		return 1;
	interpret(&code, harness.max_states, &answer);
	printf("%u states%s%s%s%s%s\n%s*/\n", answer.states, answer.too_large ? ", too large" : "",
	       answer.nsites ? ", assertion" : "", answer.deadlock ? ", deadlock" : "",
	       answer.livelock ? ", livelock" : "", answer.race ? ", race" : "", answer.ends ? answer.ends : "");
	answer_release(&answer);
	return 0;
}

static const char *value_of(const char *argument, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1 : NULL;
}

/* Numbers first: a table of names and where they go. */
static bool parse_number(const char *argument)
{
	const struct {
		const char *name;
		unsigned *to;
	} numbers[] = {{"--jobs", &options.jobs},
		       {"--failures", &options.failures},
		       {"--max-states", &harness.max_states},
		       {"--max-executions", &harness.max_executions},
		       {"--max-steps", &harness.max_steps},
		       {"--thorough", &harness.thorough_every}};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const char *value = value_of(argument, numbers[i].name);
		if (!value)
			continue;
		*numbers[i].to = (unsigned)strtoul(value, NULL, 10);
		return true;
	}
	return false;
}

static bool parse(char *argument)
{
	const char *value;

	if (parse_number(argument))
		return true;
	if ((value = value_of(argument, "--inspect")))
		inspect_path = (char *)value;
	else if ((value = value_of(argument, "--include")))
		include_path = (char *)value;
	else if ((value = value_of(argument, "--programs")))
		options.programs = strtoull(value, NULL, 10);
	else if ((value = value_of(argument, "--from")))
		options.from = strtoull(value, NULL, 10);
	else if ((value = value_of(argument, "--seconds")))
		options.seconds = strtod(value, NULL);
	else if ((value = value_of(argument, "--kinds")))
		return read_kinds(value);
	else if ((value = value_of(argument, "--search")))
		return read_search(value);
	else if ((value = value_of(argument, "--kept")))
		return read_kept(value);
	else if ((value = value_of(argument, "--known")))
		return read_known(value);
	else if (!strcmp(argument, "--no-shrink"))
		options.no_shrink = true;
	else if (!strncmp(argument, "--", 2) || options.nkept == MAX_KEPT)
		return false;
	else {
		options.kept[options.nkept++] = argument;
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
	harness.inspect = realpath(inspect_path, NULL);
	harness.include = realpath(include_path, NULL);
	if (!harness.inspect || !harness.include || access(harness.inspect, X_OK)) {
		fprintf(stderr, "driver: cannot run %s, or no folder %s\n", inspect_path, include_path);
		return false;
	}
	totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (totals == MAP_FAILED || !mkdtemp(scratch)) {
		perror("driver");
		return false;
	}
	if (!options.jobs)
		options.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	harness.thorough_every += !harness.thorough_every;
	return true;
}

static void summarise(double seconds)
{
	printf("structured programs: %llu in %.0f s, %llu others left out, %llu too large;\n"
	       "  %llu with more than one end, %llu with findings, "
	       "%llu states;\n"
	       "  %llu searches, %llu not complete (%llu of them with executions too long), %llu executions;\n"
	       "  %llu livelocks of threads that write all the time, not told; %llu failed\n",
	       totals->programs, seconds, totals->left_out, totals->too_large, totals->several, totals->findings,
	       totals->states, totals->searches, totals->incomplete, totals->limits, totals->executions, totals->untold,
	       totals->failures);
}

static void remove_scratch(void)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf '%s'", scratch);
	if (system(command))
		perror("driver");
}

int main(int argc, char **argv)
{
	const char *seed = NULL;

	for (unsigned i = 0; i < INGREDIENTS; i++)
		options.ingredients |= ingredient_rows[i].by_default ? 1u << i : 0;
	for (int i = 1; i < argc; i++) {
		if (value_of(argv[i], "--print"))
			seed = value_of(argv[i], "--print");
		else if (!parse(argv[i])) {
			fprintf(stderr,
				"driver: `%s' is not understood, or cannot be read: see tests/structured/driver.c\n",
				argv[i]);
			return 2;
		}
	}
	if (seed)
		return print_program(strtoull(seed, NULL, 10));
	if (!init())
		return 4;
	double start = now();
	bool good = run_jobs();
	summarise(now() - start);
	remove_scratch();
	return good && !totals->failures && totals->programs ? 0 : 1;
}
