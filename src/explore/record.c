#define _GNU_SOURCE
#include "explore/record.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/trouble.h"

static void *copy(const void *from, size_t count, size_t size)
{
	void *to = xmalloc(count * size);

	memcpy(to, from, count * size);
	return to;
}

static void record_shared(const struct channel *channel, struct recording *recording)
{
	for (uint32_t thread = 0; thread < channel->nnames; thread++) {
		for (uint32_t piece = 0; piece < STACK_PIECES; piece++) {
			uint8_t byte = channel->stack_shared[thread][piece / 8];
			if (!byte) {
				piece |= 7;
				continue;
			}
			if (!(byte >> piece % 8 & 1))
				continue;
			recording->shared =
				xrealloc(recording->shared, (recording->nshared + 1) * sizeof *recording->shared);
			recording->shared[recording->nshared++] =
				(struct shared_piece){.thread = thread, .piece = piece};
		}
	}
}

void record_trace(const struct executor *executor, struct recording *recording)
{
	const struct channel *channel = executor->channel;
	const struct trace *trace = &channel->trace;

	*recording = (struct recording){
		.ending = trace->ending,
		.nevents = trace->nevents,
		.npending = trace->npending,
		.nthreads = channel->nnames,
		.running = trace->running,
		.site = trace->site,
		.exit_status = trace->exit_status,
		.signal = trace->signal,
		.fault_address = trace->fault_address,
		.fault_pc = trace->fault_pc,
		.events = copy(trace->events, trace->nevents, sizeof *trace->events),
		.after = copy(trace->after, trace->nevents, sizeof *trace->after),
		.pending = copy(trace->pending, trace->npending, sizeof *trace->pending),
		.output = executor_output(executor->stdout_fd, trace->stdout_size),
		.errors = executor_output(executor->stderr_fd, trace->stderr_size),
		.output_size = trace->stdout_size,
		.errors_size = trace->stderr_size,
	};
	memcpy(recording->message, trace->message, sizeof recording->message);
	memcpy(recording->names, channel->names, sizeof recording->names);
	record_shared(channel, recording);
}

/* --- the list --- */

static struct finding *find_known(const struct recorder *recorder, const struct finding *wanted)
{
	for (unsigned i = 0; i < recorder->result->nfindings; i++) {
		struct finding *known = recorder->result->findings[i];
		if (known->kind == wanted->kind && known->site == wanted->site &&
		    known->other_site == wanted->other_site)
			return known;
	}
	return NULL;
}

static uint32_t count_preemptions(const struct recording *recording)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < recording->nevents; i++) {
		const struct event *event = &recording->events[i];
		unsigned before = recording->events[i - 1].thread;
		count += !event->forced && event->thread != before && (event->enabled >> before & 1);
	}
	return count;
}

static void add(struct recorder *recorder, struct finding *finding)
{
	struct result *result = recorder->result;

	record_trace(recorder->executor, &finding->recording);
	finding->preemptions = count_preemptions(&finding->recording);
	finding->count = 1;
	result->findings = xrealloc(result->findings, (result->nfindings + 1) * sizeof(struct finding *));
	result->findings[result->nfindings++] = finding;
}

static struct finding *make_finding(enum finding_kind kind, uint32_t thread, uint32_t site, char *message)
{
	struct finding *finding = xcalloc(1, sizeof *finding);

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
		return make_finding(FINDING_NONDETERMINISM, thread, trace->site,
				    xasprintf("the same schedule ended differently the second time, after %u operations",
					      trace->nevents));
	}
	message = xasprintf("the same schedule led to a different operation: step %u was `%s' and is now `%s'",
			    trace->divergence + 1, event_table[expected->op.kind].name, event_table[got->op.kind].name);
	struct finding *finding = make_finding(FINDING_NONDETERMINISM, got->thread, got->op.site, message);
	finding->other_thread = expected->thread;
	finding->other_site = expected->op.site;
	return finding;
}

static void add_nondeterminism(struct recorder *recorder)
{
	struct finding *finding = describe_divergence(&recorder->executor->channel->trace);
	struct finding *known = find_known(recorder, finding);

	if (known) {
		known->count++;
		finding_free(finding);
		return;
	}
	add(recorder, finding);
}

