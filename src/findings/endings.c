#define _GNU_SOURCE
#include "findings/record.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "order/progress.h"
#include "execute/input.h"

static struct finding *anomaly_finding(const struct trace *trace)
{
	const struct event *last = &trace->events[trace->nevents - 1];
	struct finding *finding;

	invariant(trace->nevents > 0);
	invariant(event_is(last->op.kind, EV_ANOMALY));
	switch (last->op.kind) {
	case EV_ASSERT_FAIL:
	case EV_ABORT: return record_make(FINDING_ASSERTION, last->thread, last->op.site, xstrdup(trace->message));
	case EV_CRASH:
		finding = record_make(FINDING_CRASH, last->thread, last->op.site,
				      xasprintf("the program crashed with SIG%s", sigabbrev_np(trace->signal)));
		finding->fault_pc = trace->fault_pc;
		return finding;
	case EV_TERMINATE: return record_make(FINDING_CRASH, last->thread, last->op.site, xstrdup(trace->message));
	case EV_BAD_FREE:
	case EV_BAD_ACCESS: return record_make(FINDING_MEMORY, last->thread, last->op.site, xstrdup(trace->message));
	case EV_MISUSE: return record_make(FINDING_LOCK, last->thread, last->op.site, xstrdup(trace->message));
	}
	/* never taken for a normal end: that would be a wrong verdict */
	failure("no finding belongs to the operation `%s'", event_table[last->op.kind].name);
}

/* Where the first of those that spin looks again and again. */
static struct finding *livelock_finding(const struct trace *trace)
{
	const struct pending *first = NULL, *second = NULL;
	uint32_t spinning = 0;

	for (uint32_t i = 0; i < trace->npending; i++) {
		if (trace->pending[i].op.kind != EV_SPIN)
			continue;
		spinning++;
		second = first && !second ? &trace->pending[i] : second;
		first = first ? first : &trace->pending[i];
	}
	/* where none of them spins, it is a deadlock */
	invariant(first);
	invariant(spinning <= trace->npending);
	struct finding *finding =
		record_make(FINDING_LIVELOCK, first->thread, first->op.site,
			    spinning == trace->npending
				    ? xasprintf("%s for what nobody is left to do",
						spinning == 1 ? "the last thread spins" : "all remaining threads spin")
				    : xasprintf("%u of %u threads spin, the others wait: nobody can ever go on",
						spinning, trace->npending));
	if (second) {
		finding->other_thread = second->thread;
		finding->other_site = second->op.site;
	}
	return finding;
}

/* Where the way from the last state back to it begins. */
static uint32_t beginning_of_cycle(const struct trace *trace)
{
	uint32_t first = trace->nevents;

	invariant(trace->ending == ENDING_CYCLE);
	do
		invariant(first); /* the state was there before: that is how the execution ended */
	while (!state_equal(trace->states[--first], trace->states[trace->nevents]));
	return first;
}

/* The threads that move on the way, and where they try. */
static struct finding *cycle_finding(const struct trace *trace, uint32_t first)
{
	uint32_t try[2] = {UINT32_MAX, UINT32_MAX};
	uint64_t threads = 0;

	invariant(first < trace->nevents); /* a way of no steps leads nowhere */
	for (uint32_t i = first; i < trace->nevents; i++) {
		const struct event *event = &trace->events[i];
		threads |= 1ull << event->thread;
		if (!event_is_attempt(event))
			continue;
		if (try[0] == UINT32_MAX)
			try[0] = i;
		else if (try[1] == UINT32_MAX && event->thread != trace->events[try[0]].thread)
			try[1] = i;
	}
	if (try[0] == UINT32_MAX)
		try[0] = first;
	const struct event *one = &trace->events[try[0]],
			   *other = &trace->events[try[1] == UINT32_MAX ? try[0] : try[1]];
	struct finding *finding =
		record_make(FINDING_LIVELOCK, one->thread, one->op.site,
			    xasprintf("%u thread%s can go round for ever without getting anywhere: the "
				      "last %u operations lead back to where they began",
				      (unsigned)__builtin_popcountll(threads), threads & (threads - 1) ? "s" : "",
				      trace->nevents - first));
	finding->other_thread = other->thread;
	finding->other_site = other->op.site;
	return finding;
}

