#define _GNU_SOURCE
#include "cli/commands.h"

#include "cli/options.h"
#include "cli/stop.h"
#include "cli/subject.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "explore/explore.h"
#include "report/format/format.h"
#include "report/story.h"
#include "result/tracefile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPLAY_WATCHDOG 10.0

struct replay_options {
	const char *trace;
	enum report_detail detail;
	bool no_cache;
};

static void print_usage(FILE *out)
{
	fputs("Usage: inspect replay [-q | -v] [--no-cache] TRACE\n"
	      "\n"
	      "Run the one interleaving that `inspect check' wrote into the file TRACE again,\n"
	      "exactly, and report what happens.  A program that was checked from its sources\n"
	      "is built again first.\n"
	      "\n"
	      "  -q, --quiet             Only the heading of the bug\n"
	      "  -v, --verbose           Every operation of a long interleaving\n"
	      "      --no-cache          Build the program even if that was done before\n"
	      "\n"
	      "Exit status: 1 the bug showed again; 0 the program ended without it; 2 the trace\n"
	      "is damaged, or the program is not the same any more; 3 it was interrupted; 4 our\n"
	      "failure.\n",
	      out);
}

/* False when help was asked for, and given. */
static bool parse(struct replay_options *options, char **arguments)
{
	*options = (struct replay_options){.detail = REPORT_NORMAL};
	for (; *arguments; arguments++) {
		if (!strcmp(*arguments, "--help") || !strcmp(*arguments, "-h")) {
			print_usage(stdout);
			return false;
		} else if (!strcmp(*arguments, "-q") || !strcmp(*arguments, "--quiet")) {
			options->detail = REPORT_BRIEF;
		} else if (!strcmp(*arguments, "-v") || !strcmp(*arguments, "--verbose")) {
			options->detail = REPORT_FULL;
		} else if (!strcmp(*arguments, "--no-cache")) {
			options->no_cache = true;
		} else if (**arguments == '-') {
			die("unknown option %s: `inspect replay --help' lists them", *arguments);
		} else if (options->trace) {
			die("one trace at a time: %s or %s", options->trace, *arguments);
		} else {
			options->trace = *arguments;
		}
	}
	if (!options->trace)
		die("no trace given; `inspect replay --help' says more");
	return true;
}

/* The program as it was when the trace was written, or the end of the command. */
static void prepare(struct subject *subject, const struct replay_options *options, struct tracefile *trace)
{
	char *program[] = {trace->program, NULL};

	invariant(trace->build && trace->args && trace->directory);
	if (chdir(trace->directory))
		die("cannot go to %s, where the program of %s was checked: %s", trace->directory, options->trace,
		    strerror(errno));
	subject_init(subject, *trace->build ? trace->build : program, trace->args, !options->no_cache);
	if (symbols_program_id(subject->symbols) != trace->program_id)
		die("the program has changed since %s was written: check it again", options->trace);
}

static uint32_t last_step(const struct execution *schedule, uint32_t thread, uint32_t site)
{
	for (uint32_t i = schedule->nevents; i > 0; i--)
		if (schedule->events[i - 1].thread == thread && schedule->events[i - 1].op.site == site)
			return i;
	return 0;
}

/* Whose call stacks are wanted: both accesses of a race, the last operation of all else. */
static void watch_steps(struct finding *finding)
{
	struct execution *schedule = &finding->execution;
	bool race = finding_table[finding->kind].key_rows == KEY_ACCESSES;

	schedule->watch[0] = race ? last_step(schedule, finding->thread, finding->site) : schedule->nevents;
	schedule->watch[1] = race ? last_step(schedule, finding->other_thread, finding->other_site) : 0;
}

/* --- the program took another way --- */

static _Noreturn void die_diverged(const struct subject *subject, const struct execution *schedule,
				   const struct execution *execution, int64_t step)
{
	struct buffer expected = {0}, actual = {0};
	struct story story = {.execution = schedule, .symbols = subject->symbols};

	invariant(step >= 0);
	if (step < schedule->nevents)
		add_operation(&expected, &story, &schedule->events[step]);
	else
		buffer_add_text(&expected, "the end");
	story.execution = execution;
	if (step < execution->nevents)
		add_operation(&actual, &story, &execution->events[step]);
	else
		buffer_add_text(&actual, execution->ending == ENDING_DIVERGED ? "another operation" : "the end");
	die("the program did not do the same again: step %" PRId64 " was `%s' when the trace was written, now: %s",
	    step + 1, buffer_text(&expected), buffer_text(&actual));
}

/* --- verdict --- */

static bool leaks_again(const struct finding *finding, const struct execution *execution)
{
	for (uint32_t i = 0; i < execution->nleaks; i++)
		if (execution->leaks[i].site == finding->site)
			return true;
	return false;
}

static bool shows_again(const struct finding *finding, const struct execution *execution)
{
	const struct execution *schedule = &finding->execution;

	if (finding->kind == FINDING_LEAK && !leaks_again(finding, execution))
		return false;
	return execution->ending == schedule->ending && execution->exit_status == schedule->exit_status &&
	       execution->signal == schedule->signal;
}

static int judge(const struct replay_options *options, const struct subject *subject, const struct finding *recorded,
		 const struct execution *execution)
{
	invariant(execution->message);
	if (shows_again(recorded, execution)) {
		struct finding finding = *recorded;
		finding.execution = *execution;
		finding.trace_path = (char *)options->trace;
		struct account account;
		account_init(&account, &finding, subject->symbols, options->detail);
		print_account(stdout, &account, options->detail);
		account_release(&account);
		printf("reproduced: the same %s again\n", finding_kind_name(finding.kind));
		return STATUS_BUG;
	}
	if (execution->ending == ENDING_EXIT) {
		printf("not reproduced: the program ended with exit status %d\n", execution->exit_status);
		return STATUS_VERIFIED;
	}
	printf("not reproduced: the same operations came to another end%s%s\n", *execution->message ? ": " : "",
	       execution->message);
	return STATUS_BUG;
}

int command_replay(char **arguments)
{
	struct replay_options options;
	struct tracefile trace;
	struct subject subject;
	struct execution execution;
	int64_t divergence;
	char *why;
	int status;

	if (!parse(&options, arguments))
		return finish_output(STATUS_VERIFIED);
	why = tracefile_read(options.trace, &trace);
	if (why)
		die("%s", why);
	prepare(&subject, &options, &trace);
	struct explore_options explore_options = {
		.run =
			{
				.program = subject.path,
				.argv = subject.argv,
				.isolation = trace.isolation,
				.modes = trace.modes,
				.max_steps = trace.max_steps,
				.watchdog = REPLAY_WATCHDOG,
				.leaks = trace.finding.kind == FINDING_LEAK,
			},
		.interrupted = &interrupted,
	};
	watch_steps(&trace.finding);
	explore_replay(&explore_options, &trace.finding.execution, &execution, &divergence);
	stop_set_reporting();
	if (divergence >= 0)
		die_diverged(&subject, &trace.finding.execution, &execution, divergence);
	status = judge(&options, &subject, &trace.finding, &execution);
	execution_release(&execution);
	subject_release(&subject);
	tracefile_release(&trace);
	return finish_output(status);
}
