#define _GNU_SOURCE
#include "findings/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"

/* --- the list --- */

void record_count(const struct recorder *recorder, struct finding *known)
{
	const struct result *result = recorder->result;
	uint64_t number = result->executions + result->blocked + result->assumed;

	known->count += known->last_seen != number;
	known->last_seen = number;
}

struct finding *record_find_known(const struct recorder *recorder, const struct finding *wanted)
{
	return result_find(recorder->result, wanted);
}

static uint32_t count_preemptions(const struct execution *execution)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < execution->nevents; i++) {
		const struct event *event = &execution->events[i];
		unsigned before = execution->events[i - 1].thread;
		count += !event->forced && event->thread != before && (event->enabled >> before & 1);
	}
	return count;
}

void record_add(struct recorder *recorder, struct finding *finding)
{
	invariant(!finding->execution.events); /* it gets one now */
	executor_keep(recorder->executor, &finding->execution);
	finding->preemptions = count_preemptions(&finding->execution);
	invariant(finding->preemptions < finding->execution.nevents || !finding->preemptions);
	record_count(recorder, finding);
	result_add(recorder->result, finding);
}

struct finding *record_make(enum finding_kind kind, uint32_t thread, uint32_t site, char *message)
{
	struct finding *finding = xcalloc(1, sizeof *finding);

	invariant(kind < FINDING_KINDS);
	invariant(thread < MAX_THREADS);
	invariant(message);
	*finding = (struct finding){.kind = kind,
				    .message = message,
				    .thread = thread,
				    .site = site,
				    .other_thread = thread,
				    .other_site = site};
	return finding;
}

/* --- nondeterminism --- */

static struct finding *describe_divergence(const struct trace *trace)
{
	const struct event *got = &trace->diverged;
	const struct event *expected = &trace->events[trace->divergence];
	char *message;

	if (trace->ending != ENDING_DIVERGED) {
		uint32_t thread = trace->nevents ? trace->events[trace->nevents - 1].thread : 0;
		return record_make(FINDING_NONDETERMINISM, thread, trace->site,
				   xasprintf("the same schedule ended differently the second time, after %u operations",
					     trace->nevents));
	}
	/* what was to come is still there, behind what came */
	invariant(trace->divergence <= trace->nevents);
	message = xasprintf("the same schedule led to a different operation: step %u was `%s' and is now `%s'",
			    trace->divergence + 1, event_table[expected->op.kind].name, event_table[got->op.kind].name);
	struct finding *finding = record_make(FINDING_NONDETERMINISM, got->thread, got->op.site, message);
	finding->other_thread = expected->thread;
	finding->other_site = expected->op.site;
	return finding;
}

void record_nondeterminism(struct recorder *recorder)
{
	if (recorder->executor->channel->news)
		return; /* which is why it is different: the search starts again */
	struct finding *finding = describe_divergence(&recorder->executor->channel->trace);
	struct finding *known = record_find_known(recorder, finding);

	if (known) {
		record_count(recorder, known);
		finding_free(finding);
		return;
	}
	record_add(recorder, finding);
}

/* --- replaying --- */

bool record_run(struct recorder *recorder)
{
	enum { TURNS = 8 };
	struct channel *channel = recorder->executor->channel;
	uint32_t news = channel->news, turns = 0;
	struct run run;
	bool ran, fresh;

	invariant(recorder->plan.flags & PLAN_VALUES);
	do {
		channel->news = 0;
		ran = execute(recorder->executor, &recorder->plan, NULL, &run);
		fresh = ran && channel->news;
		news |= channel->news;
	} while (fresh && ++turns < TURNS);
	channel->news = news;
	return ran && !fresh;
}

/* Run the steps of the trace that is in the channel again. */
static bool run_again(struct recorder *recorder, uint32_t flags)
{
	const struct trace *trace = &recorder->executor->channel->trace;
	struct run run;

	plan_repeat(&recorder->plan, trace, trace->nevents, flags);
	if (!(flags & PLAN_VALUES))
		return execute(recorder->executor, &recorder->plan, NULL, &run);
	recorder->plan.watch[0] = trace->nevents;
	return record_run(recorder);
}

/* What must be the same when an execution is repeated. */
struct outcome {
	uint32_t ending, nevents, kind;
	int32_t exit_status;
	uint64_t output; /* hash of what was printed */
};

static uint64_t hash_output(int fd, uint32_t size)
{
	char *output = executor_output(fd, size);
	uint64_t hash = hash_bytes(HASH_START, output, size);

	free(output);
	return hash;
}

static struct outcome outcome_of(const struct executor *executor)
{
	const struct trace *trace = &executor->channel->trace;

	return (struct outcome){.ending = trace->ending,
				.nevents = trace->nevents,
				.kind = trace->nevents ? trace->events[trace->nevents - 1].op.kind : 0,
				.exit_status = trace->ending == ENDING_EXIT ? trace->exit_status : 0,
				.output = hash_output(executor->stdout_fd, trace->stdout_size) +
					  3 * hash_output(executor->stderr_fd, trace->stderr_size)};
}

static bool same_outcome(struct outcome a, struct outcome b)
{
	return a.ending == b.ending && a.nevents == b.nevents && a.kind == b.kind && a.exit_status == b.exit_status &&
	       a.output == b.output;
}