/* --- replaying --- */

/* Run the steps of the trace that is in the channel again, with values. */
static bool run_again(struct recorder *recorder, uint32_t flags)
{
	struct channel *channel = recorder->executor->channel;
	struct plan *plan = &channel->plan;
	const struct trace *trace = &channel->trace;

	plan->nsteps = trace->nevents;
	plan->flags = flags;
	plan->sleep = 0;
	for (uint32_t i = 0; i < trace->nevents; i++)
		plan->steps[i] = (struct step){.thread = trace->events[i].thread, .choice = trace->events[i].choice};
	recorder->replayed = true;
	return executor_run(recorder->executor);
}

/* What must be the same when an execution is repeated. */
struct outcome {
	uint32_t ending, nevents, kind;
	int32_t exit_status;
};

static struct outcome outcome_of(const struct trace *trace)
{
	return (struct outcome){.ending = trace->ending,
				.nevents = trace->nevents,
				.kind = trace->nevents ? trace->events[trace->nevents - 1].op.kind : 0,
				.exit_status = trace->ending == ENDING_EXIT ? trace->exit_status : 0};
}

static bool same_outcome(struct outcome a, struct outcome b)
{
	return a.ending == b.ending && a.nevents == b.nevents && a.kind == b.kind && a.exit_status == b.exit_status;
}

/* Repeat the channel's execution; false when it came out differently or was interrupted. */
static bool repeat(struct recorder *recorder, uint32_t flags)
{
	const struct trace *trace = &recorder->executor->channel->trace;
	struct outcome before = outcome_of(trace);

	if (!run_again(recorder, flags))
		return false;
	if (same_outcome(before, outcome_of(trace)))
		return true;
	add_nondeterminism(recorder);
	return false;
}

bool record_repetition(struct recorder *recorder)
{
	return repeat(recorder, 0);
}

/* Count it, or replay and add it; false when the replay came out differently. */
static bool settle_finding(struct recorder *recorder, struct finding *finding)
{
	struct finding *known = find_known(recorder, finding);

	if (!known && repeat(recorder, PLAN_VALUES)) {
		add(recorder, finding);
		return true;
	}
	if (known)
		known->count++;
	finding_free(finding);
	return known != NULL;
}

/* --- endings --- */

static struct finding *anomaly_finding(const struct trace *trace)
{
	const struct event *last = &trace->events[trace->nevents - 1];
	struct finding *finding;

	switch (last->op.kind) {
	case EV_ASSERT_FAIL:
	case EV_ABORT:
		return make_finding(FINDING_ASSERTION, last->thread, last->op.site, xstrdup(trace->message));
	case EV_CRASH:
		finding = make_finding(FINDING_CRASH, last->thread, last->op.site,
				       xasprintf("the program crashed with SIG%s", sigabbrev_np(trace->signal)));
		finding->fault_pc = trace->fault_pc;
		return finding;
	case EV_MISUSE: return make_finding(FINDING_LOCK, last->thread, last->op.site, xstrdup(trace->message));
	}
	return NULL;
}

static struct finding *deadlock_finding(const struct trace *trace)
{
	const struct pending *blamed = &trace->pending[0];

	/* main usually just joins the others: blame the first thread that waits for something else */
	for (uint32_t i = 0; i < trace->npending && blamed->op.kind == EV_JOIN; i++)
		blamed = &trace->pending[i];
	struct finding *finding =
		make_finding(FINDING_DEADLOCK, blamed->thread, blamed->op.site,
			     trace->npending == 1 ? xstrdup("the last thread waits for ever")
						  : xasprintf("all %u threads wait for ever", trace->npending));
	for (uint32_t i = 0; i < trace->npending; i++) {
		if (trace->pending[i].op.kind == EV_JOIN || &trace->pending[i] == blamed)
			continue;
		finding->other_thread = trace->pending[i].thread;
		finding->other_site = trace->pending[i].op.site;
		break;
	}
	return finding;
}

static struct finding *exit_finding(struct recorder *recorder, const struct trace *trace)
{
	int status = trace->exit_status;
	uint32_t site = trace->site, thread = trace->running;

