/*
 * The turns of an execution that brought news, taken again now that the news are known.  There are more operations then
 * than its events tell of, so its steps are no plan any more.  A plan is made of them by trial: run as far as it is
 * known, see where another thread moves than did then, and let that one move there instead.
 *
 * A thread that was switched away from then had gone on up to its next operation, past all that could not be seen: so it
 * is not switched away from before that.
 */
#include "findings/record.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"

/* Where it would take long, the search, which starts again, is left to find the same once more. */
enum { MAX_TRIALS = 500, MAX_RETRACED = 10000, MAX_STEPS = 2000000 };

/* How it was. */
struct earlier {
	struct event *events; /* where there was a choice who moves */
	struct pending pending[MAX_THREADS];
	uint32_t nevents, npending;
};

static struct earlier keep_earlier(const struct trace *trace)
{
	struct earlier earlier = {.events = xmalloc((trace->nevents + 1ul) * sizeof *trace->events),
				  .npending = trace->npending};

	invariant(trace->npending <= MAX_THREADS);
	for (uint32_t i = 0; i < trace->nevents; i++)
		if (!trace->events[i].forced)
			earlier.events[earlier.nevents++] = trace->events[i];
	memcpy(earlier.pending, trace->pending, trace->npending * sizeof *trace->pending);
	return earlier;
}

static bool is_same_op(const struct op *a, const struct op *b)
{
	return a->kind == b->kind && a->site == b->site && a->object == b->object;
}

/* Is this what the thread of the event did next then, from the given event on, or was about to do at the end? */
static bool is_its_next(const struct earlier *earlier, uint32_t from, const struct event *event)
{
	for (uint32_t i = from; i < earlier->nevents; i++)
		if (earlier->events[i].thread == event->thread)
			return is_same_op(&earlier->events[i].op, &event->op);
	for (uint32_t i = 0; i < earlier->npending; i++)
		if (earlier->pending[i].thread == event->thread)
			return is_same_op(&earlier->pending[i].op, &event->op);
	return false;
}

/*
 * Where the trace leaves the way that it took then, and the step to take there instead.  UINT32_MAX if it does not;
 * *complete tells whether it went that way to the end.
 */
static uint32_t find_wrong_turn(const struct earlier *earlier, const struct trace *trace, struct step *step,
				bool *complete)
{
	uint32_t next = 0; /* of those events */

	for (uint32_t i = 0; i < trace->nevents && next < earlier->nevents; i++) {
		const struct event *event = &trace->events[i], *expected = &earlier->events[next];
		if (event->forced)
			continue;
		bool moves_on = i && trace->events[i - 1].thread == event->thread;
		bool same = event->thread == expected->thread && is_same_op(&event->op, &expected->op);
		if (same && event->choice == expected->choice) {
			next++;
			continue;
		}
		if (!same && (event->thread == expected->thread || (moves_on && !is_its_next(earlier, next, event))))
			continue; /* something that could not be seen then */
		*step = (struct step){.thread = expected->thread, .choice = same ? expected->choice : 0};
		return event->enabled >> expected->thread & 1 ? i : UINT32_MAX;
	}
	*complete = next == earlier->nevents;
	return UINT32_MAX;
}

bool record_retrace(struct recorder *recorder)
{
	struct channel *channel = recorder->executor->channel;
	struct earlier earlier = keep_earlier(&channel->trace);
	uint32_t ending = channel->trace.ending, trials = MAX_STEPS / (earlier.nevents + 1);
	bool complete = false;

	if (earlier.nevents > MAX_RETRACED)
		trials = 0;
	else if (trials > MAX_TRIALS)
		trials = MAX_TRIALS;
	plan_repeat(&recorder->plan, &channel->trace, 0, PLAN_VALUES);
	for (unsigned trial = 0; trial < trials && record_run(recorder); trial++) {
		struct step step;
		uint32_t wrong = find_wrong_turn(&earlier, &channel->trace, &step, &complete);
		if (wrong == UINT32_MAX)
			break;
		invariant(wrong < channel->trace.nevents);
		plan_repeat(&recorder->plan, &channel->trace, wrong, PLAN_VALUES);
		plan_add(&recorder->plan, step);
	}
	free(earlier.events);
	return complete && channel->trace.ending == ending;
}
