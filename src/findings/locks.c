/*
 * What an execution shows about its locks besides the way it ended: threads that
 * can never go on although the process ends, locks held by threads that end, and
 * objects that nobody destroys.  All is a matter of the trace as a whole, the same
 * in all executions that differ in the order of independent operations only.
 */
#include "findings/record.h"

#include <stdlib.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"

/* --- locks held at the end of a thread --- */

static void add_finding(struct finding_list *list, struct finding *finding)
{
	list->items = xrealloc(list->items, (list->count + 1) * sizeof(struct finding *));
	list->items[list->count++] = finding;
}

static void note_thread_ends(struct finding_list *list, const struct history *history, const struct event *events)
{
	for (uint32_t i = 0; i < history->nends; i++) {
		const struct held_lock *lock = &history->ends[i];
		invariant(events[lock->since].thread == lock->thread);
		struct finding *finding = record_make(FINDING_LOCK, lock->thread, events[lock->since].op.site,
						      xstrdup("a thread ends while it holds a lock"));
		finding->object = lock->object;
		finding->other_site = 0; /* the end of a thread has no place: never the same as misuse at this one */
		add_finding(list, finding);
	}
}

/* --- threads that can never go on --- */

/*
 * Whom to blame: the first two, by their numbers, of those on the cycle or else of all; those
 * that just join the others, as main usually does, come last.
 */
static uint32_t choose_blamed(const struct standstill *standstill, uint64_t set, uint32_t blamed[MAX_THREADS])
{
	uint32_t cycle[MAX_THREADS], length = standstill_cycle(standstill, set, cycle), count = 0;
	uint64_t preferred = 0;

	for (uint32_t i = 0; i < length; i++)
		preferred |= 1ull << cycle[i];
	for (uint32_t i = 0; i < standstill->npending && !length; i++)
		if (pending_wait(&standstill->pending[i]) != WAIT_END)
			preferred |= 1ull << standstill->pending[i].thread;
	invariant(set);
	preferred &= set;
	if (!preferred)
		preferred = set;
	for (unsigned joins = 0; joins < 2; joins++)
		for (uint64_t left = preferred; left; left &= left - 1) {
			uint32_t thread = (uint32_t)__builtin_ctzll(left);
			if ((pending_wait(standstill_pending(standstill, thread)) == WAIT_END) == joins)
				blamed[count++] = thread;
		}
	/* each of them once, those that join and those that do not */
	invariant(count == (uint32_t)__builtin_popcountll(preferred));
	return count;
}

static struct finding *standstill_finding(const struct standstill *standstill, uint64_t set)
{
	uint32_t blamed[MAX_THREADS], count = choose_blamed(standstill, set, blamed);
	invariant(count);
	const struct pending *first = standstill_pending(standstill, blamed[0]);
	const struct pending *second = standstill_pending(standstill, blamed[count > 1]);
	invariant(first && second); /* who waits has an operation pending */
	struct finding *finding =
		record_make(FINDING_DEADLOCK, first->thread, first->op.site, xstrdup("threads wait for ever"));

	finding->other_thread = second->thread;
	finding->other_site = second->op.site;
	return finding;
}

struct finding *record_deadlock(const struct recorder *recorder, const struct trace *trace)
{
	struct standstill standstill = {.pending = trace->pending,
					.npending = trace->npending,
					.held = &recorder->history.held};
	uint64_t all = 0;

	invariant(trace->npending > 0);
	for (uint32_t i = 0; i < trace->npending; i++)
		all |= 1ull << trace->pending[i].thread;
	return standstill_finding(&standstill, all);
}

/* The process ends by itself, and yet some of the threads it leaves behind could not have gone on. */
static void note_stuck(struct finding_list *list, const struct trace *trace, const struct held *held)
{
	struct standstill standstill = {.pending = trace->pending, .npending = trace->npending, .held = held};
	uint64_t stuck = held->count ? standstill_stuck(&standstill) : 0;

	if (stuck)
		add_finding(list, standstill_finding(&standstill, stuck));
}

/* --- objects that are initialised and never destroyed --- */

static bool is_noted(const struct result *result, uint32_t site)
{
	for (unsigned i = 0; i < result->nnotes; i++)
		if (result->notes[i].site == site)
			return true;
	return false;
}

static void note_lifetimes(struct result *result, const struct history *history, const struct trace *trace)
{
	for (uint32_t i = history->made[0].next; i; i = history->made[i].next) {
		struct made *made = &history->made[i];
		const struct op *op = &trace->events[made->event].op;
		invariant(made->event < trace->nevents);
		if (made->noted)
			continue;
		made->noted = true;
		if (is_noted(result, op->site))
			continue;
		result->notes = memory_resize(result->notes, (result->nnotes + 1) * sizeof *result->notes);
		result->notes[result->nnotes++] = (struct note){.object_kind = event_table[op->kind].object,
								.site = op->site,
								.object = op->object};
	}
}

/* --- one execution --- */

/*
 * Not one that another execution stands for.  What comes after a state that is known was seen, but not what led there; and
 * what comes before an assumption that does not hold, or before a limit, has happened.
 */
bool record_counts(const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_EXIT:
	case ENDING_DEADLOCK:
	case ENDING_LIVELOCK:
	case ENDING_ANOMALY:
	case ENDING_ASSUMED:
	case ENDING_KNOWN:
	case ENDING_STEPS:
	case ENDING_HANG:
	case ENDING_CYCLE: return true;
	}
	return false;
}

void record_begin(struct recorder *recorder, uint32_t from)
{
	history_back(&recorder->history, from);
	recorder->begun = true;
}

void record_look(struct recorder *recorder, const struct trace *trace, uint32_t nevents)
{
	invariant(recorder->begun);
	invariant(nevents <= trace->nevents);
	history_follow(&recorder->history, trace, nevents);
}

void record_follow(struct recorder *recorder, const struct trace *trace, uint32_t from)
{
	if (!recorder->begun)
		record_begin(recorder, from);
	recorder->begun = false;
	if (record_counts(trace))
		history_follow(&recorder->history, trace, trace->nevents);
}

struct finding_list record_locks(struct recorder *recorder, const struct trace *trace)
{
	struct finding_list list = {0};

	if (record_counts(trace))
		note_thread_ends(&list, &recorder->history, trace->events);
	if (trace->ending != ENDING_EXIT)
		return list;
	note_lifetimes(recorder->result, &recorder->history, trace);
	note_stuck(&list, trace, &recorder->history.held);
	return list;
}

/* What note_lifetimes() would note. */
static bool has_unnoted(const struct recorder *recorder, const struct trace *trace)
{
	const struct made *made = recorder->history.made;

	for (uint32_t i = made[0].next; i; i = made[i].next)
		if (!made[i].noted && !is_noted(recorder->result, trace->events[made[i].event].op.site))
			return true;
	return false;
}

bool record_has_locks(const struct recorder *recorder, const struct trace *trace)
{
	const struct history *history = &recorder->history;

	return record_counts(trace) && (history->nends || history->nuses || history->held.count ||
					(trace->ending == ENDING_EXIT && has_unnoted(recorder, trace)));
}
