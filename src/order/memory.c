#include "order/state.h"

#include "common/invariant.h"
#include "wire/system.h"

/* Does the access, whose bytes are among those of an earlier one, conflict with that? */
static bool conflicts_with(const struct access *earlier, const struct access *access)
{
	switch (earlier->use) {
	case USE_OF_BLOCK: return access->frees;
	case USE_OF_BYTES: return true;
	default:
		return access->writes || earlier->writes || (access->same && earlier->plain) ||
		       (access->plain && earlier->same);
	}
}

/*
 * A write hides what it covers, but only a free what a free conflicts with; a read hides the same thread's reads, unless
 * they conflict with more.
 */
static bool hides(const struct access *access, const struct access *earlier)
{
	if (earlier->frees || earlier->use == USE_OF_BLOCK)
		return access->frees;
	if (access->writes)
		return true;
	return !earlier->writes && !earlier->use && earlier->thread == access->thread &&
	       (!earlier->plain || access->plain) && (!earlier->same || access->same);
}

/* Note what in the cell the access conflicts with, and take out what it hides. */
static void compare_word(struct order *order, uint32_t event, struct cell *cell, uint8_t mask, bool writes)
{
	struct order_state *state = order->state;
	const struct event *e = &order->trace->events[event];
	struct access now = {.thread = e->thread, .writes = writes};
	enum array array = ARRAY_CELLS;
	uint32_t *link = &cell->head;

	describe_access(&now, &e->op);
	while (*link) {
		struct access *access = &state->accesses.items[*link - 1];
		debug_invariant(access->event <= event && access->mask); /* what is hidden is taken out */
		/* what is known to come before is not even noted: a thread that frees a large block wrote all of it */
		if (access->mask & mask && conflicts_with(access, &now) && !covers(order, event, access->event))
			conflict_found(state, access->event);
		bool hidden = hides(&now, access);
		if (hidden && !(access->mask & ~mask)) {
			state_put(state, array, link, access->next);
			continue;
		}
		if (hidden && access->mask & mask)
			state_put(state, ARRAY_ACCESSES, &access->mask, access->mask & ~mask);
		link = &access->next;
		array = ARRAY_ACCESSES;
	}
}

static void memory_word(struct order *order, uint32_t event, uint64_t word, uint8_t mask, bool writes)
{
	struct cell *cell = cell_of(order->state, word_key(word));

	debug_invariant(mask);
	compare_word(order, event, cell, mask, writes);
	add_access(order, cell, (struct access){.event = event, .mask = mask, .writes = writes});
}

/* Compare with the cells that there are, whichever way there are fewer to look at. */
static void compare_range(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct op *op = &order->trace->events[event].op;
	uint64_t first = op->object / 8, last = (op->object + op->size - 1) / 8;

	debug_invariant(op->size && first <= last);
	if (last - first < state->keys.count) {
		for (uint64_t word = first; word <= last; word++) {
			struct cell *cell = cell_find(state, word_key(word));
			if (cell)
				compare_word(order, event, cell, bytes_of_word(op, word), true);
		}
		return;
	}
	for (uint32_t i = 0; i < state->keys.count; i++) {
		uint64_t key = state->keys.keys[i], word = key_word(key);
		if (key_is_word(key) && word >= first && word <= last)
			compare_word(order, event, &state->cells[i], bytes_of_word(op, word), true);
	}
}

/* Large blocks that were freed and that some of these addresses were in. */
static void note_freed(struct order_state *state, uint64_t start, uint64_t end)
{
	debug_invariant(state->latest.freed <= state->freed.count);
	for (uint32_t i = state->latest.freed; i; i = state->freed.items[i - 1].next)
		if (state->freed.items[i - 1].start < end && start < state->freed.items[i - 1].end)
			conflict_found(state, state->freed.items[i - 1].event);
}

void use_object(struct order *order, uint32_t event, uint64_t object)
{
	struct order_state *state = order->state;
	struct cell *cell = cell_of(state, word_key(object / 8));
	uint8_t mask = (uint8_t)(1u << object % 8), thread = order->trace->events[event].thread;
	enum use use = order->trace->events[event].op.order == OBJECT_ACCESSED ? USE_OF_BYTES : USE_OF_BLOCK;
	enum array array = ARRAY_CELLS;
	uint32_t *link = &cell->head;

	while (*link) {
		struct access *access = &state->accesses.items[*link - 1];
		if (access->mask & mask && (access->frees || (use == USE_OF_BYTES && !access->use)))
			conflict_found(state, access->event);
		if (access->use && access->mask == mask && access->thread == thread) {
			state_put(state, array, link, access->next);
			continue;
		}
		link = &access->next;
		array = ARRAY_ACCESSES;
	}
	note_freed(state, object, object + 1);
	add_access(order, cell, (struct access){.event = event, .mask = mask, .use = use});
}

static void free_large(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct op *op = &order->trace->events[event].op;
	struct freed new = {.start = op->object, .end = op->object + op->size, .event = event};
	enum array array = ARRAY_LATEST;
	uint32_t *link = &state->latest.freed;

	compare_range(order, event);
	while (*link) { /* those inside this one need not be kept */
		struct freed *old = &state->freed.items[*link - 1];
		if (new.start <= old->start && old->end <= new.end) {
			state_put(state, array, link, old->next);
			continue;
		}
		link = &old->next;
		array = ARRAY_FREED;
	}
	new.next = state->latest.freed;
	vector_add(&state->freed, new);
	state_put(state, ARRAY_LATEST, &state->latest.freed, state->freed.count);
}

void memory_conflicts(struct order *order, uint32_t event)
{
	const struct op *op = &order->trace->events[event].op;
	debug_invariant(event_table[op->kind].object_class == OBJECT_MEMORY);
	bool writes = event_table[op->kind].effect == EFFECT_WRITE;
	uint64_t end = op->object + op->size;

	note_freed(order->state, op->object, end);
	if (event_frees(op->kind) && op->size > LARGE_FREE) {
		free_large(order, event);
		return;
	}
	for (uint64_t word = op->object / 8; word * 8 < end; word++)
		memory_word(order, event, word, bytes_of_word(op, word), writes);
}

/* Each object counts as a word. */
void system_conflicts(struct order *order, uint32_t event)
{
	const struct op *op = &order->trace->events[event].op;

	for (uint64_t left = op->object | op->object2; left; left &= left - 1) {
		unsigned object = (unsigned)__builtin_ctzll(left);
		memory_word(order, event, system_address(object) / 8, 0xff, op->object >> object & 1);
	}
}
