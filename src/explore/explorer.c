#include "explore/explorer.h"

#include <stdlib.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"

enum { LATE = 1000 }; /* executions after which all memory is taken for shared when some turns out to be */

static void count(struct result *result, const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_SPUN:
	case ENDING_ASLEEP: result->blocked++; break;
	case ENDING_ASSUMED: result->assumed++; break;
	default: result->executions++;
	}
	result->transitions += trace->nevents;
	invariant(trace->nthreads <= MAX_THREADS);
	if (trace->nevents > result->max_depth)
		result->max_depth = trace->nevents;
	if (trace->nthreads > result->threads)
		result->threads = trace->nthreads;
}

/* The first event that the search does not know yet: what the plan's last step leads to. */
static uint32_t first_new(const struct explorer *explorer)
{
	return explorer->plan.nsteps ? explorer->plan.nsteps - 1 : 0;
}

void explorer_begin(struct explorer *explorer)
{
	explorer->executor.channel->news = 0;
	executor_forget(&explorer->executor);
}

void explorer_restart(struct explorer *explorer, const struct strategy *strategy)
{
	struct result *result = explorer->result;

	if (result->executions > LATE) /* so much is not to be thrown away a second time */
		executor_share_memory(&explorer->executor);
	invariant(strategy);
	search_restart(&explorer->search, strategy);
	result_start_again(result);
	outcomes_release(&explorer->outcomes);
	explorer->recorder.have_exit_status = false;
	explorer->unsure = false;
	explorer->spun = explorer->dragged = explorer->shortest = 0;
	explorer_begin(explorer);
	plan_cut(&explorer->plan, 0);
}

/* Not one that another execution stands for, or that is of no interest. */
static bool is_whole(const struct trace *trace)
{
	return trace->ending != ENDING_ASLEEP && trace->ending != ENDING_SPUN && trace->ending != ENDING_ASSUMED &&
	       trace->ending != ENDING_KNOWN && trace->ending != ENDING_CYCLE;
}

static uint64_t count_all(const struct result *result)
{
	return result->executions + result->blocked + result->assumed;
}

static bool is_first(const struct result *result)
{
	return count_all(result) == 1;
}