/* Repeat the channel's execution; false when it came out differently or was interrupted. */
static bool repeat(struct recorder *recorder, uint32_t flags)
{
	struct outcome before = outcome_of(recorder->executor);

	if (!run_again(recorder, flags))
		return false;
	if (same_outcome(before, outcome_of(recorder->executor)))
		return true;
	record_nondeterminism(recorder);
	return false;
}

bool record_repetition(struct recorder *recorder)
{
	return repeat(recorder, PLAN_WHOLE);
}

bool record_stopped(struct recorder *recorder)
{
	return run_again(recorder, PLAN_VALUES | PLAN_STOP);
}

/* Where it ends is not the program's doing: only the way there can be repeated. */
static bool repeat_way(struct recorder *recorder)
{
	uint32_t nevents = recorder->executor->channel->trace.nevents;

	if (!record_stopped(recorder))
		return false;
	if (recorder->executor->channel->trace.nevents == nevents)
		return true;
	record_nondeterminism(recorder);
	return false;
}

static bool repeat_finding(struct recorder *recorder)
{
	switch (recorder->executor->channel->trace.ending) {
	case ENDING_ASSUMED:
	case ENDING_KNOWN:
	case ENDING_CYCLE:
	case ENDING_STEPS:
	case ENDING_HANG:
	case ENDING_STOPPED: return repeat_way(recorder);
	}
	return repeat(recorder, PLAN_VALUES);
}

bool record_settle(struct recorder *recorder, struct finding *finding)
{
	struct finding *known = record_find_known(recorder, finding);

	invariant(finding != known); /* it is either the result's or freed */
	if (!known && repeat_finding(recorder)) {
		record_add(recorder, finding);
		return true;
	}
	if (known)
		record_count(recorder, known);
	else if (stop_due())
		recorder->result->unconfirmed++;
	finding_free(finding);
	return known != NULL;
}

static bool settle_locks(struct recorder *recorder, const struct trace *trace)
{
	struct finding_list list = record_locks(recorder, trace);
	bool good = true;

	for (unsigned i = 0; i < list.count; i++) {
		if (good)
			good = record_settle(recorder, list.items[i]);
		else
			finding_free(list.items[i]);
	}
	free(list.items);
	return good;
}

void record_forget(struct recorder *recorder)
{
	weak_forget(recorder->weak);
	history_back(&recorder->history, 0);
	recorder->begun = false;
}

void record_init(struct recorder *recorder, struct executor *executor, struct result *result,
		 const struct findings_policy *policy)
{
	*recorder = (struct recorder){.executor = executor, .policy = *policy, .result = result, .weak = weak_new()};
	history_init(&recorder->history);
}

void record_release(struct recorder *recorder)
{
	weak_free(recorder->weak);
	history_release(&recorder->history);
	plan_release(&recorder->plan);
}

/* All but what needs a schedule of its own. */
static bool settle_whole(struct recorder *recorder, const struct trace *trace)
{
	struct finding *finding = record_ending(recorder, trace);

	/* a repetition leaves the same trace behind, so the rest can still be read from it */
	if (finding && !record_settle(recorder, finding))
		return false;
	return record_leaks(recorder) && settle_locks(recorder, trace);
}

bool record_execution(struct recorder *recorder, const struct order *order, uint32_t from)
{
	const struct trace *trace = &recorder->executor->channel->trace;

	if (record_refusal(recorder, trace))
		return false;
	invariant(from <= trace->nevents);
	if (trace->ending == ENDING_DIVERGED) {
		record_nondeterminism(recorder);
		return false;
	}
	record_follow(recorder, trace, from);
	record_limit(recorder);
	struct fresh_uses uses = record_find_uses(recorder, trace);
	bool good = settle_whole(recorder, trace);
	if (good)
		record_races(recorder, order, from);
	record_uses(recorder, &uses);
	return good && !stop_due();
}

bool record_has_nothing(struct recorder *recorder, const struct order *order, uint32_t from)
{
	const struct trace *trace = &recorder->executor->channel->trace;

	if (!record_ends_well(recorder, trace))
		return false;
	record_follow(recorder, trace, from);
	return !record_has_locks(recorder, trace) && !record_has_races(recorder, order, from) && !stop_due();
}

static bool may_end_with_finding(const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_ANOMALY: return trace->events[trace->nevents - 1].op.kind != EV_REFUSED;
	case ENDING_DEADLOCK:
	case ENDING_LIVELOCK:
	case ENDING_EXIT: return true;
	}
	return false;
}

/* Nothing of the execution in the channel is known yet. */
static bool ends_with_new(struct recorder *recorder)
{
	const struct trace *trace = &recorder->executor->channel->trace;

	record_forget(recorder);
	record_follow(recorder, trace, 0);
	struct finding *finding = record_ending(recorder, trace);
	bool new = finding && !record_find_known(recorder, finding);
	if (finding)
		finding_free(finding);
	return new;
}

void record_news(struct recorder *recorder)
{
	const struct trace *trace = &recorder->executor->channel->trace;
	struct order order;

	invariant(recorder->executor->channel->news);
	if (!may_end_with_finding(trace) || !ends_with_new(recorder) || !record_retrace(recorder))
		return;
	/* now it is one like any other */
	record_forget(recorder);
	order_init(&order);
	order_compute(&order, trace, 0);
	record_execution(recorder, &order, 0);
	order_release(&order);
}