static struct finding *exit_finding(struct recorder *recorder, const struct trace *trace)
{
	int status = trace->exit_status;
	uint32_t site = trace->site, thread = trace->running;

	invariant(thread < MAX_THREADS);
	switch (recorder->policy.exit_policy) {
	case EXIT_ANY: return NULL;
	case EXIT_ZERO:
		if (!status)
			return NULL;
		return record_make(FINDING_EXIT, thread, site, xasprintf("the program exits with status %d", status));
	case EXIT_SAME:
	case EXIT_MIXED: break;
	}
	if (!recorder->have_exit_status) {
		recorder->have_exit_status = true;
		recorder->exit_status = status;
	}
	if (status == recorder->exit_status)
		return NULL;
	/* it fails in either case */
	if (recorder->policy.exit_policy == EXIT_MIXED && status && recorder->exit_status)
		return NULL;
	return record_make(FINDING_EXIT, thread, site,
			   xasprintf("the exit status depends on the schedule: %d here, %d in another execution",
				     status, recorder->exit_status));
}

/* Killed from outside, or in a way that leaves no time to say where. */
static struct finding *killed_finding(const struct trace *trace)
{
	const struct event *last = trace->nevents ? &trace->events[trace->nevents - 1] : NULL;

	invariant(trace->signal); /* without one, record_refusal() has given up */
	return record_make(FINDING_CRASH, last ? last->thread : 0, last ? last->op.site : 0,
			   xasprintf("the program was killed by SIG%s", sigabbrev_np(trace->signal)));
}

static void refuse(struct recorder *recorder, uint32_t site, char *message)
{
	invariant(message && *message);
	free(recorder->result->refusal);
	recorder->result->refusal = message;
	recorder->result->refusal_site = site;
}

/* Endings after which there is nothing more to say about the program. */
bool record_refusal(struct recorder *recorder, const struct trace *trace)
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
		refuse(recorder, trace->site, xstrdup(input_refusal(recorder->executor->channel->input)));
		return true;
	case ENDING_FAILED: failure("the runtime failed: %s", trace->message);
	case ENDING_KILLED:
		if (!trace->signal)
			failure("the program's process ended without a word (status %d)", trace->exit_status);
	}
	return false;
}

struct finding *record_ending(struct recorder *recorder, const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_DEADLOCK: return record_deadlock(recorder, trace);
	case ENDING_LIVELOCK: return livelock_finding(trace);
	case ENDING_ANOMALY: return anomaly_finding(trace);
	case ENDING_EXIT: return exit_finding(recorder, trace);
	case ENDING_KILLED: return killed_finding(trace);
	}
	return NULL;
}

bool record_ends_well(const struct recorder *recorder, const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_ASLEEP:
	case ENDING_SPUN:
	case ENDING_ASSUMED: return true;
	case ENDING_EXIT: break;
	default: return false;
	}
	if (recorder->policy.exit_policy == EXIT_ANY)
		return !trace->nleaks;
	if (recorder->policy.exit_policy == EXIT_ZERO)
		return !trace->exit_status && !trace->nleaks;
	return recorder->have_exit_status && recorder->exit_status == trace->exit_status && !trace->nleaks;
}

struct cycle record_take_cycle(const struct trace *trace)
{
	uint32_t first = beginning_of_cycle(trace);
	struct cycle cycle = {.finding = cycle_finding(trace, first),
			      .steps = xmalloc(trace->nevents * sizeof *cycle.steps),
			      .nsteps = trace->nevents,
			      .first = first};

	for (uint32_t i = 0; i < trace->nevents; i++)
		cycle.steps[i] = (struct step){.thread = trace->events[i].thread, .choice = trace->events[i].choice};
	return cycle;
}

void record_cycle(struct recorder *recorder, struct cycle *cycle)
{
	if (!cycle->finding)
		return;
	invariant(cycle->first < cycle->nsteps);
	if (!record_find_known(recorder, cycle->finding) &&
	    record_steps(recorder, cycle->steps, cycle->nsteps, cycle->first))
		record_add(recorder, cycle->finding);
	else
		finding_free(cycle->finding);
	free(cycle->steps);
	*cycle = (struct cycle){0};
}
