/*
 * What state/ keeps in the runtime's own memory, all of it only with --stateful: sums that are kept up to date while the
 * program runs, so that the state of the program is known at each decision without a look at all of it (state.c).
 */
#ifndef INSPECT_RUNTIME_STATE_DATA_H
#define INSPECT_RUNTIME_STATE_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/memory/data.h"
#include "wire/channel.h"

enum { MAX_OPEN = 8, STATE_PLACES = 1 << 22, EXACT_PLACES = 1 << 16 };

/* Of the execution: what is known of the program's state between two captures. */
struct states {
	bool kept; /* the program's states are: is_stateful() */
	bool live; /* the program tells what is live */
	bool lost; /* something was done that nothing is known about */
	uint32_t nopen;
	uint64_t stale; /* threads whose part of it may be another now, besides the running one */
	struct state memory; /* a sum over all words that were written */
	struct state threads; /* a sum over all threads */
	struct state path; /* the last state, and the steps since */
	struct state hidden; /* what was done to state inside the C library and the runtime */
	struct region open[MAX_OPEN]; /* being written: not part of the sum, no word is in two of them */
	uint64_t errno_offset; /* from the thread pointer */
};

/* Of a thread. */
struct thread_states {
	struct state known; /* what it knows */
	struct state part; /* of the program's state, as it was last */
	struct state kept; /* … and what the runtime keeps for it: its allocations, its values of keys */
};

/* A word of memory with --exact-states. */
struct exact_word {
	uint64_t address, value, first; /* 0: free */
	uint64_t told; /* a mask of the bytes that are known; a neighbour may be the C library's */
	bool dead; /* part of a stack that is nobody's for now */
};

/* Those that are known, in a hash table by address; the first `count` of `used` say where (exact.c). */
struct exact {
	uint32_t count;
	uint32_t used[EXACT_PLACES / 2];
	struct exact_word words[EXACT_PLACES];
};

/*
 * The states of this execution, in a hash table of indices of events.  It is never cleared: an entry counts only if the
 * trace still says the same.
 */
struct seen {
	uint32_t mask; /* of the places that are in use: one less than a power of two */
	uint32_t places[STATE_PLACES];
};

#endif
