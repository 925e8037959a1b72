#include "explore/explore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/trouble.h"
#include "explore/checkpoints.h"
#include "explore/executor.h"
#include "explore/outcomes.h"
#include "explore/record.h"
#include "explore/second_opinion.h"
#include "explore/strategy.h"

#define PROGRESS_SECONDS 0.2
enum { LATE = 1000 }; /* executions after which all memory is taken for shared when some turns out to be */

struct explorer {
	const struct explore_options *options;
	struct executor executor;
	struct search search;
	struct recorder recorder;
	struct result *result;
	struct outcomes outcomes;
	struct second_opinion second;
	struct checkpoints checkpoints;
	uint32_t same; /* the first steps of the plan that the last execution took as well */
	double start, shown;
	bool unsure; /* an execution was abandoned that may not have been redundant */
};

/* --- why to stop --- */

static bool interrupt_due(const struct explorer *explorer)
{
	return *explorer->options->interrupted != 0;
}

static bool executions_due(const struct explorer *explorer)
{
	uint64_t limit = explorer->options->max_executions;

	return limit && explorer->result->executions + explorer->result->blocked >= limit;
}

static bool time_due(const struct explorer *explorer, double now)
{
	return explorer->options->max_seconds > 0 && now - explorer->start >= explorer->options->max_seconds;
}

static bool findings_due(const struct explorer *explorer)
{
	unsigned limit = explorer->options->keep_going ? explorer->options->max_findings : 1;

	return limit && explorer->result->nfindings >= limit;
}

static const char *stop_reason(const struct explorer *explorer, double now)
{
	if (interrupt_due(explorer))
		return "interrupted";
	if (executions_due(explorer))
		return "--max-executions reached";
	if (time_due(explorer, now))
		return "--max-time reached";
	if (findings_due(explorer))
		return explorer->options->keep_going ? "--max-errors reached" : "stopped at the first finding";
	return NULL;
}

/* --- the loop --- */

static void show_progress(struct explorer *explorer, double now)
{
	const struct result *result = explorer->result;

	if (!explorer->options->progress || now - explorer->shown < PROGRESS_SECONDS)
		return;
	explorer->shown = now;
	struct progress progress = {.executions = result->executions,
				    .blocked = result->blocked,
				    .transitions = result->transitions,
				    .depth = explorer->executor.channel->trace.nevents,
				    .seconds = now - explorer->start,
				    .findings = result->nfindings};
	explorer->options->progress(&progress);
}

static void count(struct result *result, const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_SPUN:
	case ENDING_ASLEEP: result->blocked++; break;
	case ENDING_ASSUMED: result->assumed++; break;
	default: result->executions++;
	}
	result->transitions += trace->nevents;
	if (trace->nevents > result->max_depth)
		result->max_depth = trace->nevents;
	if (trace->nthreads > result->threads)
		result->threads = trace->nthreads;
}

static void plan_from_start(struct plan *plan)
{
	plan->nsteps = 0;
	plan->nguided = 0;
	plan->sleep = 0;
	plan->flags = PLAN_UNCHECKED;
}

static void forget_findings(struct result *result)
{
	for (unsigned i = 0; i < result->nfindings; i++)
		finding_free(result->findings[i]);
	result->nfindings = result->nnotes = 0;
}

/* What was explored so far does not count: memory thought private turned out to be shared, or the like. */
static void start_again(struct explorer *explorer)
{
	struct result *result = explorer->result;

	if (result->executions > LATE) /* so much is not to be thrown away a second time */
		executor_share_memory(&explorer->executor);
	search_clear(&explorer->search);
	result->executions = result->blocked = result->assumed = result->transitions = 0;
	result->max_depth = 0;
	outcomes_release(&explorer->outcomes);
	explorer->recorder.have_exit_status = false;
	explorer->unsure = false;
	explorer->executor.channel->news = 0;
	explorer->same = 0;
	plan_from_start(&explorer->executor.channel->plan);
}

/* The search cannot keep the program's states any longer: it starts again without. */
static void give_up_states(struct explorer *explorer, const char *why)
{
	search_release(&explorer->search);
	search_init(&explorer->search, &strategy_optimal);
	explorer->executor.channel->stateful = 0;
	explorer->result->gave_up_states = why;
	explorer->result->search = strategy_optimal.name;
	start_again(explorer);
}

static bool states_are_lost(struct explorer *explorer)
{
	const struct search_states *states = &explorer->search.states;

	if (!states->full && !states->inexact)
		return false;
	give_up_states(explorer, states->full ? "there was no room for more states (--state-memory)"
					      : "states that seemed to be the same were not");
	return true;
}

