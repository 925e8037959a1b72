#include "explore/explore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "explore/explorer.h"
#include "explore/strategies.h"
#include "execute/facts.h"
#include "execute/guest.h"

#define PROGRESS_SECONDS 0.2

/* --- why to stop --- */

static bool time_due(const struct explorer *explorer, double now)
{
	return explorer->options->max_seconds > 0 && now - explorer->start >= explorer->options->max_seconds;
}

static const char *stop_reason(const struct explorer *explorer, double now)
{
	return stop_due() || time_due(explorer, now) ? explorer_why_stopped(explorer) : explorer_limit(explorer);
}

/* --- the loop --- */

static void show_progress(struct explorer *explorer, double now)
{
	const struct result *result = explorer->result;
	static double shown;

	if (!explorer->options->progress || now - shown < PROGRESS_SECONDS)
		return;
	shown = now;
	struct progress progress = {.executions = result->executions,
				    .blocked = result->blocked,
				    .assumed = result->assumed,
				    .transitions = result->transitions,
				    .depth = explorer->run.trace ? explorer->run.trace->nevents : 0,
				    .seconds = now - explorer->start,
				    .findings = result->nfindings};
	explorer->options->progress(&progress);
}

/* The search cannot go on, and another one starts from the beginning. */
static void search_instead(struct explorer *explorer)
{
	const struct strategy *instead = explorer->search.strategy->instead;

	invariant(instead);
	explorer->result->gave_up_states = explorer->search.lost;
	explorer->result->search = instead->name;
	explorer->executor.channel->stateful = 0;
	explorer_restart(explorer, instead);
}

/* The strategy has no more plans: what does that mean? */
static void conclude(struct explorer *explorer)
{
	struct result *result = explorer->result;
	enum coverage coverage = search_coverage(&explorer->search);

	invariant(coverage != COVERAGE_LOST);
	result->complete = coverage == COVERAGE_ALL && !explorer->unsure;
	if (coverage == COVERAGE_PART)
		result->stopped = "this search does not explore everything";
	else if (!result->complete)
		result->stopped = RESULT_UNSURE;
}

/* Something may be shown while the program runs by itself. */
static void on_wait(void *context)
{
	show_progress(context, seconds_now());
}

static void search_loop(struct explorer *explorer)
{
	struct channel *channel = explorer->executor.channel;
	struct result *result = explorer->result;

	explorer->executor.onlooker = (struct onlooker){.look = on_wait, .context = explorer};
	for (;;) {
		double now = seconds_now();
		show_progress(explorer, now);
		result->stopped = stop_reason(explorer, now);
		if (result->stopped)
			return;
		bool ran = explorer_run(explorer), news = ran && channel->news;
		bool taken = ran && !news && explorer_take_in(explorer);
		if (news)
			explorer_take_in_news(explorer);
		if (stop_due())
			continue; /* what was found so far counts, and nothing else */
		if (channel->news) { /* also when an execution that confirms a finding brings them */
			if (!explorer_findings_due(explorer))
				explorer_restart(explorer, explorer->search.strategy);
			continue;
		}
		if (!taken) {
			result->stopped = explorer_why_broken(explorer);
			return;
		}
		if (search_coverage(&explorer->search) == COVERAGE_LOST) {
			search_instead(explorer);
			continue;
		}
		if (!explorer_next(explorer) && !stop_due()) {
			conclude(explorer);
			return;
		}
	}
}

/* Nobody knows what would have come after the end of an execution that was not its own. */
static bool was_cut(const struct result *result)
{
	for (unsigned i = 0; i < result->nfindings; i++)
		if (result->findings[i]->execution.ending == ENDING_KILLED)
			return true;
	return result->nlimits;
}

/* Those that were not seen since the search has started again. */
static void count_once(struct finding **findings, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!findings[i]->count)
			findings[i]->count = 1;
}

void result_conclude(struct result *result)
{
	count_once(result->findings, result->nfindings);
	count_once(result->warnings, result->nwarnings);
	if (result->complete && was_cut(result)) {
		result->complete = false;
		result->stopped = RESULT_CUT;
	}
	if (result->complete && result->blocked && !result->executions && !result->assumed) {
		result->complete = false;
		result->stopped = RESULT_NO_END;
	}
	invariant(!result->complete || !result->stopped);
	if (result->nfindings)
		result->verdict = VERDICT_BUG;
	else
		result->verdict = result->complete ? VERDICT_VERIFIED : VERDICT_INCOMPLETE;
	invariant(result->verdict != VERDICT_VERIFIED || (!was_cut(result) && !result->nfindings));
}

