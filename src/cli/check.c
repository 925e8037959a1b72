#define _GNU_SOURCE
#include "cli/commands.h"

#include "cli/options.h"
#include "cli/stop.h"
#include "cli/subject.h"
#include "cluster/share/savefile.h"
#include "cluster/cluster.h"
#include "cluster/team/team.h"
#include "common/buffer.h"
#include "common/stopping.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "execute/cores.h"
#include "explore/explore.h"
#include "explore/strategies.h"
#include "report/format/format.h"
#include "report/format/page.h"
#include "result/tracefile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "deadlocks, livelocks … and exit statuses that depend on the schedule" */
static char *kinds_of_bugs(void)
{
	const struct finding_info *info;
	struct buffer text = {0};

	for (unsigned place = 1; (info = finding_at_place(place)); place++) {
		const char *separator = place == 1 ? "" : finding_at_place(place + 1) ? ", " : " and ";
		buffer_printf(&text, "%s%s", separator, info->many);
	}
	return buffer_take(&text);
}

static void print_usage(FILE *out)
{
	char *kinds = kinds_of_bugs();
	char *what =
		xasprintf("Run a multithreaded C or C++ program through every relevant interleaving of its threads "
			  "and report %s. PROGRAM is one that was built with `inspect cc' or `inspect c++'.",
			  kinds);

	fputs("Usage: inspect check [OPTIONS] FILE.c… [COMPILER FLAGS] [-- ARGUMENTS…]\n"
	      "       inspect check [OPTIONS] PROGRAM [-- ARGUMENTS…]\n"
	      "\n",
	      out);
	options_print_wrapped(out, what);
	options_print_help(out);
	fputs("\nExit status: 0 everything explored and nothing found; 1 a bug was found; 2 wrong\n"
	      "usage, input or a compile error; 3 stopped early, nothing found; 4 our failure.\n",
	      out);
	free(kinds);
	free(what);
}

/* --- progress --- */

#define FIRST_PROGRESS 0.5 /* seconds: who is faster needs no progress line */

static bool progress_shown;

static void show_progress(const struct progress *progress)
{
	double seconds = progress->seconds > 1e-3 ? progress->seconds : 1e-3;

	stop_set_found(progress->findings > 0);
	if (progress->seconds < FIRST_PROGRESS)
		return;
	fprintf(stderr, "\r\033[K%" PRIu64 " executions (%.0f/s), depth %" PRIu32 ", %.0f s, %u finding%s",
		progress->executions, (double)(progress->executions + progress->blocked + progress->assumed) / seconds,
		progress->depth, progress->seconds, progress->findings, progress->findings == 1 ? "" : "s");
	if (progress->workers > 1)
		fprintf(stderr, ", %u of %u workers busy", progress->busy, progress->workers);
	fflush(stderr);
	progress_shown = true;
}

static void note_progress(const struct progress *progress)
{
	stop_set_found(progress->findings > 0);
}

static void erase_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

/* --- search --- */

/* LOW..HIGH */
static bool parse_range(const char *text, struct modes *modes)
{
	char *rest;

	errno = 0;
	modes->nondet_low = strtoll(text, &rest, 10);
	if (rest == text || strncmp(rest, "..", 2))
		return false;
	text = rest + 2;
	modes->nondet_high = strtoll(text, &rest, 10);
	return rest != text && !*rest && !errno && modes->nondet_low <= modes->nondet_high &&
	       modes->nondet_low >= INT32_MIN && modes->nondet_high <= UINT32_MAX &&
	       modes->nondet_high - modes->nondet_low < UINT16_MAX;
}

/* How often loops may go round for nothing instead of awaiting: an oracle is not to depend on what is thought of waiting. */
static unsigned idle_rounds(const struct check_options *options)
{
	invariant(strategy_find(options->search)); /* the parser knows no others */
	return options->stateful || options->awaits ? 0 : strategy_find(options->search)->idle_rounds;
}

static struct modes modes_of(const struct check_options *options)
{
	struct modes modes = {.timeouts = options->timeouts,
			      .spurious_wakeups = options->spurious_wakeups,
			      .idle_rounds = idle_rounds(options),
			      .nondet_high = -1};

	if (options->nondet_range && !parse_range(options->nondet_range, &modes))
		die("--nondet-range: `%s' is not a range LOW..HIGH of at most 65535 numbers", options->nondet_range);
	invariant(modes.nondet_low <= modes.nondet_high || modes.nondet_high == -1);
	return modes;
}