/* Not one that another execution stands for, or that is of no interest. */
static bool is_whole(const struct trace *trace)
{
	return trace->ending != ENDING_ASLEEP && trace->ending != ENDING_SPUN && trace->ending != ENDING_ASSUMED;
}

static bool is_first(const struct result *result)
{
	return result->executions + result->blocked + result->assumed == 1;
}

/* In builds for tests: what was computed step by step must be what comes of looking at the whole. */
static void ask_again(struct explorer *explorer, uint32_t from)
{
	const struct order *order = &explorer->search.order;

	if (!second_opinion_due(&explorer->second, order->trace))
		return;
	char *wrong = second_opinion(order, from);
	if (wrong)
		failure("the second opinion on an execution differs: %s", wrong);
}

/*
 * A thread that went round a loop for nothing has been left behind, and then time passed because
 * nobody could go on.  There is no execution in which the thread comes later: time does not pass
 * while it can move.
 */
static bool is_lost(const struct trace *trace)
{
	for (uint32_t i = 0; trace->ending == ENDING_SPUN && i < trace->nevents; i++)
		if (event_is(trace->events[i].op.kind, EV_QUIET))
			return true;
	return false;
}

/* Take in the execution that has just ended; false when the search cannot go on. */
static bool take_in(struct explorer *explorer)
{
	const struct trace *trace = &explorer->executor.channel->trace;
	struct recorder *recorder = &explorer->recorder;
	uint32_t from = explorer->search.nnodes ? explorer->search.nnodes - 1 : 0;

	recorder->replayed = false;
	if (trace->ending == ENDING_DIVERGED || trace->nevents < explorer->search.nnodes) {
		/* it did not come to where the plan led: there is nothing to analyse */
		explorer->search.order.nraces = 0;
		record_execution(recorder, &explorer->search.order, trace->nevents);
		return false;
	}
	if (explorer->executor.channel->plan.flags & PLAN_UNCHECKED) {
		/* nobody has seen to it that the first events are those of the last execution */
		order_forget(&explorer->search.order);
		record_forget(recorder);
	}
	count(explorer->result, trace);
	explorer->unsure |= is_lost(trace);
	if (explorer->options->outcomes && is_whole(trace))
		outcomes_add(&explorer->outcomes, &explorer->executor);
	explorer->search.everything = explorer->executor.channel->features & FEATURE_BLOCK_WAITS;
	search_analyse(&explorer->search, trace);
	ask_again(explorer, from);
	if (is_first(explorer->result) && trace->ending == ENDING_EXIT && !record_repetition(recorder))
		return false;
	if (!record_execution(recorder, &explorer->search.order, from))
		return false;
	if (explorer->search.states.livelock)
		record_cycle(recorder);
	return true;
}

static const char *why_broken(const struct explorer *explorer)
{
	if (explorer->result->refusal)
		return "the program does what is not supported";
	if (interrupt_due(explorer))
		return "interrupted";
	return "the program is not deterministic";
}

/*
 * Run the plan; once more if the executor was killed: that may have come from outside.
 * What kills itself will do so again.
 */
static bool run_plan(struct explorer *explorer)
{
	struct channel *channel = explorer->executor.channel;

	checkpoints_plan(&explorer->checkpoints, &channel->plan, explorer->same);
	bool ran = executor_run(&explorer->executor);
	checkpoints_forget_plan(&channel->plan);
	if (ran && channel->trace.ending == ENDING_KILLED) {
		channel->plan.flags |= PLAN_UNCHECKED;
		ran = executor_run(&explorer->executor);
	}
	return ran;
}

static void search_loop(struct explorer *explorer)
{
	struct channel *channel = explorer->executor.channel;
	struct result *result = explorer->result;

	plan_from_start(&channel->plan);
	for (;;) {
		double now = seconds_now();
		show_progress(explorer, now);
		result->stopped = stop_reason(explorer, now);
		if (result->stopped)
			return;
		if (!run_plan(explorer)) {
			result->stopped = "interrupted";
			return;
		}
		bool taken = channel->news || take_in(explorer);
		if (channel->news) { /* also when an execution that confirms a finding brings them */
			forget_findings(result);
			start_again(explorer);
			continue;
		}
		if (!taken) {
			result->stopped = why_broken(explorer);
			return;
		}
		bool replayed = explorer->recorder.replayed; /* which left another plan, and maybe another trace */
		if (replayed)
			explorer->search.nplanned = 0;
		if (states_are_lost(explorer))
			continue;
		if (!search_next(&explorer->search, &channel->plan)) {
			result->complete = !explorer->unsure;
			if (explorer->unsure)
				result->stopped =
					"a loop looks at several places, and a time limit was reached meanwhile";
			return;
		}
		explorer->same = replayed ? 0 : channel->plan.nsteps - 1;
		if (replayed)
			channel->plan.flags |= PLAN_UNCHECKED;
	}
}

