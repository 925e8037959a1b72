/*
 * Inside the computation of happens-before (order.h): the state that its parts share.
 *
 *   order.c         event by event: what enables what, conflicts over synchronisation objects
 *   order_memory.c  conflicts over memory
 *   order_races.c   clocks, and which conflicts are races
 *   order_cells.c   the table of objects
 *
 * Nobody else includes this.
 */
#ifndef INSPECT_EXPLORE_ORDER_STATE_H
#define INSPECT_EXPLORE_ORDER_STATE_H

#include <stddef.h>

#include "common/trouble.h"
#include "explore/order.h"

#define NO_EVENT UINT32_MAX

/*
 * Per object the events that a later one may still have to be compared with.  A
 * cell is a word of memory or a synchronisation object; its accesses are a list,
 * newest first, from which an event disappears once every later conflict with it
 * is also one with an event after it.
 */
struct access {
	uint32_t event;
	uint32_t next; /* index + 1 into accesses, 0: the end */
	uint8_t mask; /* bytes of the word */
	uint8_t writes; /* changes the object for everybody: nothing before matters any more */
	uint8_t use; /* of a synchronisation object in the word: only the end of its block conflicts with it */
};

struct cell {
	uint64_t key;
	uint32_t epoch; /* of the trace it belongs to; others are free */
	uint32_t head;
	uint32_t last_acquire; /* the last to take it alone */
};

/*
 * A large block that was freed: too many words to have a cell each, and hardly any of them
 * is touched again.
 */
struct freed {
	uint64_t start, end;
	uint32_t event;
};

#define LARGE_FREE 256 /* bytes */

struct order_state {
	struct cell *cells; /* a hash table, power of two */
	uint32_t ncells, used, epoch;
	struct access *accesses;
	uint32_t naccesses, accesses_size;
	struct freed *freed;
	uint32_t nfreed, freed_size;
	uint32_t *found; /* conflicting earlier events of the current one */
	uint32_t nfound, found_size;
	uint32_t local_size, cause_size, rows, races_size, others_size;
	uint64_t clocks_size;
	uint32_t from;
	uint32_t last[MAX_THREADS]; /* last event of each thread */
	uint32_t last_visible[MAX_THREADS]; /* … that is not EV_LOCAL */
	uint32_t count[MAX_THREADS];
	uint32_t settled[MAX_THREADS]; /* the first event that joined or detached it */
	uint32_t created[MAX_THREADS], exited[MAX_THREADS], woken[MAX_THREADS];
	uint32_t block[MAX_THREADS]; /* the beginning of the atomic block that the thread is in */
};

/* A blocking acquire of the object in the cell, that had to wait or still does. */
struct acquire {
	const struct op *op;
	const struct cell *cell;
	uint32_t event; /* nevents if it is pending */
	uint32_t clock; /* row: before any conflict */
	uint8_t thread;
};

/* Make room for n elements of the given size, at least doubling. */
static inline void *grow(void *old, uint32_t *have, uint32_t need, size_t size)
{
	if (need <= *have)
		return old;
	*have = need > 2 * *have ? need : 2 * *have;
	return xrealloc(old, *have * size);
}

enum { CLASS_BITS = 4 };

/* Words of memory and synchronisation objects never share a key. */
static inline uint64_t word_key(uint64_t word)
{
	return word << CLASS_BITS;
}

static inline uint64_t object_key(unsigned object_class, uint64_t object)
{
	return object << CLASS_BITS | object_class;
}

static inline uint32_t *row(struct order *order, uint32_t n)
{
	return order->clocks + (uint64_t)n * order->width;
}

static inline bool covers(const struct order *order, uint32_t clock_row, uint32_t event)
{
	return order->local[event] <= order_clock(order, clock_row)[order->trace->events[event].thread];
}

static inline bool takes_for_reading(unsigned effect)
{
	return effect == EFFECT_READ_ACQUIRE || effect == EFFECT_TRY_READ_ACQUIRE;
}

/* --- order_cells.c --- */
struct cell *probe(struct order_state *state, uint64_t key); /* the cell, or the free one where it belongs */
struct cell *find_cell(struct order_state *state, uint64_t key);
void add_access(struct order_state *state, struct cell *cell, struct access access);
/* The current event conflicts with this earlier one. */
void note(struct order_state *state, uint32_t event);

/* --- order_memory.c --- */
void memory_conflicts(struct order *order, uint32_t event);
/* A synchronisation object on the heap is used: was its block freed, or will it be? */
void use_object(struct order *order, uint32_t event, uint64_t object);

/* --- order_races.c --- */
void need_rows(struct order *order, uint32_t rows);
void join_clock(struct order *order, uint32_t to, uint32_t from);
void add_race(struct order *order, uint32_t first, uint32_t second, uint8_t thread, uint32_t clock_row);
void races_across_releases(struct order *order, const struct acquire *acquire);
/* The number of an await in the trace, + 1, that an operation with this clock ended or is still in. */
void races_of_await(struct order *order, uint32_t await, uint32_t event, uint32_t clock, uint8_t thread);
/* Order the event after all it was found to conflict with; note the races. */
void settle(struct order *order, uint32_t event);

#endif
