#include "order/history.h"

#include "common/invariant.h"
#include "storage/memory.h"

#include <stdlib.h>

enum { ARRAY_MADE, ARRAY_LAST };

void history_init(struct history *history)
{
	*history = (struct history){.held.remembers = true, .nmade = 1};
	history->made = array_grow(NULL, &history->made_size, 16, sizeof *history->made);
	history->made[0] = (struct made){0};
}

void history_release(struct history *history)
{
	held_release(&history->held);
	memory_free(history->ends);
	memory_free(history->uses);
	memory_free(history->made);
	table_release(&history->keys);
	memory_free(history->last);
	vector_release(&history->undo);
	memory_free(history->extents);
	*history = (struct history){0};
}

/* --- back to an earlier event --- */

static void extent_keep(struct history *history, uint32_t event)
{
	debug_invariant(event >= history->known);
	debug_invariant(!history->nextents || history->extents[history->nextents - 1].event < event);
	history->extents =
		array_grow(history->extents, &history->extents_size, history->nextents + 1, sizeof *history->extents);
	history->extents[history->nextents++] = (struct history_extent){.event = event,
									.held = history->held.changes.count,
									.nends = history->nends,
									.nuses = history->nuses,
									.nmade = history->nmade,
									.nkeys = history->keys.count,
									.changes = history->undo.count};
}

/* Those that are still there are a circle through the first item, oldest first. */
bool history_is_valid(const struct history *history)
{
	uint32_t count = 0, last = 0;

	for (uint32_t i = history->made[0].next; i; i = history->made[i].next) {
		if (i >= history->nmade || history->made[i].previous != last || ++count > history->nmade ||
		    (last && history->made[i].event < history->made[last].event))
			return false;
		last = i;
	}
	for (uint32_t i = 0; i < history->keys.count; i++)
		if (history->last[i] >= history->nmade)
			return false;
	return history->made[0].previous == last;
}

void history_back(struct history *history, uint32_t event)
{
	uint32_t *const bases[UNDO_ARRAYS] = {(uint32_t *)history->made, history->last};
	uint32_t kept = history->nextents;

	if (event >= history->known)
		return;
	while (kept && history->extents[kept - 1].event >= event)
		kept--;
	if (kept < history->nextents) {
		const struct history_extent *extent = &history->extents[kept];
		debug_invariant(extent->nends <= history->nends && extent->nuses <= history->nuses);
		debug_invariant(extent->nmade && extent->nmade <= history->nmade); /* the first is the list itself */
		held_back(&history->held, extent->held);
		undo_back(&history->undo, extent->changes, bases);
		table_cut(&history->keys, extent->nkeys);
		history->nends = extent->nends;
		history->nuses = extent->nuses;
		history->nmade = extent->nmade;
		history->nextents = kept;
	}
	history->known = event;
	slow_invariant(history_is_valid(history));
}

static void put_link(struct history *history, uint32_t *word, uint32_t value)
{
	undo_put(&history->undo, ARRAY_MADE, history->made, word, value);
}

static void put_last(struct history *history, uint32_t object, uint32_t value)
{
	undo_put(&history->undo, ARRAY_LAST, history->last, &history->last[object], value);
}

/* --- objects that are initialised and destroyed --- */

static void make(struct history *history, uint32_t object, uint32_t event)
{
	uint32_t new = history->nmade++, newest = history->made[0].previous;

	history->made = array_grow(history->made, &history->made_size, new + 1, sizeof *history->made);
	history->made[new] = (struct made){.event = event, .previous = newest};
	invariant(newest < new && !history->made[newest].next);
	put_link(history, &history->made[newest].next, new);
	put_link(history, &history->made[0].previous, new);
	put_last(history, object, new);
}

static void destroy(struct history *history, uint32_t object)
{
	const struct made *made = &history->made[history->last[object]];

	if (!history->last[object])
		return;
	debug_invariant(history->made[made->previous].next == history->last[object]);
	debug_invariant(history->made[made->next].previous == history->last[object]);
	put_link(history, &history->made[made->previous].next, made->next);
	put_link(history, &history->made[made->next].previous, made->previous);
	put_last(history, object, 0);
}

static void follow_lifetime(struct history *history, const struct op *op, uint32_t event)
{
	if (!event_is(op->kind, EV_INIT | EV_DESTROY))
		return;
	uint64_t key = object_key(event_table[op->kind].object, op->object);
	uint32_t before = history->keys.count, object = table_add(&history->keys, key);
	history->last = array_grow(history->last, &history->last_size, history->keys.count, sizeof *history->last);
	if (object == before)
		history->last[object] = 0;
	if (event_is(op->kind, EV_INIT))
		make(history, object, event);
	else
		destroy(history, object);
}

/* --- events --- */

static void end_thread(struct history *history, unsigned thread)
{
	for (uint32_t i = 0; i < history->held.count; i++) {
		if (history->held.items[i].thread != thread)
			continue;
		history->ends =
			array_grow(history->ends, &history->ends_size, history->nends + 1, sizeof *history->ends);
		history->ends[history->nends++] = history->held.items[i];
	}
}

static void note_use(struct history *history, uint32_t event)
{
	history->uses = array_grow(history->uses, &history->uses_size, history->nuses + 1, sizeof *history->uses);
	history->uses[history->nuses++] = event;
}

void history_follow(struct history *history, const struct trace *trace, uint32_t nevents)
{
	for (uint32_t i = history->known; i < nevents; i++) {
		const struct event *event = &trace->events[i];
		const struct event_info *info = &event_table[event->op.kind];
		if (info->object_class == OBJECT_MEMORY)
			continue;
		extent_keep(history, i);
		if (event_is_uninitialised(event))
			note_use(history, i);
		if (event->op.kind == EV_EXIT)
			end_thread(history, event->thread);
		else if (info->effect == EFFECT_CHANGE)
			follow_lifetime(history, &event->op, i);
		held_follow(&history->held, event, i);
	}
	if (nevents > history->known)
		history->known = nevents;
}
