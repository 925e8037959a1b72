#include "search/explorer.h"

#include <stdlib.h>

#include "common/stopping.h"
#include "common/trouble.h"

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
	if (trace->nevents > result->max_depth)
		result->max_depth = trace->nevents;
	if (trace->nthreads > result->threads)
		result->threads = trace->nthreads;
}

void explorer_plan_start(struct explorer *explorer)
{
	struct plan *plan = &explorer->executor.channel->plan;

	plan->nsteps = 0;
	plan->nguided = 0;
	plan->sleep = 0;
	plan->flags = PLAN_UNCHECKED;
}

void explorer_begin(struct explorer *explorer)
{
	explorer->executor.channel->news = 0;
	explorer->same = 0;
	explorer->search.nplanned = 0;
}

void explorer_start_again(struct explorer *explorer)
{
	struct result *result = explorer->result;

	if (result->executions > LATE) /* so much is not to be thrown away a second time */
		executor_share_memory(&explorer->executor);
	search_clear(&explorer->search);
	result_start_again(result);
	outcomes_release(&explorer->outcomes);
	explorer->recorder.have_exit_status = false;
	explorer->unsure = false;
	explorer->spun = explorer->dragged = explorer->shortest = 0;
	explorer_begin(explorer);
	explorer_plan_start(explorer);
}

