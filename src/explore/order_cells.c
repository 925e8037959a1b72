#include "explore/order_state.h"

#include <stdlib.h>

static uint64_t hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ull;
	return key ^ key >> 29;
}

struct cell *probe(struct order_state *state, uint64_t key)
{
	for (uint64_t i = hash(key);; i++) {
		struct cell *cell = &state->cells[i & (state->ncells - 1)];
		if (cell->epoch != state->epoch || cell->key == key)
			return cell;
	}
}

static void grow_cells(struct order_state *state)
{
	struct cell *old = state->cells;
	uint32_t n = state->ncells;

	state->ncells *= 2;
	state->cells = xcalloc(state->ncells, sizeof *state->cells);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].epoch == state->epoch)
			*probe(state, old[i].key) = old[i];
	free(old);
}

struct cell *find_cell(struct order_state *state, uint64_t key)
{
	struct cell *cell = probe(state, key);

	if (cell->epoch == state->epoch)
		return cell;
	if (state->used * 2 > state->ncells) {
		grow_cells(state);
		cell = probe(state, key);
	}
	state->used++;
	*cell = (struct cell){.key = key, .epoch = state->epoch, .last_acquire = NO_EVENT};
	return cell;
}

void add_access(struct order_state *state, struct cell *cell, struct access access)
{
	state->accesses = grow(state->accesses, &state->accesses_size, state->naccesses + 1, sizeof access);
	access.next = cell->head;
	state->accesses[state->naccesses++] = access;
	cell->head = state->naccesses;
}

void note(struct order_state *state, uint32_t event)
{
	for (uint32_t i = 0; i < state->nfound; i++)
		if (state->found[i] == event)
			return;
	state->found = grow(state->found, &state->found_size, state->nfound + 1, sizeof *state->found);
	state->found[state->nfound++] = event;
}