static bool is_first_to_come(const struct result *result)
{
	return !count_all(result);
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

/* All that is known of the last execution goes back to where this one is new, or to its beginning if that came differently. */
static void begin_to_take_in(struct explorer *explorer, uint32_t common)
{
	uint32_t from = first_new(explorer);

	if (common < from) { /* nobody has seen to it that the first events are those of the last execution */
		search_forget_order(&explorer->search);
		record_forget(&explorer->recorder);
	}
	invariant(!explorer->begun);
	record_begin(&explorer->recorder, common < from ? 0 : from);
	explorer->begun = true;
}

static bool has_diverged(const struct explorer *explorer)
{
	const struct trace *trace = explorer->run.trace;

	return trace->ending == ENDING_DIVERGED || trace->nevents < explorer->plan.nsteps;
}

/* The search takes the execution in. False where stop_due(): it is as if it had not been run. */
static bool analyse(struct explorer *explorer)
{
	const struct trace *trace = explorer->run.trace;
	struct search *search = &explorer->search;
	uint32_t from = first_new(explorer);

	if (!explorer->begun)
		begin_to_take_in(explorer, explorer->run.common);
	explorer->begun = false;
	explorer->unsure |= is_lost(trace);
	search->everything = explorer->executor.channel->features & FEATURE_BLOCK_WAITS;
	search_take_in(search, trace, from);
	if (stop_due())
		return false;
	count(explorer->result, trace);
	if (trace->ending == ENDING_EXIT && (!explorer->shortest || trace->nevents < explorer->shortest))
		explorer->shortest = trace->nevents;
	explorer->spun += trace->ending == ENDING_SPUN;
	explorer->dragged += trace->turns > 0;
	explorer->stage = STAGE_ANALYSED;
	return true;
}

/* Is there something in it? */
static bool record(struct explorer *explorer)
{
	const struct trace *trace = explorer->run.trace;
	struct recorder *recorder = &explorer->recorder;
	struct search *search = &explorer->search;
	struct cycle cycle = {0};

	if (is_first(explorer->result) && trace->ending == ENDING_EXIT && !record_repetition(recorder))
		return false;
	if (search->insight.livelock)
		cycle = record_take_cycle(trace);
	bool recorded = record_execution(recorder, &search->order, first_new(explorer));
	if (recorded)
		record_meetings(recorder, &search->insight.meetings);
	record_cycle(recorder, &cycle);
	return recorded;
}

bool explorer_take_in(struct explorer *explorer)
{
	const struct trace *trace = explorer->run.trace;
	struct recorder *recorder = &explorer->recorder;
	struct search *search = &explorer->search;

	invariant(trace && trace->ending != ENDING_NONE);
	invariant(!explorer->executor.channel->news); /* what the search has seen would not be true any more */
	if (stop_due())
		return false;
	if (explorer->stage >= STAGE_TAKEN_IN)
		return true;
	if (has_diverged(explorer)) { /* it did not come to where the plan led: there is nothing to analyse */
		search->order.nraces = 0;
		record_execution(recorder, &search->order, trace->nevents);
		return false;
	}
	if (explorer->stage == STAGE_RUN) {
		if (explorer->options->outcomes && is_whole(trace))
			outcomes_add(&explorer->outcomes, &explorer->executor);
		if (!analyse(explorer))
			return false;
	}
	if (!stop_due())
		ask_again(explorer, first_new(explorer));
	return record(explorer);
}

/* --- limits --- */

static bool executions_due(const struct explorer *explorer)
{
	uint64_t limit = explorer->options->max_executions;
	const struct result *result = explorer->result;

	return limit && result->executions + result->blocked + result->assumed >= limit;
}

bool explorer_findings_due(const struct explorer *explorer)
{
	unsigned limit = explorer->options->keep_going ? explorer->options->max_findings : 1;

	return limit && explorer->result->nfindings >= limit;
}

static bool limits_due(const struct explorer *explorer)
{
	return !explorer->options->keep_going && result_cut_steps(explorer->result) >= MANY_CUT_STEPS;
}

/* Does the search get nowhere, in a way that may be the same states again and again? */
static bool states_due(const struct explorer *explorer)
{
	enum { MANY_SPUN = 2000, SHARE = 100, MANY_DRAGGED = 20, MANY = 200, TIMES_LONGER = 4, LONGER = 100 };

	if (!explorer->options->may_want_states || explorer->result->nfindings)
		return false;
	return (explorer->spun >= MANY_SPUN && explorer->spun / SHARE >= explorer->result->executions) ||
	       explorer->dragged >= MANY_DRAGGED ||
	       (explorer->result->executions >= MANY && explorer->shortest &&
		explorer->result->max_depth >= TIMES_LONGER * explorer->shortest + LONGER);
}

const char *explorer_limit(const struct explorer *explorer)
{
	if (executions_due(explorer))
		return "--max-executions reached";
	if (explorer_findings_due(explorer))
		return explorer->options->keep_going ? "--max-errors reached" : "stopped at the first finding";
	if (limits_due(explorer))
		return RESULT_MANY_CUT;
	if (states_due(explorer))
		return RESULT_WANTS_STATES;
	return NULL;
}

/* --- the guest --- */

/* Is it one that the guest can do all about, or that it has to leave as it is? */
static bool is_for_guest(const struct explorer *explorer)
{
	const struct channel *channel = explorer->executor.channel;

	return !channel->news && !channel->journal.last && !channel->plan.flags && !channel->stateful && !stop_due() &&
	       !is_first_to_come(explorer->result) && record_ends_well(&explorer->recorder, &channel->trace);
}

bool explorer_go_on(void *context)
{
	struct explorer *explorer = context;

	if (!is_for_guest(explorer))
		return false;
	executor_has_run(&explorer->executor, &explorer->run);
	if (has_diverged(explorer) || !analyse(explorer) ||
	    !record_has_nothing(&explorer->recorder, &explorer->search.order, first_new(explorer)))
		return false;
	explorer->stage = STAGE_TAKEN_IN;
	if (search_coverage(&explorer->search) == COVERAGE_LOST || explorer_limit(explorer))
		return false;
	if (!search_next(&explorer->search, &explorer->plan)) {
		if (!stop_due())
			explorer->stage = STAGE_NO_PLAN;
		return false;
	}
	explorer->stage = STAGE_RUN;
	executor_ask(&explorer->executor, &explorer->plan);
	return true;
}

void explorer_take_in_news(struct explorer *explorer)
{
	unsigned before = explorer->result->nfindings;

	record_news(&explorer->recorder);
	if (explorer->result->nfindings > before) /* the last one is the one that showed it */
		count(explorer->result, &explorer->executor.channel->trace);
}

const char *explorer_why_stopped(const struct explorer *explorer)
{
	static const char *const reasons[2][2] = {
		{"--max-time reached", "--max-time reached before a finding was confirmed, which does not count"},
		{"interrupted", "interrupted before a finding was confirmed, which does not count"},
	};

	return reasons[*explorer->options->interrupted != 0][explorer->result->unconfirmed != 0];
}

const char *explorer_why_broken(const struct explorer *explorer)
{
	if (explorer->result->refusal)
		return "the program does what is not supported";
	if (stop_due())
		return explorer_why_stopped(explorer);
	return "the program is not deterministic";
}

/* While an execution goes on its events are taken in, if it begins as the last one did. */
static void look(void *context, const struct trace *trace, uint32_t nevents)
{
	struct explorer *explorer = context;
	uint32_t from = first_new(explorer);

	if (explorer->executor.common < from)
		return;
	invariant(!explorer->begun || order_is_begun(&explorer->search.order, from));
	if (!explorer->begun) {
		begin_to_take_in(explorer, from);
		search_begin(&explorer->search, trace, from);
	}
	if (nevents <= from)
		return;
	search_look(&explorer->search, nevents);
	record_look(&explorer->recorder, trace, nevents);
}

/* What has been taken in is of no use. */
static void forget_to_look(void *context)
{
	struct explorer *explorer = context;

	explorer->begun = false;
	search_forget_begun(&explorer->search);
}

/* What the thread looks at, or writes to, for ever may only seem to be its own: others have not come to it yet. */
static void share_after_hang(struct explorer *explorer)
{
	if (explorer->executor.channel->all_shared)
		return;
	executor_share_memory(&explorer->executor);
	explorer->executor.channel->news = 1;
}

static bool has_guest(const struct explorer *explorer)
{
	return explorer->executor.channel->guest.go_on;
}

/* The process in which the guest was at work is gone: begin with the first execution again, in memory that is not spoilt. */
static void recover(struct explorer *explorer)
{
	const struct search_setup setup = explorer->search.setup;
	const struct findings_policy policy = explorer->recorder.policy;
	const struct strategy *strategy = explorer->search.strategy;
	struct result *result = explorer->result;

	memory_abandon();
	explorer->plan = (struct plan){0};
	search_init(&explorer->search, strategy, &setup);
	record_init(&explorer->recorder, &explorer->executor, result, &policy);
	result_start_again(result);
	explorer->stage = STAGE_RUN;
	explorer->unsure = explorer->begun = false;
	explorer->spun = explorer->dragged = explorer->shortest = 0;
	explorer_begin(explorer);
}

bool explorer_run(struct explorer *explorer)
{
	struct watcher watcher = {.look = look, .forget = forget_to_look, .context = explorer};

	forget_to_look(explorer);
	explorer->stage = STAGE_RUN;
	invariant(explorer->plan.sure < explorer->plan.nsteps || !explorer->plan.sure);
	bool ran;
	do {
		ran = execute(&explorer->executor, &explorer->plan, has_guest(explorer) ? NULL : &watcher,
			      &explorer->run);
		if (explorer->executor.guest_lost)
			recover(explorer);
	} while (explorer->executor.guest_lost && !stop_due());
	if (explorer->executor.guest_lost)
		return false;
	if (ran && explorer->run.trace->ending == ENDING_HANG)
		share_after_hang(explorer);
	return ran;
}

bool explorer_next(struct explorer *explorer)
{
	if (explorer->stage == STAGE_NO_PLAN)
		return false;
	return search_next(&explorer->search, &explorer->plan);
}

struct result *explorer_new_result(const struct explore_options *options, const struct strategy *strategy)
{
	struct result *result = memory_new_clear(1, sizeof *result);

	result->search = strategy->name;
	result->timeouts = options->run.modes.timeouts;
	result->idle_rounds = options->run.modes.idle_rounds;
	result->seed = options->run.seed;
	result->exit_policy = options->exit_policy;
	result->max_steps = options->run.max_steps;
	result->watchdog = options->run.watchdog;
	result->leaks = options->run.leaks;
	return result;
}

static void set_guest(struct explorer *explorer)
{
	struct guest *guest = &explorer->executor.channel->guest;

	guest->context = explorer;
	guest->go_on = explorer->search.strategy->rule ? explorer_go_on : NULL;
}

void explorer_init(struct explorer *explorer, const struct explore_options *options, const struct strategy *strategy)
{
	*explorer = (struct explorer){.options = options, .result = explorer_new_result(options, strategy)};
	executor_start(&explorer->executor, &options->run);
	explorer->start = seconds_now();
	search_init(&explorer->search, strategy,
		    &(struct search_setup){.channel = explorer->executor.channel,
					   .state_memory = options->state_memory,
					   .keep_going = options->keep_going});
	record_init(&explorer->recorder, &explorer->executor, explorer->result,
		    &(struct findings_policy){.exit_policy = options->exit_policy,
					      .strict = options->strict,
					      .interrupted = options->interrupted});
	if (options->run.guest)
		set_guest(explorer);
}

void explorer_release(struct explorer *explorer)
{
	search_release(&explorer->search); /* part of it may be in the channel */
	executor_stop(&explorer->executor);
	record_release(&explorer->recorder);
	outcomes_release(&explorer->outcomes);
	plan_release(&explorer->plan);
}
