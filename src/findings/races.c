#include "findings/record.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "wire/hidden.h"

/* A schedule in which the two accesses are adjacent, as plain steps. */
struct adjacent {
	struct step *steps;
	uint32_t nsteps, first; /* where the first access is */
	struct event events[2];
};

static bool is_data_race(const struct order *order, const struct race *race)
{
	const struct event *events = order->trace->events;

	invariant(race->first < race->second);
	if (race->second >= order->nevents)
		return false;
	if (events[race->first].forced || events[race->second].forced)
		return false; /* in an atomic block: no other thread can come that close */
	return ops_race(&events[race->first].op, &events[race->second].op);
}

static void take_step(struct adjacent *adjacent, const struct event *event)
{
	adjacent->steps[adjacent->nsteps++] = event_step(event);
}

/* What must come after both accesses: what depends on the first, and atomic blocks that do so in part. */
struct later {
	uint32_t roots[MAX_THREADS + 1]; /* events; all that depends on one of them */
	uint32_t nroots;
};

static bool comes_later(const struct order *order, const struct later *later, uint32_t event)
{
	return order_after_any(order, later->roots, later->nroots, event);
}

/*
 * All before the first, what comes between without depending on it, then the two.  No steps if
 * an atomic block keeps them apart.
 */
static struct adjacent make_adjacent(const struct order *order, const struct race *race)
{
	const struct event *events = order->trace->events;
	struct adjacent adjacent = {.steps = xmalloc((race->second + 1ul) * sizeof(struct step))};
	struct later later = {.roots = {race->first}, .nroots = 1};
	uint32_t last;

	for (uint32_t i = 0; i < race->first; i++)
		take_step(&adjacent, &events[i]);
	for (uint32_t i = race->first + 1; i < race->second; i = last + 1) {
		last = end_of_block(events, i, race->second);
		if (!comes_later(order, &later, last)) {
			for (uint32_t k = i; k <= last; k++)
				take_step(&adjacent, &events[k]);
		} else if (!comes_later(order, &later, i) && later.nroots <= MAX_THREADS) {
			later.roots[later.nroots++] = i;
		}
	}
	for (unsigned i = 1; i < later.nroots; i++)
		if (order_before(order, later.roots[i], race->second))
			adjacent.nsteps = UINT32_MAX;
	if (adjacent.nsteps == UINT32_MAX) {
		adjacent.nsteps = 0;
		return adjacent;
	}
	invariant(adjacent.nsteps < race->second); /* room for the two, and what is not needed was left out */
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

bool record_steps(struct recorder *recorder, const struct step *steps, uint32_t nsteps, uint32_t first)
{
	struct plan *plan = &recorder->plan;

	invariant(first < nsteps);
	plan_cut(plan, 0);
	for (uint32_t i = 0; i < nsteps; i++)
		plan_add(plan, steps[i]);
	plan->flags = PLAN_VALUES | PLAN_STOP;
	plan->watch[0] = first + 1;
	plan->watch[1] = nsteps;
	return record_run(recorder);
}

/* Run the adjacent schedule; true when both accesses are where they should be. */
static bool confirm_race(struct recorder *recorder, const struct adjacent *adjacent)
{
	const struct trace *trace = &recorder->executor->channel->trace;

	return record_steps(recorder, adjacent->steps, adjacent->nsteps, adjacent->first) &&
	       trace->nevents >= adjacent->nsteps &&
	       is_same_access(&trace->events[adjacent->first], &adjacent->events[0]) &&
	       is_same_access(&trace->events[adjacent->nsteps - 1], &adjacent->events[1]);
}

/* The C library at hand has locks of its own there. */
static bool is_safe_here(const struct recorder *recorder, const struct op *op)
{
	enum strict strict = recorder->policy.strict;

	return strict != STRICT_POSIX && strict != STRICT_ALL && hidden_is_safe(op->object);
}

static struct finding *race_finding(const struct recorder *recorder, const struct event *first,
				    const struct event *second)
{
	bool swap = first->op.site > second->op.site;
	const struct event *a = swap ? second : first, *b = swap ? first : second;
	struct finding *finding = record_make(FINDING_RACE, a->thread, a->op.site,
					      xasprintf("data race: %s and %s are not ordered",
							event_table[a->op.kind].name, event_table[b->op.kind].name));

	finding->other_thread = b->thread;
	finding->other_site = b->op.site;
	/* whoever came first: one pair of places, one finding */
	invariant(finding->site <= finding->other_site);
	finding->warning = is_safe_here(recorder, &a->op);
	return finding;
}

/* A race behind weak atomics cannot be made adjacent: the schedule as it was, up to the second access. */
static struct adjacent make_distant(const struct order *order, const struct race *race)
{
	const struct event *events = order->trace->events;
	struct adjacent adjacent = {.steps = xmalloc((race->second + 1ul) * sizeof(struct step)), .first = race->first};

