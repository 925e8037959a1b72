#include "order/state.h"

#include <assert.h>
#include <string.h>

struct cell *probe(const struct order_state *state, uint64_t key)
{
	uint32_t number = keys_find(&state->keys, key);

	return number ? &state->cells[number - 1] : NULL;
}

struct cell *find_cell(struct order_state *state, uint64_t key)
{
	uint32_t before = state->keys.count, number = keys_add(&state->keys, key);

	if (number == before) {
		state->cells = grow(state->cells, &state->cells_size, number + 1, sizeof *state->cells);
		state->cells[number] = (struct cell){.last_acquire = NO_EVENT};
	}
	return &state->cells[number];
}

void add_access(struct order *order, struct cell *cell, struct access access)
{
	struct order_state *state = order->state;
	const struct event *event = &order->trace->events[access.event];

	state->accesses = grow(state->accesses, &state->accesses_size, state->naccesses + 1, sizeof access);
	access.next = cell->head;
	access.thread = event->thread;
	describe_access(&access, &event->op);
	state->accesses[state->naccesses++] = access;
	put(state, ARRAY_CELLS, &cell->head, state->naccesses);
}

/* More than once, perhaps: settle() sorts them. */
void note(struct order_state *state, uint32_t event)
{
	if (state->nfound && state->found[state->nfound - 1] == event)
		return;
	state->found = grow(state->found, &state->found_size, state->nfound + 1, sizeof *state->found);
	state->found[state->nfound++] = event;
}

/* --- back to an earlier event --- */

void set_mark(struct order_state *state, uint32_t event)
{
	state->marks[event] = (struct mark){.changes = state->undo.count,
					    .ncells = state->keys.count,
					    .naccesses = state->naccesses,
					    .nfreed = state->nfreed};
}

static void back_to_beginning(struct order_state *state)
{
	keys_cut(&state->keys, 0);
	state->naccesses = state->nfreed = state->undo.count = 0;
	memset(&state->latest, 0xff, sizeof state->latest); /* NO_EVENT */
	state->latest.freed = 0;
}

void back_to(struct order_state *state, uint32_t event)
{
	uint32_t *const bases[UNDO_ARRAYS] = {(uint32_t *)&state->latest, (uint32_t *)state->cells,
					      (uint32_t *)state->accesses, (uint32_t *)state->freed};

	assert(event <= state->known);
	if (!event) {
		back_to_beginning(state);
	} else if (event < state->known) {
		const struct mark *mark = &state->marks[event];
		undo_back(&state->undo, mark->changes, bases);
		keys_cut(&state->keys, mark->ncells);
		state->naccesses = mark->naccesses;
		state->nfreed = mark->nfreed;
	}
	state->known = event;
}