	switch (recorder->options->exit_policy) {
	case EXIT_ANY: return NULL;
	case EXIT_ZERO:
		if (!status)
			return NULL;
		return make_finding(FINDING_EXIT, thread, site, xasprintf("the program exits with status %d", status));
	case EXIT_SAME: break;
	}
	if (!recorder->have_exit_status) {
		recorder->have_exit_status = true;
		recorder->exit_status = status;
	}
	if (status == recorder->exit_status)
		return NULL;
	return make_finding(FINDING_EXIT, thread, site,
			    xasprintf("the exit status depends on the schedule: %d here, %d in another execution",
				      status, recorder->exit_status));
}

static struct finding *hang_finding(const struct recorder *recorder, const struct trace *trace)
{
	struct finding *finding = make_finding(
		FINDING_LIMIT, trace->running, trace->site,
		xasprintf("no visible operation for %.0f s: an endless loop in code of its own, or a blocking call",
			  recorder->options->watchdog));

	finding->fault_pc = trace->fault_pc;
	return finding;
}

static struct finding *steps_finding(const struct recorder *recorder, const struct trace *trace)
{
	const struct event *last = &trace->events[trace->nevents - 1];

	return make_finding(FINDING_LIMIT, last->thread, last->op.site,
			    xasprintf("an execution is longer than %u steps (--max-steps): does it end at all?",
				      recorder->options->max_steps));
}

static void refuse(struct recorder *recorder, uint32_t site, char *message)
{
	free(recorder->result->refusal);
	recorder->result->refusal = message;
	recorder->result->refusal_site = site;
}

/* Endings after which there is nothing more to say about the program. */
static bool is_refused(struct recorder *recorder, const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_ANOMALY:
		if (trace->events[trace->nevents - 1].op.kind != EV_REFUSED)
			return false;
		refuse(recorder, trace->events[trace->nevents - 1].op.site, xstrdup(trace->message));
		return true;
	case ENDING_THREADS:
		refuse(recorder, trace->site,
		       xasprintf("the program creates more than %d threads, main included: more are not supported",
				 MAX_THREADS));
		return true;
	case ENDING_INPUT:
		refuse(recorder, trace->site,
		       xstrdup("the program reads its standard input, which must be a file to be read again in every "
			       "execution: use < FILE"));
		return true;
	case ENDING_FAILED: failure("the runtime failed: %s", trace->message);
	case ENDING_KILLED:
		failure("the program's process ended without a word (signal %d, status %d)", trace->signal,
			trace->exit_status);
	}
	return false;
}

static struct finding *ending_finding(struct recorder *recorder, const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_DEADLOCK: return deadlock_finding(trace);
	case ENDING_ANOMALY: return anomaly_finding(trace);
	case ENDING_EXIT: return exit_finding(recorder, trace);
	case ENDING_HANG: return hang_finding(recorder, trace);
	case ENDING_STEPS: return steps_finding(recorder, trace);
	}
	return NULL;
}

/* --- races --- */

/* A schedule in which the two accesses are adjacent, as plain steps. */
struct adjacent {
	struct step *steps;
	uint32_t nsteps, first; /* where the first access is */
	struct event events[2];
};

static bool is_data_race(const struct order *order, const struct race *race)
{
	const struct event *events = order->trace->events;

	if (race->second >= order->nevents)
		return false;
	const struct op *a = &events[race->first].op, *b = &events[race->second].op;
	return event_table[a->kind].object_class == OBJECT_MEMORY &&
	       event_table[b->kind].object_class == OBJECT_MEMORY &&
	       (event_is(a->kind, EV_PLAIN) || event_is(b->kind, EV_PLAIN));
}

static void take_step(struct adjacent *adjacent, const struct event *event)
{
	adjacent->steps[adjacent->nsteps++] = (struct step){.thread = event->thread, .choice = event->choice};
}

/* All before the first, what comes between without depending on it, then the two. */
static struct adjacent make_adjacent(const struct order *order, const struct race *race)
{
	const struct event *events = order->trace->events;
	struct adjacent adjacent = {.steps = xmalloc((race->second + 1ul) * sizeof(struct step))};