static struct result *search(const struct check_options *options, const struct subject *subject, bool may_want_states)
{
	bool shows = !options->quiet && !options->no_progress && isatty(STDERR_FILENO);
	struct explore_options explore_options = {
		.run =
			{
				.program = subject->path,
				.argv = subject->argv,
				.isolation = options->isolation,
				.max_steps = (uint32_t)options->max_steps,
				.watchdog = options->watchdog,
				.modes = modes_of(options),
				.no_awaits = options->no_awaits || idle_rounds(options),
				.all_visible = options->all_visible,
				.stateful = options->stateful,
				.exact_states = options->exact_states,
				.profile = options->profile,
				.leaks = options->leaks,
				.resume_points = (uint32_t)options->checkpoints,
				.seed = options->seed,
			},
		.search = options->ddpor_heuristic ? STRATEGY_DDPOR : options->search,
		.max_executions = options->max_executions,
		.max_seconds = options->max_time,
		.keep_going = options->keep_going || options->max_errors,
		.max_findings = (unsigned)options->max_errors,
		.exit_policy = options->exit_status,
		.strict = options->strict,
		.inside = options->search_place == 1,
		.may_want_states = may_want_states,
		.state_memory = (uint64_t)(options->state_memory * (1 << 20)),
		.outcomes = options->outcomes,
		.interrupted = &interrupted,
		.progress = shows ? show_progress : note_progress,
	};
	struct cluster_options cluster_options = {.jobs = options->jobs ? (unsigned)options->jobs : 1,
						  .savefile = options->checkpoint,
						  .savefile_seconds = options->checkpoint_every,
						  .resume = options->resume,
						  .worker_seconds = options->worker_timeout,
						  .is_built = inputs_have_source(options->inputs.items)};
	bool alone = options->jobs <= 1 && !options->checkpoint && !options->resume && !cluster_has_joined();
	if (alone && options->jobs)
		cores_choose(getpid() % UINT16_MAX); /* not always the same one */
	explore_options.run.shares_files = !alone;
	struct result *result = alone ? explore(&explore_options) : cluster_explore(&explore_options, &cluster_options);

	erase_progress();
	stop_set_found(result->nfindings > 0);
	stop_set_reporting();
	return result;
}

/* Has the user not asked for another search? */
static bool is_usual(const char *search)
{
	return strategy_find(search) == &strategies[0];
}

/* Where the user has left open how to search, and the program can be built in another way. */
static bool may_want_states(const struct check_options *options)
{
	return !options->stateful && is_usual(options->search) && options->jobs <= 1 && !cluster_has_joined() &&
	       !options->checkpoint && !options->resume && !options->outcomes && !options->profile &&
	       !options->max_executions && !options->no_awaits && inputs_have_source(options->inputs.items);
}

static bool stopped_for(const struct result *result, const char *why)
{
	return result->stopped && !strcmp(result->stopped, why);
}

static bool wants_states(const struct result *result)
{
	return !result->nfindings &&
	       (stopped_for(result, RESULT_WANTS_STATES) || stopped_for(result, RESULT_MANY_CUT) ||
		stopped_for(result, RESULT_CUT) || stopped_for(result, RESULT_NO_END));
}

/* Longer than the search so far, but not so long that it matters if it is in vain. */
static double seconds_for_states(const struct check_options *options, double spent)
{
	double enough = 3 * spent > 10 ? 3 * spent : 10, left = options->max_time - spent;

	invariant(spent >= 0 && enough >= 10);
	return options->max_time > 0 && left < enough ? left : enough;
}

/* The time for one search is up, or it has seen enough; the user's signal is for all of them. */
static void begin_next_search(void)
{
	stop_forget();
	if (interrupted)
		stop_ask();
}

/* The same with states; NULL if that does not come to an end. */
static struct result *search_states(struct check_options *options, struct subject *subject, double spent)
{
	struct check_options others = *options;
	struct subject other;

	others.stateful = true;
	others.max_time = seconds_for_states(options, spent);
	invariant(!options->stateful);
	if (others.max_time <= 0)
		return NULL;
	list_init(&others.inputs);
	for (char **item = options->inputs.items; *item; item++)
		list_add(&others.inputs, *item);
	list_add(&others.inputs, "--stateful"); /* and so it is built again for a replay */
	subject_init(&other, others.inputs.items, options->arguments, !options->no_cache);
	begin_next_search();
	struct result *result = search(&others, &other, false);
	bool good = ((result->complete && !result->endless && !result->weak_unsure) || result->nfindings) &&
		    !result->gave_up_states && !result->refusal;
	struct subject *useless = good ? subject : &other;
	struct list *words = good ? &options->inputs : &others.inputs;
	subject_release(useless);
	list_release(words);
	if (good) {
		*subject = other;
		options->inputs = others.inputs;
		return result;
	}
	result_free(result);
	return NULL;
}

/*
 * Plain search; where that only goes round and round, one that recognises states; where that does not help, plain search
 * to its end.
 */
