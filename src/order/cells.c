#include "order/state.h"

#include "common/invariant.h"

#include <string.h>

struct cell *cell_find(const struct order_state *state, uint64_t key)
{
	uint32_t number = table_find(&state->keys, key);

	return number ? &state->cells[number - 1] : NULL;
}

struct cell *cell_of(struct order_state *state, uint64_t key)
{
	uint32_t before = state->keys.count, number = table_add(&state->keys, key);

	if (number == before) {
		state->cells = array_grow(state->cells, &state->cells_size, number + 1, sizeof *state->cells);
		state->cells[number] = (struct cell){.last_acquire = NO_EVENT};
	}
	debug_invariant(number < state->cells_size);
	return &state->cells[number];
}

void add_access(struct order *order, struct cell *cell, struct access access)
{
	struct order_state *state = order->state;
	const struct event *event = &order->trace->events[access.event];

	debug_invariant(cell->head <= state->accesses.count);
	debug_invariant(!cell->head || state->accesses.items[cell->head - 1].event <= access.event); /* newest first */
	access.next = cell->head;
	access.thread = event->thread;
	describe_access(&access, &event->op);
	vector_add(&state->accesses, access);
	state_put(state, ARRAY_CELLS, &cell->head, state->accesses.count);
}

/* More than once, perhaps: settle() sorts them. */
void conflict_found(struct order_state *state, uint32_t event)
{
	debug_invariant(event < state->known); /* the current one is not known yet */
	if (state->found.count && state->found.items[state->found.count - 1] == event)
		return;
	vector_add(&state->found, event);
}

/* --- back to an earlier event --- */

void extent_keep(struct order_state *state, uint32_t event)
{
	debug_invariant(event == state->known);
	debug_invariant(!event || state->extents[event - 1].changes <= state->undo.count);
	debug_invariant(!event || state->extents[event - 1].naccesses <= state->accesses.count);
	state->extents[event] = (struct extent){.changes = state->undo.count,
						.ncells = state->keys.count,
						.naccesses = state->accesses.count,
						.nfreed = state->freed.count};
}

/* Each event is older than the one before it in the list, or the same (one that uses two objects in a word). */
static bool accesses_are_valid(const struct order_state *state, uint32_t head)
{
	uint32_t event = state->known;

	for (uint32_t i = head; i; i = state->accesses.items[i - 1].next) {
		if (i > state->accesses.count || state->accesses.items[i - 1].event > event)
			return false;
		event = state->accesses.items[i - 1].event;
	}
	return true;
}

bool order_state_is_valid(const struct order_state *state)
{
	for (uint32_t i = 0; i < state->keys.count; i++) {
		const struct cell *cell = &state->cells[i];
		if (!accesses_are_valid(state, cell->head) || cell->readers > state->accesses.count ||
		    (cell->last_acquire != NO_EVENT && cell->last_acquire > state->known))
			return false;
	}
	for (uint32_t i = state->latest.freed; i; i = state->freed.items[i - 1].next)
		if (i > state->freed.count || state->freed.items[i - 1].event > state->known)
			return false;
	for (unsigned i = 0; i < MAX_THREADS; i++)
		if (state->latest.last[i] != NO_EVENT && state->latest.last[i] > state->known)
			return false;
	return true;
}

static void back_to_beginning(struct order_state *state)
{
	table_cut(&state->keys, 0);
	state->accesses.count = state->freed.count = state->undo.count = 0;
	memset(&state->latest, 0xff, sizeof state->latest); /* NO_EVENT */
	state->latest.freed = 0;
}

void back_to(struct order_state *state, uint32_t event)
{
	uint32_t *const bases[UNDO_ARRAYS] = {(uint32_t *)&state->latest, (uint32_t *)state->cells,
					      (uint32_t *)state->accesses.items, (uint32_t *)state->freed.items};

	invariant(event <= state->known);
	if (!event) {
		back_to_beginning(state);
	} else if (event < state->known) {
		const struct extent *extent = &state->extents[event];
		debug_invariant(extent->naccesses <= state->accesses.count && extent->nfreed <= state->freed.count);
		undo_back(&state->undo, extent->changes, bases);
		table_cut(&state->keys, extent->ncells);
		state->accesses.count = extent->naccesses;
		state->freed.count = extent->nfreed;
	}
	state->known = event;
	slow_invariant(order_state_is_valid(state));
}