	for (uint32_t i = 0; i <= race->second; i++)
		take_step(&adjacent, &events[i]);
	adjacent.events[0] = events[race->first];
	adjacent.events[1] = events[race->second];
	return adjacent;
}

/* Races that are new, with their schedules: the trace is overwritten by the first replay. */
struct fresh_races {
	struct fresh_race {
		struct finding *finding;
		struct adjacent adjacent;
	} *items;
	unsigned count;
};

/* A race of two places, and whether it is a warning: what a finding is known by. */
struct race_key {
	uint32_t site, other;
	bool warning;
};

static bool is_race_of(const struct finding *finding, const struct race_key *key)
{
	return finding->kind == FINDING_RACE && finding->warning == key->warning &&
	       ((finding->site == key->site && finding->other_site == key->other) ||
		(finding->site == key->other && finding->other_site == key->site));
}

/* An execution may have thousands, and they are one finding. */
static struct finding *find_anywhere(const struct recorder *recorder, const struct fresh_races *fresh,
				     const struct race_key *key)
{
	const struct result *result = recorder->result;
	struct finding **list = key->warning ? result->warnings : result->findings;
	unsigned count = key->warning ? result->nwarnings : result->nfindings;

	for (unsigned i = 0; i < fresh->count; i++)
		if (is_race_of(fresh->items[i].finding, key))
			return fresh->items[i].finding;
	for (unsigned i = 0; i < count; i++)
		if (is_race_of(list[i], key))
			return list[i];
	return NULL;
}

static void collect(struct recorder *recorder, struct fresh_races *fresh, const struct order *order,
		    const struct race *race, bool weak)
{
	const struct event *first = &order->trace->events[race->first], *second = &order->trace->events[race->second];
	struct race_key key = {first->op.site, second->op.site, is_safe_here(recorder, &first->op)};
	struct finding *known = find_anywhere(recorder, fresh, &key);

	if (known) {
		record_count(recorder, known);
		return;
	}
	struct adjacent adjacent = weak ? make_distant(order, race) : make_adjacent(order, race);
	if (!adjacent.nsteps) { /* where the two can meet, another execution will show it */
		free(adjacent.steps);
		return;
	}
	invariant(first->thread != second->thread);
	struct finding *finding = race_finding(recorder, first, second);
	finding->weak = weak;
	fresh->items = xrealloc(fresh->items, (fresh->count + 1) * sizeof *fresh->items);
	fresh->items[fresh->count++] = (struct fresh_race){.finding = finding, .adjacent = adjacent};
}

/*
 * An atomic block that had to wait need not do so where it comes earlier, and then it keeps the two apart.  With such
 * blocks nothing is left out: where the two can meet, another execution will show it.
 */
static bool may_be_kept_apart(const struct recorder *recorder)
{
	return recorder->executor->channel->features & FEATURE_BLOCK_WAITS;
}

/*
 * Who writes over a synchronisation object writes it piece by piece, of which only the first conflicts with what others do with
 * the object.  In between they use what is half written, and that is the end.
 */
static bool met_half_written(const struct recorder *recorder)
{
	const struct trace *trace = &recorder->executor->channel->trace;

	return trace->ending == ENDING_ANOMALY && trace->events[trace->nevents - 1].op.kind == EV_MISUSE;
}

static void confirm(struct recorder *recorder, struct fresh_race *fresh)
{
	if (confirm_race(recorder, &fresh->adjacent)) {
		record_add(recorder, fresh->finding);
	} else {
		if (stop_due())
			recorder->result->unconfirmed++;
		else if (!may_be_kept_apart(recorder) && !met_half_written(recorder))
			record_nondeterminism(recorder);
		finding_free(fresh->finding);
	}
	free(fresh->adjacent.steps);
}

/* --- two threads that meet in a state --- */

/* Is the event what it was to be?  An update may turn out to be something weaker. */
static bool is_as_expected(const struct event *event, const struct event *expected)
{
	return event->thread == expected->thread && event->op.site == expected->op.site &&
	       event->op.object == expected->op.object &&
	       event_table[event->op.kind].object_class == event_table[expected->op.kind].object_class;
}

static bool confirm_meeting(struct recorder *recorder, const struct meeting_list *list, const struct meeting *meeting)
{
	const struct trace *trace = &recorder->executor->channel->trace;
	const struct event *first = &trace->events[meeting->first], *second = &trace->events[meeting->nsteps];

	list->steps[meeting->nsteps] = (struct step){.thread = meeting->events[1].thread};
	return record_steps(recorder, list->steps, meeting->nsteps + 1, meeting->first) &&
	       trace->nevents > meeting->nsteps && is_as_expected(first, &meeting->events[0]) &&
	       is_as_expected(second, &meeting->events[1]) && ops_conflict(&first->op, &second->op);
}

static void record_meeting(struct recorder *recorder, const struct meeting_list *list, struct meeting *meeting)
{
	invariant(meeting->first < meeting->nsteps);
	invariant(meeting->events[0].thread != meeting->events[1].thread);
	struct finding *finding = race_finding(recorder, &meeting->events[0], &meeting->events[1]);
	struct finding *known = record_find_known(recorder, finding);
	struct step last = list->steps[meeting->nsteps];

	if (known)
		record_count(recorder, known);
	meeting->confirmed = known || confirm_meeting(recorder, list, meeting);
	list->steps[meeting->nsteps] = last;
	if (meeting->confirmed && !known)
		record_add(recorder, finding);
	else
		finding_free(finding);
}

void record_meetings(struct recorder *recorder, const struct meeting_list *meetings)
{
	for (uint32_t i = 0; i < meetings->count && !stop_due(); i++)
		record_meeting(recorder, meetings, &meetings->items[i]);
}

/* --- all of them --- */

void record_races(struct recorder *recorder, const struct order *order, uint32_t from)
{
	struct fresh_races fresh = {0};
	uint32_t nweak;
	const struct race *weak = weak_races(recorder->weak, order->trace, from, &nweak);

	for (uint32_t i = 0; i < order->nraces && !stop_due(); i++)
		if (is_data_race(order, &order->races[i]))
			collect(recorder, &fresh, order, &order->races[i], false);
	for (uint32_t i = 0; i < nweak && !stop_due(); i++)
		collect(recorder, &fresh, order, &weak[i], true);
	for (unsigned i = 0; i < fresh.count; i++)
		confirm(recorder, &fresh.items[i]);
	free(fresh.items);
}

bool record_has_races(struct recorder *recorder, const struct order *order, uint32_t from)
{
	uint32_t nweak;

	weak_races(recorder->weak, order->trace, from, &nweak);
	for (uint32_t i = 0; i < order->nraces; i++)
		if (is_data_race(order, &order->races[i]))
			return true;
	return nweak;
}