static struct result *search_well(struct check_options *options, struct subject *subject)
{
	bool may = may_want_states(options);
	struct result *first = search(options, subject, may), *second;

	if (!may || !wants_states(first))
		return first;
	double began = seconds_now();
	second = search_states(options, subject, first->wall_seconds);
	if (second || !stopped_for(first, RESULT_WANTS_STATES) || interrupted) {
		if (second) {
			second->wall_seconds += first->wall_seconds;
			result_free(first);
		}
		return second ? second : first;
	}
	struct check_options rest = *options;
	double spent = first->wall_seconds + seconds_now() - began;
	if (options->max_time > 0 && spent >= options->max_time)
		return first;
	rest.max_time = options->max_time > 0 ? options->max_time - spent : 0;
	result_free(first);
	begin_next_search();
	struct result *last = search(&rest, subject, false);
	last->wall_seconds += spent;
	return last;
}

/* --- traces --- */

static bool is_device(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

/* PROGRAM.inspect, PROGRAM.2.inspect …; the same with the name that the user gave, unless it is /dev/null or a pipe. */
static char *trace_path(const struct check_options *options, const struct subject *subject, unsigned number)
{
	char *first = options->trace ? xstrdup(options->trace) : xasprintf("%s.inspect", subject->name), *path;
	size_t length = strlen(first), suffix = strlen(".inspect");

	invariant(*first);
	if (!number || is_device(first))
		return first;
	if (length > suffix && !strcmp(first + length - suffix, ".inspect"))
		path = xasprintf("%.*s.%u.inspect", (int)(length - suffix), first, number + 1);
	else
		path = xasprintf("%s.%u", first, number + 1);
	free(first);
	return path;
}

/* Everything in it is borrowed. */
static struct tracefile make_tracefile(const struct check_options *options, const struct subject *subject,
				       const struct finding *finding)
{
	bool built = inputs_have_source(options->inputs.items);

	return (struct tracefile){
		.program_id = symbols_program_id(subject->symbols),
		.program = built ? subject->name : subject->path,
		.build = options->inputs.items + (built ? 0 : options->inputs.count),
		.args = options->arguments,
		.max_steps = (uint32_t)options->max_steps,
		.isolation = options->isolation,
		.modes = modes_of(options),
		.finding = *finding,
	};
}

/* A trace that cannot be written is a pity, but no reason to keep the finding back. */
static void write_trace(const struct check_options *options, const struct subject *subject, struct finding *finding,
			unsigned number)
{
	struct tracefile trace = make_tracefile(options, subject, finding);
	char *path = trace_path(options, subject, number);

	invariant(trace.build && trace.args);
	trace.directory = getcwd(NULL, 0);
	if (trace.directory && tracefile_write(path, &trace)) {
		free(finding->trace_path);
		finding->trace_path = path;
	} else {
		warn("cannot write the trace %s: %s", path, strerror(errno));
		free(path);
	}
	free(trace.directory);
}

/* --- results --- */

static enum report_detail detail(const struct check_options *options)
{
	if (options->quiet)
		return REPORT_BRIEF;
	return options->verbose ? REPORT_FULL : REPORT_NORMAL;
}

/* The file that the report is to be written to in each format, or NULL. */
struct outputs {
	const char *paths[FORMATS];
};

static struct outputs outputs_of(const struct check_options *options)
{
	return (struct outputs){{
#define FORMAT(name, help) options->name,
#include "report/format/formats.def"
#undef FORMAT
	}};
}

/* The format that takes the place of text on standard output, or NULL. */
static const struct format *format_on_stdout(const struct outputs *outputs)
{
	for (unsigned i = 0; i < FORMATS; i++)
		if (outputs->paths[i] && !strcmp(outputs->paths[i], "-"))
			return &format_table[i];
	return NULL;
}

static bool write_file(const char *path, const struct format *format, const struct report *report)
{
	errno = 0;
	FILE *out = fopen(path, "we");
	if (!out)
		return false;
	format->print(out, report);
	bool failed = ferror(out);
	return !fclose(out) && !failed;
}

/* Returns the exit status: the given one unless a file could not be written. */
static int write_report(const struct check_options *options, const struct report *report, int status)
{
	struct outputs outputs = outputs_of(options);
	const struct format *chosen = format_on_stdout(&outputs);

	if (chosen)
		chosen->print(stdout, report);
	else
		print_text(stdout, report);
	for (unsigned i = 0; i < FORMATS; i++) {
		const char *path = outputs.paths[i];
		if (!path || &format_table[i] == chosen || write_file(path, &format_table[i], report))
			continue;
		warn("cannot write %s: %s", path, strerror(errno));
		status = status == STATUS_BUG ? STATUS_BUG : STATUS_FAILURE;
	}
	return status;
}

static int exit_status(const struct result *result)
{
	switch (result->verdict) {
	case VERDICT_VERIFIED: invariant(result->complete && !result->nfindings); return STATUS_VERIFIED;
	case VERDICT_BUG: return STATUS_BUG;
	case VERDICT_INCOMPLETE: return STATUS_INCOMPLETE;
	}
	return STATUS_FAILURE;
}

/* The program does what we have no model for: said like a compiler's error. */
static void warn_refusal(const struct result *result, const struct symbols *symbols)
{
	struct place place = symbols_site(symbols, result->refusal_site);

	if (*place.file)
		warn("%s:%u: %s", place.file, place.line, result->refusal);
	else
		warn("%s", result->refusal);
}

static int tell(const struct check_options *options, const struct subject *subject, struct result *result)
{
	int status = exit_status(result);
	struct report report;

	invariant(!result->nfindings || status == STATUS_BUG);
	for (unsigned i = 0; i < result->nwarnings; i++)
		finding_finish_message(result->warnings[i], subject->symbols);
	for (unsigned i = 0; i < result->nfindings; i++) {
		finding_finish_message(result->findings[i], subject->symbols);
		write_trace(options, subject, result->findings[i], i);
	}
	if (result->refusal)
		status = result->nfindings ? STATUS_BUG : STATUS_USAGE;
	report_init(&report, result, subject->symbols, detail(options));
	status = write_report(options, &report, status);
	report_release(&report);
	if (result->refusal)
		warn_refusal(result, subject->symbols);
	return finish_output(status);
}

/* What can be known to fail before the search should not fail after it. */
static void check_path(const char *path)
{
	char *directory;
	const char *slash;

	if (!path || !strcmp(path, "-"))
		return;
	slash = strrchr(path, '/');
	directory = slash ? strndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	bool good = !access(directory, F_OK) && !(access(path, F_OK) ? access(directory, W_OK) : access(path, W_OK));
	int error = errno;
	free(directory);
	if (!good)
		die("cannot write %s: %s", path, strerror(error));
}

static void check_outputs(const struct check_options *options)
{
	struct outputs outputs = outputs_of(options);
	const struct format *chosen = format_on_stdout(&outputs);

	check_path(options->outcomes);
	for (unsigned i = 0; i < FORMATS; i++) {
		check_path(outputs.paths[i]);
		if (outputs.paths[i] && !strcmp(outputs.paths[i], "-") && chosen != &format_table[i])
			die("standard output is for one of --%s and --%s", chosen->name, format_table[i].name);
	}
}

/* Options that do not go together. */
static void check_together(const struct check_options *options)
{
	const char *many = cluster_has_joined() ? "mpirun" : options->jobs > 1 ? "--jobs" : NULL;

	if (cluster_has_joined() && options->jobs > 1)
		die("--jobs is for workers of one machine: with mpirun, every process but the first is a worker");
	if (options->stateful && !is_usual(options->search))
		die("--stateful is a search of its own: leave --search=%s out", options->search);
	if (options->stateful && (many || options->checkpoint || options->resume))
		die("--stateful keeps its states in one process: leave %s out", many		      ? many
										: options->checkpoint ? "--checkpoint"
												      : "--resume");
	if (options->ddpor_heuristic && strcmp(options->search, "dpor"))
		die("--ddpor-heuristic is about --search=dpor: give that as well");
	if (options->profile && (many || options->checkpoint || options->resume))
		die("--profile looks at one process that does it all: leave %s out", many ? many
										     : options->checkpoint
											     ? "--checkpoint"
											     : "--resume");
	if (options->exact_states && !options->stateful)
		die("--exact-states is about states: give --stateful as well");
}

int command_check(char **arguments)
{
	struct check_options options;
	struct subject subject;
	struct result *result;
	char *why;
	int status;

	if (cluster_join(&interrupted)) {
		stop_install();
		page_set_no_terminal();
	}
	why = options_parse(&options, arguments);
	if (why)
		die("%s", why);
	if (options.help) {
		print_usage(stdout);
		options_release(&options);
		return finish_output(STATUS_VERIFIED);
	}
	check_outputs(&options);
	check_together(&options);
	if (options.stateful && inputs_have_source(options.inputs.items))
		list_add(&options.inputs, "--stateful"); /* and so it is built again for a replay */
	subject_init(&subject, options.inputs.items, options.arguments, !options.no_cache);
	result = search_well(&options, &subject);
	status = tell(&options, &subject, result);
	if (result->ended && options.checkpoint) /* not before: what was found is known only now */
		savefile_remove(options.checkpoint);
	result_free(result);
	subject_release(&subject);
	options_release(&options);
	return status;
}
