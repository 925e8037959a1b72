/*
 * Program states, as the stateful search knows them: by hashes that the runtime computes while
 * the program runs (src/runtime/state/state.c), and what the search wants to be done in the states
 * that it has seen (src/search/stateful/stateful.c).
 */
#ifndef INSPECT_WIRE_STATES_H
#define INSPECT_WIRE_STATES_H

#include <stdbool.h>
#include <stdint.h>

/* Equal states of the program have equal hashes; others, as good as never.  All zero: not known. */
struct state {
	uint64_t a, b;
};

static inline bool state_equal(struct state x, struct state y)
{
	return x.a == y.a && x.b == y.b;
}

static inline bool state_is_known(struct state state)
{
	return state.a | state.b;
}

/* A state that the search has seen, in a hash table with open addressing: by state.a, then the next ones. */
struct state_slot {
	struct state state; /* not known: the slot is free */
	uint64_t todo; /* threads that are to be explored from it and were not yet */
	uint32_t node; /* the search's own number */
	uint32_t finished; /* nothing is left to explore from it, nor from what it leads to */
};

#define MAX_STATE_SLOTS (1u << 26)
#define MAX_EXACT_WORDS (1u << 27)

#endif
