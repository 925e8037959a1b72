#include "order/held.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"

static bool is_lock(unsigned object_class)
{
	return object_is(object_class, OBJECT_LOCK);
}

static void remember(struct held *held, uint32_t at, bool taken)
{
	if (!held->remembers)
		return;
	vector_add(&held->changes, (struct held_change){.lock = held->items[at], .at = at, .taken = taken});
}

static void insert_item(struct held *held, uint32_t i, struct held_lock lock)
{
	debug_invariant(i <= held->count);
	vector_need(held, held->count + 1ull);
	memmove(&held->items[i + 1], &held->items[i], (held->count - i) * sizeof *held->items);
	held->items[i] = lock;
	held->count++;
}

static void remove_item(struct held *held, uint32_t i)
{
	debug_invariant(i < held->count);
	held->count--;
	memmove(&held->items[i], &held->items[i + 1], (held->count - i) * sizeof *held->items);
}

static void take(struct held *held, const struct event *event, uint32_t i)
{
	debug_invariant(!held->count || held->items[held->count - 1].since <= i); /* in the order of acquisition */
	insert_item(held, held->count, (struct held_lock){event->op.object, event->thread, i});
	remember(held, held->count - 1, true);
}

static void drop_item(struct held *held, uint32_t i)
{
	remember(held, i, false);
	remove_item(held, i);
}

static void give_up(struct held *held, uint64_t object, uint32_t thread)
{
	for (uint32_t i = held->count; i-- > 0;) {
		if (held->items[i].object != object || held->items[i].thread != thread)
			continue;
		drop_item(held, i);
		return;
	}
}

/* Initialised again or destroyed: nobody holds it any more. */
static void forget(struct held *held, uint64_t object)
{
	for (uint32_t i = held->count; i-- > 0;)
		if (held->items[i].object == object)
			drop_item(held, i);
}

void held_follow(struct held *held, const struct event *event, uint32_t i)
{
	const struct event_info *info = &event_table[event->op.kind];

	if (info->effect == EFFECT_WAIT && event->op.object2)
		give_up(held, event->op.object2, event->thread);
	if (!is_lock(info->object_class))
		return;
	switch (info->effect) {
	case EFFECT_ACQUIRE:
	case EFFECT_TRY_ACQUIRE:
	case EFFECT_READ_ACQUIRE:
	case EFFECT_TRY_READ_ACQUIRE:
		if (!event_is(event->op.kind, EV_TAKES_NOTHING))
			take(held, event, i);
		break;
	case EFFECT_READ_RELEASE:
	case EFFECT_RELEASE: give_up(held, event->op.object, event->thread); break;
	case EFFECT_CHANGE: forget(held, event->op.object); break;
	}
}

void held_init(struct held *held, const struct event *events, uint32_t nevents)
{
	*held = (struct held){0};
	for (uint32_t i = 0; i < nevents; i++)
		held_follow(held, &events[i], i);
}

void held_back(struct held *held, uint32_t nchanges)
{
	invariant(held->remembers && nchanges <= held->changes.count);
	while (held->changes.count > nchanges) {
		const struct held_change *change = &held->changes.items[--held->changes.count];
		debug_invariant(!change->taken || held->items[change->at].object == change->lock.object);
		if (change->taken)
			remove_item(held, change->at);
		else
			insert_item(held, change->at, change->lock);
	}
}

void held_release(struct held *held)
{
	vector_release(held);
	vector_release(&held->changes);
	*held = (struct held){0};
}

const struct held_lock *held_owner(const struct held *held, uint64_t object)
{
	for (uint32_t i = 0; i < held->count; i++)
		if (held->items[i].object == object)
			return &held->items[i];
	return NULL;
}

/* --- who waits for whom --- */

enum wait pending_wait(const struct pending *pending)
{
	unsigned object_class = event_table[pending->op.kind].object_class;

	if (pending->enabled)
		return WAIT_NOT;
	if (pending->waiting)
		return WAIT_EVENT;
	if (object_class == OBJECT_THREAD)
		return WAIT_END;
	return is_lock(object_class) ? WAIT_LOCK : WAIT_EVENT;
}

const struct pending *standstill_pending(const struct standstill *standstill, uint32_t thread)
{
	for (uint32_t i = 0; i < standstill->npending; i++)
		if (standstill->pending[i].thread == thread)
			return &standstill->pending[i];
	return NULL;
}

uint32_t standstill_awaited(const struct standstill *standstill, const struct pending *pending)
{
	const struct held_lock *owner;

	switch (pending_wait(pending)) {
	case WAIT_END: return pending->op.target;
	case WAIT_LOCK:
		owner = held_owner(standstill->held, pending->op.object);
		return owner ? owner->thread : MAX_THREADS;
	case WAIT_NOT:
	case WAIT_EVENT: break;
	}
	return MAX_THREADS;
}

/* Does one who holds the lock never release it: has ended, or is of the set? */
static bool is_held_for_ever(const struct standstill *standstill, uint64_t object, uint64_t set)
{
	for (uint32_t i = 0; i < standstill->held->count; i++) {
		const struct held_lock *lock = &standstill->held->items[i];
		if (lock->object == object &&
		    (set >> lock->thread & 1 || !standstill_pending(standstill, lock->thread)))
			return true;
	}
	return false;
}

static bool never_goes_on(const struct standstill *standstill, const struct pending *pending, uint64_t set)
{
	if (pending->timed)
		return false;
	switch (pending_wait(pending)) {
	case WAIT_LOCK: return is_held_for_ever(standstill, pending->op.object, set);
	case WAIT_END: return set >> pending->op.target & 1;
	case WAIT_NOT:
	case WAIT_EVENT: break;
	}
	return false;
}

/* The largest set that supports itself: start with all, take out who does not belong, until nobody does. */
uint64_t standstill_stuck(const struct standstill *standstill)
{
	uint64_t set = 0, before;

	for (uint32_t i = 0; i < standstill->npending; i++)
		if (!standstill->pending[i].enabled)
			set |= 1ull << standstill->pending[i].thread;
	do {
		before = set;
		for (uint32_t i = 0; i < standstill->npending; i++)
			if (!never_goes_on(standstill, &standstill->pending[i], set))
				set &= ~(1ull << standstill->pending[i].thread);
	} while (set != before);
	debug_invariant(!set || standstill->npending);
	return set;
}

uint32_t standstill_cycle(const struct standstill *standstill, uint64_t set, uint32_t cycle[MAX_THREADS])
{
	for (uint64_t left = set; left; left &= left - 1) {
		uint32_t first = (uint32_t)__builtin_ctzll(left), thread = first, length = 0;
		do {
			const struct pending *pending = standstill_pending(standstill, thread);
			invariant(length < MAX_THREADS);
			cycle[length++] = thread;
			thread = pending ? standstill_awaited(standstill, pending) : MAX_THREADS;
		} while (thread < MAX_THREADS && set >> thread & 1 && thread != first && length < MAX_THREADS);
		if (thread == first)
			return length;
	}
	return 0;
}