	for (uint32_t i = 0; i < race->second; i++)
		if (i < race->first || (i > race->first && !order_before(order, race->first, i)))
			take_step(&adjacent, &events[i]);
	adjacent.first = adjacent.nsteps;
	take_step(&adjacent, &events[race->first]);
	for (uint32_t i = race->first + 1; i < race->second && events[i].forced; i++)
		take_step(&adjacent, &events[i]);
	take_step(&adjacent, &events[race->second]);
	adjacent.events[0] = events[race->first];
	adjacent.events[1] = events[race->second];
	return adjacent;
}

static bool is_same_access(const struct event *a, const struct event *b)
{
	return a->thread == b->thread && a->op.kind == b->op.kind && a->op.object == b->op.object &&
	       a->op.site == b->op.site;
}

/* Run the adjacent schedule; true when both accesses are where they should be. */
static bool confirm_race(struct recorder *recorder, const struct adjacent *adjacent)
{
	struct channel *channel = recorder->executor->channel;
	struct plan *plan = &channel->plan;
	const struct trace *trace = &channel->trace;

	memcpy(plan->steps, adjacent->steps, adjacent->nsteps * sizeof *plan->steps);
	plan->nsteps = adjacent->nsteps;
	plan->sleep = 0;
	plan->flags = PLAN_VALUES | PLAN_STOP | PLAN_UNCHECKED;
	recorder->replayed = true;
	return executor_run(recorder->executor) && trace->nevents >= adjacent->nsteps &&
	       is_same_access(&trace->events[adjacent->first], &adjacent->events[0]) &&
	       is_same_access(&trace->events[adjacent->nsteps - 1], &adjacent->events[1]);
}

static struct finding *race_finding(const struct event *first, const struct event *second)
{
	bool swap = first->op.site > second->op.site;
	const struct event *a = swap ? second : first, *b = swap ? first : second;
	struct finding *finding = make_finding(
		FINDING_RACE, a->thread, a->op.site,
		xasprintf("data race: %s and %s are not ordered", event_table[a->op.kind].name,
			  event_table[b->op.kind].name));

	finding->other_thread = b->thread;
	finding->other_site = b->op.site;
	return finding;
}

/* The trace is overwritten by replays, so everything is taken from it first. */
static void record_races(struct recorder *recorder, const struct order *order)
{
	struct {
		struct finding *finding;
		struct adjacent adjacent;
	} fresh[16];
	unsigned nfresh = 0;

	for (uint32_t i = 0; i < order->nraces && nfresh < sizeof fresh / sizeof *fresh; i++) {
		const struct race *race = &order->races[i];
		if (!is_data_race(order, race))
			continue;
		const struct event *events = order->trace->events;
		struct finding *finding = race_finding(&events[race->first], &events[race->second]);
		struct finding *known = find_known(recorder, finding);
		for (unsigned k = 0; k < nfresh && !known; k++)
			if (fresh[k].finding->site == finding->site &&
			    fresh[k].finding->other_site == finding->other_site)
				known = fresh[k].finding;
		if (known) {
			known->count++;
			finding_free(finding);
			continue;
		}
		fresh[nfresh].finding = finding;
		fresh[nfresh++].adjacent = make_adjacent(order, race);
	}
	for (unsigned i = 0; i < nfresh; i++) {
		if (confirm_race(recorder, &fresh[i].adjacent)) {
			add(recorder, fresh[i].finding);
		} else {
			if (!*recorder->options->interrupted)
				add_nondeterminism(recorder);
			finding_free(fresh[i].finding);
		}
		free(fresh[i].adjacent.steps);
	}
}

bool record_execution(struct recorder *recorder, const struct order *order)
{
	const struct trace *trace = &recorder->executor->channel->trace;

	if (is_refused(recorder, trace))
		return false;
	if (trace->ending == ENDING_DIVERGED) {
		add_nondeterminism(recorder);
		return false;
	}
	struct finding *finding = ending_finding(recorder, trace);
	/* a repetition leaves the same trace behind, so the races can still be read from it */
	if (finding && !settle_finding(recorder, finding))
		return false;
	record_races(recorder, order);
	return true;
}