/*
 * A search that keeps states has them in the channel, and outcomes are files: both stay with the explorer. So does what tests
 * ask for.
 */
static bool may_have_guest(const struct explore_options *options, const struct strategy *strategy)
{
	return options->inside && guest_is_possible() && strategy->rule && !options->outcomes &&
	       !options->run.exact_states && options->run.isolation == ISOLATION_SNAPSHOT;
}

/* What others read while they have the search as a guest is in its memory. */
static struct explorer *new_explorer(const struct explore_options *options, const struct strategy *strategy)
{
	bool guest = may_have_guest(options, strategy) && memory_share();
	struct explorer *explorer = memory_new_clear(1, sizeof *explorer);
	struct explore_options *own = memory_new(sizeof *own);
	*own = *options;
	own->run.guest = guest;
	explorer_init(explorer, own, strategy);
	return explorer;
}

static void free_explorer(struct explorer *explorer)
{
	explorer_release(explorer);
	memory_free((void *)explorer->options);
	memory_free(explorer);
}

struct result *explore(const struct explore_options *options)
{
	const struct strategy *strategy = strategy_find(options->run.stateful ? STRATEGY_STATEFUL : options->search);

	if (!strategy)
		die("there is no search strategy `%s'", options->search);
	stop_ask_after(options->max_seconds);
	struct explorer *explorer = new_explorer(options, strategy);
	search_loop(explorer);
	stop_ask_after(0);
	struct result *result = explorer->result;
	result->wall_seconds = seconds_now() - explorer->start;
	result->stateful = options->run.stateful;
	if (explorer->search.strategy->figures)
		explorer->search.strategy->figures(&explorer->search, result);
	result->profiled = options->run.profile;
	if (options->run.profile)
		result->shares = executor_shares(&explorer->executor, result->wall_seconds);
	result_conclude(result);
	if (options->outcomes && !outcomes_write(&explorer->outcomes, options->outcomes))
		warn("cannot write %s: %s", options->outcomes, strerror(errno));
	free_explorer(explorer);
	return result;
}

/* --- replay --- */

static int64_t first_difference(const struct trace *trace, const struct event *events, uint32_t nevents)
{
	if (trace->ending == ENDING_DIVERGED)
		return trace->divergence;
	for (uint32_t i = 0; i < nevents; i++) {
		if (i >= trace->nevents)
			return i;
		const struct event *a = &trace->events[i], *b = &events[i];
		if (a->thread != b->thread || a->op.kind != b->op.kind || a->op.site != b->op.site ||
		    a->op.object != b->op.object)
			return i;
	}
	return -1;
}

/* The channel as it was when the schedule was found. */
static void set_up_replay(struct channel *channel, const struct execution *schedule)
{
	invariant(schedule->nthreads && schedule->nthreads <= MAX_THREADS);
	invariant(schedule->nawait_locations <= MAX_AWAIT_LOCATIONS);
	channel->nnames = schedule->nthreads;
	channel->features = schedule->features;
	memcpy(channel->names, schedule->names, schedule->nthreads * sizeof *schedule->names);
	for (uint32_t i = 0; i < schedule->nshared; i++)
		facts_share(channel, schedule->shared[i]);
	channel->nawait_locations = schedule->nawait_locations;
	for (uint32_t i = 0; i < schedule->nawait_locations; i++)
		channel->await_locations[i] = schedule->await_locations[i];
	for (uint32_t i = 0; i < schedule->nawait_sites; i++)
		facts_await(channel, schedule->await_sites[i]);
}

static void plan_schedule(struct plan *plan, const struct execution *schedule)
{
	for (uint32_t i = 0; i < schedule->nevents; i++)
		plan_add(plan, event_step(&schedule->events[i]));
	plan->flags = schedule->ending == ENDING_STOPPED ? PLAN_VALUES | PLAN_STOP : PLAN_VALUES;
	memcpy(plan->watch, schedule->watch, sizeof plan->watch);
}

void explore_replay(const struct explore_options *options, const struct execution *schedule,
		    struct execution *execution, int64_t *divergence)
{
	struct executor executor;
	struct plan plan = {0};
	struct run run;

	executor_start(&executor, &options->run);
	set_up_replay(executor.channel, schedule);
	plan_schedule(&plan, schedule);
	if (!execute(&executor, &plan, NULL, &run)) {
		warn("interrupted");
		run_cleanups();
		exit(STATUS_INCOMPLETE);
	}
	*divergence = first_difference(run.trace, schedule->events, schedule->nevents);
	executor_keep(&executor, execution);
	executor_stop(&executor);
	plan_release(&plan);
}