static void conclude(struct result *result)
{
	if (result->nfindings)
		result->verdict = VERDICT_BUG;
	else
		result->verdict = result->complete ? VERDICT_VERIFIED : VERDICT_INCOMPLETE;
	for (unsigned i = 0; i < result->nfindings && result->complete; i++) {
		uint32_t ending = result->findings[i]->recording.ending;
		if (ending != ENDING_STEPS && ending != ENDING_HANG && ending != ENDING_KILLED)
			continue;
		result->complete = false;
		result->stopped = "an execution was cut short";
	}
}

struct result *explore(const struct explore_options *options)
{
	struct explorer explorer = {.options = options, .start = seconds_now()};
	const struct strategy *strategy = options->stateful ? &strategy_stateful : strategy_find(options->search);

	if (!strategy)
		die("there is no search strategy `%s'", options->search);
	explorer.result = xcalloc(1, sizeof *explorer.result);
	explorer.result->search = strategy->name;
	explorer.result->timeouts = options->modes.timeouts;
	explorer.result->seed = options->seed;
	explorer.result->exit_policy = options->exit_policy;
	explorer.result->leaks = options->leaks;
	executor_start(&explorer.executor, options);
	if (options->isolation == ISOLATION_SNAPSHOT && !options->exact_states)
		explorer.checkpoints.distance = options->checkpoints;
	explorer.start = seconds_now();
	explorer.search.channel = explorer.executor.channel;
	explorer.search.state_memory = options->state_memory;
	search_init(&explorer.search, strategy);
	explorer.recorder = (struct recorder){.executor = &explorer.executor,
					      .options = options,
					      .result = explorer.result,
					      .weak = weak_new()};
	history_init(&explorer.recorder.history);
	search_loop(&explorer);
	explorer.result->wall_seconds = seconds_now() - explorer.start;
	explorer.result->stateful = options->stateful;
	explorer.result->states = explorer.search.states.count;
	explorer.result->state_hits = explorer.search.states.hits;
	explorer.result->state_bytes = explorer.search.states.bytes;
	explorer.result->weak_unsure = explorer.search.states.weak;
	explorer.result->profiled = options->profile;
	if (options->profile)
		explorer.result->shares = executor_shares(&explorer.executor, explorer.result->wall_seconds);
	search_release(&explorer.search); /* part of it may be in the channel */
	executor_stop(&explorer.executor);
	weak_free(explorer.recorder.weak);
	history_release(&explorer.recorder.history);
	conclude(explorer.result);
	if (options->outcomes && !outcomes_write(&explorer.outcomes, options->outcomes))
		warn("cannot write %s: %s", options->outcomes, strerror(errno));
	outcomes_release(&explorer.outcomes);
	return explorer.result;
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
static void set_up_replay(struct channel *channel, const struct recording *schedule)
{
	struct plan *plan = &channel->plan;

	channel->nnames = schedule->nthreads;
	channel->features = schedule->features;
	memcpy(channel->names, schedule->names, schedule->nthreads * sizeof *schedule->names);
	for (uint32_t i = 0; i < schedule->nshared; i++)
		if (schedule->shared[i].thread == SHARED_MEMORY)
			channel->owners[schedule->shared[i].piece] = OWNER_SHARED;
		else
			share_piece(channel, schedule->shared[i].thread, schedule->shared[i].piece);
	channel->nawait_locations = schedule->nawait_locations;
	for (uint32_t i = 0; i < schedule->nawait_locations; i++)
		channel->await_locations[i] = schedule->await_locations[i];
	for (uint32_t i = 0; i < schedule->nawait_sites; i++)
		channel->await_sites[schedule->await_sites[i] / 8] |= (uint8_t)(1u << schedule->await_sites[i] % 8);
	plan->nsteps = schedule->nevents;
	plan->nguided = 0;
	plan->flags = PLAN_VALUES | PLAN_UNCHECKED;
	memcpy(plan->watch, schedule->watch, sizeof plan->watch);
	if (schedule->ending == ENDING_STOPPED)
		plan->flags |= PLAN_STOP;
	for (uint32_t i = 0; i < schedule->nevents; i++)
		plan->steps[i] =
			(struct step){.thread = schedule->events[i].thread, .choice = schedule->events[i].choice};
}

void explore_replay(const struct explore_options *options, const struct recording *schedule,
		    struct recording *recording, int64_t *divergence)
{
	struct executor executor;

	executor_start(&executor, options);
	set_up_replay(executor.channel, schedule);
	if (!executor_run(&executor))
		die("interrupted");
	*divergence = first_difference(&executor.channel->trace, schedule->events, schedule->nevents);
	record_trace(&executor, recording);
	executor_stop(&executor);
}
