#include "order/state.h"

#include <assert.h>
#include <string.h>

struct cell *probe(const struct order_state *state, uint64_t key)
{
	uint32_t number = table_find(&state->keys, key);

	return number ? &state->cells[number - 1] : NULL;
}

struct cell *find_cell(struct order_state *state, uint64_t key)
{
	uint32_t before = state->keys.count, number = table_add(&state->keys, key);

	if (number == before) {
		state->cells = array_grow(state->cells, &state->cells_size, number + 1, sizeof *state->cells);
		state->cells[number] = (struct cell){.last_acquire = NO_EVENT};
	}
	return &state->cells[number];
}

void add_access(struct order *order, struct cell *cell, struct access access)
{
	struct order_state *state = order->state;
	const struct event *event = &order->trace->events[access.event];

	access.next = cell->head;
	access.thread = event->thread;
	describe_access(&access, &event->op);
	vector_add(&state->accesses, access);
	put(state, ARRAY_CELLS, &cell->head, state->accesses.count);
}

/* More than once, perhaps: settle() sorts them. */
void note(struct order_state *state, uint32_t event)
{
	if (state->found.count && state->found.items[state->found.count - 1] == event)
		return;
	vector_add(&state->found, event);
}

/* --- back to an earlier event --- */

void set_mark(struct order_state *state, uint32_t event)
{
	state->marks[event] = (struct mark){.changes = state->undo.count,
					    .ncells = state->keys.count,
					    .naccesses = state->accesses.count,
					    .nfreed = state->freed.count};
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

	assert(event <= state->known);
	if (!event) {
		back_to_beginning(state);
	} else if (event < state->known) {
		const struct mark *mark = &state->marks[event];
		undo_back(&state->undo, mark->changes, bases);
		table_cut(&state->keys, mark->ncells);
		state->accesses.count = mark->naccesses;
		state->freed.count = mark->nfreed;
	}
	state->known = event;
}
