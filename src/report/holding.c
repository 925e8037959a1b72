#include "report/holding.h"

#include "common/invariant.h"

#include <inttypes.h>

void add_place_and_function(struct buffer *text, const struct story *story, struct place place)
{
	add_place(text, story, place);
	if (*place.function)
		buffer_printf(text, " in %s", place.function);
}

void add_lock(struct buffer *text, const struct story *story, const struct held_lock *lock)
{
	const struct op *op = &story->execution->events[lock->since].op;

	invariant(lock->since < story->execution->nevents);
	invariant(story->execution->events[lock->since].thread == lock->thread);
	/* the site of a wait names the condition variable, not the mutex */
	add_exact_object(text, story, lock->object, 0, op->kind == EV_COND_WAKE ? 0 : op->site);
}

static void add_acquired_at(struct buffer *text, const struct story *story, const struct held_lock *lock)
{
	add_place(text, story, symbols_site(story->symbols, story->execution->events[lock->since].op.site));
}

bool is_for_reading(const struct story *story, const struct held_lock *lock)
{
	unsigned effect = event_table[story->execution->events[lock->since].op.kind].effect;

	return effect == EFFECT_READ_ACQUIRE || effect == EFFECT_TRY_READ_ACQUIRE;
}

void add_locked_at(struct buffer *text, const struct story *story, const struct held_lock *lock)
{
	buffer_add_text(text, is_for_reading(story, lock) ? "(read-locked at " : "(locked at ");
	add_acquired_at(text, story, lock);
	buffer_add_char(text, ')');
}

bool holds_any(const struct held *held, uint32_t thread)
{
	for (size_t i = 0; i < held->count; i++)
		if (held->items[i].thread == thread)
			return true;
	return false;
}

static void add_all(struct buffer *text, const struct story *story, const struct held *held, uint32_t thread,
		    bool brief)
{
	const char *separator = "";

	for (size_t i = 0; i < held->count; i++) {
		const struct held_lock *lock = &held->items[i];
		if (lock->thread != thread)
			continue;
		buffer_add_text(text, separator);
		separator = " and ";
		add_lock(text, story, lock);
		buffer_add_char(text, ' ');
		if (brief) {
			add_locked_at(text, story, lock);
			continue;
		}
		buffer_add_text(text, is_for_reading(story, lock) ? "(for reading, since " : "(since ");
		add_acquired_at(text, story, lock);
		buffer_printf(text, ", step %" PRIu32 ")", lock->since + 1);
	}
	if (!*separator)
		buffer_add_text(text, "no lock");
}

void add_held(struct buffer *text, const struct story *story, const struct held *held, uint32_t thread)
{
	add_all(text, story, held, thread, false);
}

void add_held_briefly(struct buffer *text, const struct story *story, const struct held *held, uint32_t thread)
{
	add_all(text, story, held, thread, true);
}
