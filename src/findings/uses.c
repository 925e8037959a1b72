/*
 * Mutexes, condition variables and read-write locks that are used and that nobody has initialised.  They are all zero,
 * which is what glibc's static initialisers make, so they work; POSIX does not promise that.
 */
#include "findings/record.h"

#include <stdlib.h>

#include "common/invariant.h"
#include "common/trouble.h"

static struct finding *use_finding(const struct recorder *recorder, const struct event *event)
{
	const struct event_info *info = &event_table[event->op.kind];
	enum strict strict = recorder->policy.strict;
	invariant(event_is_uninitialised(event));
	struct finding *finding =
		record_make(FINDING_LOCK, event->thread, event->op.site,
			    xasprintf("use of a %s that was never initialised", object_table[info->object].name));

	finding->warning = strict != STRICT_INIT && strict != STRICT_ALL;
	return finding;
}

static struct finding *find_anywhere(const struct recorder *recorder, const struct fresh_uses *uses,
				     const struct finding *wanted)
{
	for (unsigned i = 0; i < uses->count; i++)
		if (uses->items[i].finding->site == wanted->site)
			return uses->items[i].finding;
	return record_find_known(recorder, wanted);
}

static struct step *steps_of(const struct trace *trace, uint32_t nsteps)
{
	struct step *steps = xmalloc(nsteps * sizeof *steps);

	for (uint32_t i = 0; i < nsteps; i++)
		steps[i] = (struct step){.thread = trace->events[i].thread, .choice = trace->events[i].choice};
	return steps;
}

struct fresh_uses record_find_uses(struct recorder *recorder, const struct trace *trace)
{
	const struct history *history = &recorder->history;
	struct fresh_uses uses = {0};

	for (uint32_t i = 0; i < history->nuses && record_counts(trace); i++) {
		uint32_t nsteps = history->uses[i] + 1;
		invariant(nsteps <= trace->nevents);
		struct finding *finding = use_finding(recorder, &trace->events[nsteps - 1]);
		struct finding *known = find_anywhere(recorder, &uses, finding);
		if (known) {
			record_count(recorder, known);
			finding_free(finding);
			continue;
		}
		uses.items = xrealloc(uses.items, (uses.count + 1) * sizeof *uses.items);
		uses.items[uses.count++] =
			(struct fresh_use){.finding = finding, .steps = steps_of(trace, nsteps), .nsteps = nsteps};
	}
	return uses;
}

static bool confirm(struct recorder *recorder, const struct fresh_use *use)
{
	const struct trace *trace = &recorder->executor->channel->trace;

	return record_steps(recorder, use->steps, use->nsteps, use->nsteps - 1) && trace->nevents >= use->nsteps &&
	       event_is_uninitialised(&trace->events[use->nsteps - 1]) &&
	       trace->events[use->nsteps - 1].op.site == use->finding->site;
}

void record_uses(struct recorder *recorder, struct fresh_uses *uses)
{
	for (unsigned i = 0; i < uses->count; i++) {
		struct fresh_use *use = &uses->items[i];
		if (confirm(recorder, use)) {
			record_add(recorder, use->finding);
		} else {
			if (!*recorder->policy.interrupted)
				record_nondeterminism(recorder);
			finding_free(use->finding);
		}
		free(use->steps);
	}
	free(uses->items);
}