/* Not one that another execution stands for, or that is of no interest. */
static bool is_whole(const struct trace *trace)
{
	return trace->ending != ENDING_ASLEEP && trace->ending != ENDING_SPUN && trace->ending != ENDING_ASSUMED &&
	       trace->ending != ENDING_KNOWN && trace->ending != ENDING_CYCLE;
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

bool explorer_take_in(struct explorer *explorer)
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
	explorer->cut = ending_is_cut(trace->ending);
	explorer->unsure |= is_lost(trace);
	if (explorer->options->outcomes && is_whole(trace))
		outcomes_add(&explorer->outcomes, &explorer->executor);
	explorer->unsure |= explorer->search.states.timed_out && explorer->search.states.spun;
	explorer->search.everything = explorer->executor.channel->features & FEATURE_BLOCK_WAITS;
	search_analyse(&explorer->search, trace);
	if (!stop_due())
		ask_again(explorer, from);
	if (stop_due())
		return false; /* as if it had not been run */
	count(explorer->result, trace);
	if (trace->ending == ENDING_EXIT && (!explorer->shortest || trace->nevents < explorer->shortest))
		explorer->shortest = trace->nevents;
	explorer->spun += trace->ending == ENDING_SPUN;
	explorer->dragged += trace->turns > 0;
	if (is_first(explorer->result) && trace->ending == ENDING_EXIT && !record_repetition(recorder))
		return false;
	struct cycle cycle = {0};
	if (explorer->search.states.livelock)
		cycle = record_take_cycle(trace);
	bool recorded = record_execution(recorder, &explorer->search.order, from);
	if (recorded)
		record_meetings(recorder, &explorer->search.states.meetings);
	record_cycle(recorder, &cycle);
	return recorded;
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

/*
 * While an execution goes on its events are taken in: they do not change any more when there is another after them.
 * (What the executor sets in an event after it has taken effect comes before the next event.)
 */
static void follow(void *context)
{
	struct explorer *explorer = context;
	struct recorder *recorder = &explorer->recorder;
	const struct trace *trace = &explorer->executor.channel->trace;
	uint32_t nevents = __atomic_load_n(&trace->nevents, __ATOMIC_ACQUIRE);

	if (!recorder->following) {
		recorder->following = true;
		history_back(&recorder->history, explorer->search.nnodes - 1);
		search_begin(&explorer->search, trace);
	}
	if (nevents <= explorer->search.nnodes)
		return;
	search_follow(&explorer->search, trace, nevents - 1);
	history_follow(&recorder->history, trace, nevents - 1);
}

/* What has been taken in is of no use. */
static void forget_to_follow(struct explorer *explorer)
{
	explorer->recorder.following = false;
	order_give_up(&explorer->search.order);
}

/* Only where it begins with what is known. */
static void begin_to_follow(struct explorer *explorer)
{
	forget_to_follow(explorer);
	if (explorer->executor.channel->plan.flags & PLAN_UNCHECKED)
		return;
	explorer->executor.meanwhile = follow;
	explorer->executor.context = explorer;
}

/* What the thread looks at, or writes to, for ever may only seem to be its own: others have not come to it yet. */
static void share_after_hang(struct explorer *explorer)
{
	if (explorer->executor.channel->all_shared)
		return;
	executor_share_memory(&explorer->executor);
	explorer->executor.channel->news = 1;
}

/*
 * Run the plan; once more if the executor was killed: that may have come from outside.
 * What kills itself will do so again.
 */
bool explorer_run(struct explorer *explorer)
{
	struct channel *channel = explorer->executor.channel;

	checkpoints_plan(&explorer->checkpoints, &channel->plan, explorer->same);
	if (explorer->checkpoints.distance && !(channel->plan.flags & PLAN_UNCHECKED))
		channel->plan.sure = search_sure_steps(&explorer->search);
	begin_to_follow(explorer);
	bool ran = executor_run(&explorer->executor);
	if (!explorer->executor.meanwhile) /* perhaps no longer: it took two attempts */
		forget_to_follow(explorer);
	explorer->executor.meanwhile = NULL;
	checkpoints_forget_plan(&channel->plan);
	if (ran && channel->trace.ending == ENDING_KILLED) {
		channel->plan.flags |= PLAN_UNCHECKED;
		ran = executor_run(&explorer->executor);
	}
	if (ran && channel->trace.ending == ENDING_HANG)
		share_after_hang(explorer);
	return ran;
}

bool explorer_next(struct explorer *explorer)
{
	struct channel *channel = explorer->executor.channel;
	bool replayed = explorer->recorder.replayed; /* which left another plan, and maybe another trace */

	if (replayed)
		explorer->search.nplanned = 0;
	if (explorer->cut && !explorer->options->keep_going)
		search_give_up_end(&explorer->search);
	if (!search_next(&explorer->search, &channel->plan))
		return false;
	explorer->same = replayed ? 0 : channel->plan.nsteps - 1;
	if (replayed)
		channel->plan.flags |= PLAN_UNCHECKED;
	return true;
}

struct result *explorer_new_result(const struct explore_options *options, const struct strategy *strategy)
{
	struct result *result = xcalloc(1, sizeof *result);

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

void explorer_init(struct explorer *explorer, const struct explore_options *options, const struct strategy *strategy)
{
	*explorer = (struct explorer){.options = options, .result = explorer_new_result(options, strategy)};
	executor_start(&explorer->executor, &options->run);
	if (options->run.isolation == ISOLATION_SNAPSHOT && !options->run.exact_states)
		explorer->checkpoints.distance = options->checkpoints;
	explorer->start = seconds_now();
	explorer->search.channel = explorer->executor.channel;
	explorer->search.state_memory = options->state_memory;
	explorer->search.all_states = options->paper_heuristic;
	search_init(&explorer->search, strategy);
	explorer->recorder = (struct recorder){.executor = &explorer->executor,
					       .policy = {.exit_policy = options->exit_policy,
							  .strict = options->strict,
							  .interrupted = options->interrupted},
					       .result = explorer->result,
					       .weak = weak_new()};
	history_init(&explorer->recorder.history);
	explorer_plan_start(explorer);
}

void explorer_release(struct explorer *explorer)
{
	search_release(&explorer->search); /* part of it may be in the channel */
	executor_stop(&explorer->executor);
	weak_free(explorer->recorder.weak);
	history_release(&explorer->recorder.history);
	outcomes_release(&explorer->outcomes);
}
