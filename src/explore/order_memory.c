#include "explore/order_state.h"

/* Note what in the cell the access conflicts with, and take out what it hides. */
static void compare_word(struct order *order, uint32_t event, struct cell *cell, uint8_t mask, bool writes)
{
	struct order_state *state = order->state;
	uint8_t thread = order->trace->events[event].thread;
	bool frees = order->trace->events[event].op.kind == EV_FREE;
	uint32_t *link = &cell->head;

	while (*link) {
		struct access *access = &state->accesses[*link - 1];
		/* what is known to come before is not even noted: a thread that frees a large block wrote all of it */
		if (access->mask & mask && (access->use ? frees : writes || access->writes) &&
		    !covers(order, event, access->event))
			note(state, access->event);
		/* a write hides what it covers, but only a free what a free conflicts with; a read the same thread's reads */
		bool special = access->use || order->trace->events[access->event].op.kind == EV_FREE;
		if (special ? frees
			    : writes || (!access->writes && order->trace->events[access->event].thread == thread))
			access->mask &= (uint8_t)~mask;
		if (access->mask)
			link = &access->next;
		else
			*link = access->next;
	}
}

static void memory_word(struct order *order, uint32_t event, uint64_t word, uint8_t mask, bool writes)
{
	struct cell *cell = find_cell(order->state, word_key(word));

	compare_word(order, event, cell, mask, writes);
	add_access(order->state, cell, (struct access){.event = event, .mask = mask, .writes = writes});
}

/* Compare with the cells that there are, whichever way there are fewer to look at. */
static void compare_range(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct op *op = &order->trace->events[event].op;
	uint64_t first = op->object / 8, last = (op->object + op->size - 1) / 8;

	if (last - first < state->ncells) {
		for (uint64_t word = first; word <= last; word++) {
			struct cell *cell = probe(state, word_key(word));
			if (cell->epoch == state->epoch)
				compare_word(order, event, cell, bytes_of_word(op, word), true);
		}
		return;
	}
	for (uint32_t i = 0; i < state->ncells; i++) {
		struct cell *cell = &state->cells[i];
		uint64_t word = cell->key >> CLASS_BITS;
		if (cell->epoch == state->epoch && word_key(word) == cell->key && word >= first && word <= last)
			compare_word(order, event, cell, bytes_of_word(op, word), true);
	}
}

/* A synchronisation object on the heap is used: was its block freed, or will it be? */
void use_object(struct order *order, uint32_t event, uint64_t object)
{
	struct order_state *state = order->state;
	struct cell *cell = find_cell(state, word_key(object / 8));
	uint8_t mask = (uint8_t)(1u << object % 8), thread = order->trace->events[event].thread;
	uint32_t *link = &cell->head;

	while (*link) {
		struct access *access = &state->accesses[*link - 1];
		const struct event *earlier = &order->trace->events[access->event];
		if (access->mask & mask && earlier->op.kind == EV_FREE)
			note(state, access->event);
		if (access->use && access->mask == mask && earlier->thread == thread)
			*link = access->next;
		else
			link = &access->next;
	}
	for (uint32_t i = 0; i < state->nfreed; i++)
		if (state->freed[i].start <= object && object < state->freed[i].end)
			note(state, state->freed[i].event);
	add_access(state, cell, (struct access){.event = event, .mask = mask, .use = true});
}

static void free_large(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct op *op = &order->trace->events[event].op;
	struct freed new = {.start = op->object, .end = op->object + op->size, .event = event};
	uint32_t kept = 0;

	compare_range(order, event);
	for (uint32_t i = 0; i < state->nfreed; i++)
		if (state->freed[i].start < new.start || state->freed[i].end > new.end)
			state->freed[kept++] = state->freed[i];
	state->nfreed = kept;
	state->freed = grow(state->freed, &state->freed_size, kept + 1, sizeof new);
	state->freed[state->nfreed++] = new;
}

void memory_conflicts(struct order *order, uint32_t event)
{
	const struct order_state *state = order->state;
	const struct op *op = &order->trace->events[event].op;
	bool writes = event_table[op->kind].effect == EFFECT_WRITE;
	uint64_t end = op->object + op->size;

	for (uint32_t i = 0; i < state->nfreed; i++)
		if (state->freed[i].start < end && op->object < state->freed[i].end)
			note(order->state, state->freed[i].event);
	if (op->kind == EV_FREE && op->size > LARGE_FREE) {
		free_large(order, event);
		return;
	}
	for (uint64_t word = op->object / 8; word * 8 < end; word++)
		memory_word(order, event, word, bytes_of_word(op, word), writes);
}
