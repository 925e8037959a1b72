#include "search/stateful/meetings.h"

#include <stdlib.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "search/stateful/labels.h"
#include "order/order.h"
#include "search/stateful/graph.h"

void meetings_clear(struct meeting_list *list, struct labels *labels)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!list->items[i].confirmed)
			labels_part(labels, list->items[i].labels[0], list->items[i].labels[1]);
	memory_free(list->steps);
	list->steps = NULL;
	list->count = 0;
}

void meetings_release(struct meeting_list *list)
{
	memory_free(list->steps);
	memory_free(list->items);
	*list = (struct meeting_list){0};
}

static void copy_steps(struct meeting_list *list, const struct trace *trace)
{
	list->steps = memory_new_clear(trace->nevents + 1ul, sizeof *list->steps);
	for (uint32_t i = 0; i < trace->nevents; i++)
		list->steps[i] = (struct step){.thread = trace->events[i].thread, .choice = trace->events[i].choice};
}

static void add(struct meeting_list *list, const struct trace *trace, struct meeting meeting)
{
	if (!list->steps)
		copy_steps(list, trace);
	invariant(meeting.first < meeting.nsteps && meeting.nsteps <= trace->nevents);
	vector_add(list, meeting);
}

/*
 * Is it a race, whatever the other operation turns out to be?  (An update that may only read will tell when it is its
 * turn in this state, which comes since the two are rivals.)  Of two that free a block, one has no right to.
 */
static bool is_race(const struct op *op, const struct op *other)
{
	struct op weakest = *other;

	if (op->kind == EV_FREE && other->kind == EV_FREE)
		return false;
	if (other->kind == EV_ATOMIC_CAS)
		weakest.kind = EV_ATOMIC_CAS_FAIL;
	if (other->kind == EV_ATOMIC_RMW)
		weakest.kind = EV_ATOMIC_RMW_SAME;
	return ops_race(op, &weakest) && ops_conflict(op, &weakest);
}

void meetings_find(struct meeting_list *list, const struct trace *trace, uint32_t event, const struct meeting_state *at)
{
	const struct event *taken = &trace->events[event];
	const struct vertex *vertex = &at->graph->vertices[at->vertex];
	const uint16_t *moves = at->graph->moves + vertex->moves;

	invariant(event < trace->nevents && at->vertex < at->graph->nvertices);
	if (taken->thread >= vertex->nmoves)
		return;
	for (uint64_t left = vertex->enabled & ~(1ull << taken->thread); left; left &= left - 1) {
		unsigned thread = (unsigned)__builtin_ctzll(left);
		if (thread >= vertex->nmoves || moves[thread] == NO_LABEL)
			continue;
		const struct label *other = &at->labels->all[moves[thread]];
		debug_invariant(other->thread == thread);
		if (is_race(&taken->op, &other->op) && labels_meet(at->labels, moves[taken->thread], moves[thread]))
			add(list, trace,
			    (struct meeting){.first = event,
					     .nsteps = end_of_block(trace->events, event, trace->nevents) + 1,
					     .events = {*taken, {.op = other->op, .thread = other->thread}},
					     .labels = {moves[taken->thread], moves[thread]}});
	}
}
