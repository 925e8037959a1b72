/*
 * Inside the computation of happens-before (order.h): the state that its parts share.
 *
 *   order.c         event by event: what enables what, conflicts over synchronisation objects
 *   memory.c        conflicts over memory
 *   races.c         clocks, and which conflicts are races
 *   cells.c         the table of objects, and how it is taken back to an earlier event
 *
 * All of it can be taken back to what it was before any event: what is changed in place
 * is changed with state_put(), everything else only grows.
 *
 * Nobody else includes this.
 */
#ifndef INSPECT_ORDER_STATE_H
#define INSPECT_ORDER_STATE_H

#include <stddef.h>

#include "storage/table.h"
#include "storage/vector.h"
#include "order/keys.h"
#include "order/order.h"
#include "order/undo.h"

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
	uint32_t older; /* of a reader of a lock: the one before it, whoever that is, in the same way */
	uint32_t mask; /* bytes of the word */
	uint8_t thread;
	uint8_t writes; /* changes the object for everybody: nothing before matters any more */
	uint8_t use; /* enum use: of a synchronisation object in the word */
	uint8_t frees; /* the end of the block */
	uint8_t plain; /* EV_PLAIN */
	uint8_t same; /* an update that leaves the value as it is */
};

/* What the use of a synchronisation object conflicts with, besides other uses: the end of its block, or all accesses. */
enum use { USE_NONE, USE_OF_BLOCK, USE_OF_BYTES };

struct cell {
	uint32_t head;
	uint32_t last_acquire; /* the last to take it alone */
	uint32_t readers; /* all that has been done by readers since, the newest: index + 1 into accesses, 0: nothing */
};

/*
 * A large block that was freed: too many words to have a cell each, and hardly any of them
 * is touched again.  A list, newest first.
 */
struct freed {
	uint64_t start, end;
	uint32_t event;
	uint32_t next; /* index + 1 into freed, 0: the end */
};

#define LARGE_FREE 256 /* bytes */

/* What the last events say about each thread, and where the list of freed blocks begins: words only. */
struct latest {
	uint32_t last[MAX_THREADS]; /* last event of each thread */
	uint32_t last_visible[MAX_THREADS]; /* … that is not EV_LOCAL */
	uint32_t settled[MAX_THREADS]; /* the first event that joined or detached it */
	uint32_t created[MAX_THREADS], exited[MAX_THREADS], woken[MAX_THREADS];
	uint32_t block[MAX_THREADS]; /* the beginning of the atomic block that the thread is in */
	uint32_t last_block; /* last event of an atomic block, of any thread */
	uint32_t freed; /* index + 1, 0: the end */
};

/* The events of a thread, in their order; how many of them there are, the number of its last one says. */
struct own_events {
	uint32_t *events;
	uint32_t size;
};

/* How much of everything there was before an event. */
struct extent {
	uint32_t changes, ncells, naccesses, nfreed;
};

enum array { ARRAY_LATEST, ARRAY_CELLS, ARRAY_ACCESSES, ARRAY_FREED };

struct order_state {
	struct latest latest;
	struct own_events own[MAX_THREADS];
	struct table keys; /* of the cells */
	struct cell *cells;
	uint32_t cells_size;
	VECTOR(struct access) accesses;
	VECTOR(struct freed) freed;
	struct undo undo;
	struct extent *extents; /* one per event that is known */
	uint32_t known, extents_size;
	VECTOR(uint32_t) found; /* conflicting earlier events of the current one */
	uint32_t local_size, chosen_size, cause_size, footprints_size, briefs_size, rows, races_size, others_size;
	uint64_t clocks_size;
	uint32_t from;
	uint32_t room; /* for so many events; the extra rows come after theirs */
	bool begun; /* order_begin() was called for the next trace */
	uint64_t looks; /* order_looks() */
};

/* A blocking acquire of the object in the cell, that had to wait or still does. */
struct acquire {
	const struct op *op;
	const struct cell *cell;
	uint32_t event; /* nevents if it is pending */
	uint32_t clock; /* row: before any conflict */
	uint8_t thread;
};

enum { ROW_LANES = 4 }; /* the width of rows is a multiple of this */

static inline uint32_t *row(struct order *order, uint32_t n)
{
	debug_invariant((n + 1ull) * order->width <= order->state->clocks_size);
	return order->clocks + (uint64_t)n * order->width;
}

/* Change a word so that it can be taken back. */
static inline void state_put(struct order_state *state, enum array array, uint32_t *word, uint32_t value)
{
	const void *const bases[] = {&state->latest, state->cells, state->accesses.items, state->freed.items};

	undo_put(&state->undo, array, bases[array], word, value);
}

static inline bool covers(const struct order *order, uint32_t clock_row, uint32_t event)
{
	return order->local[event] <= order_clock(order, clock_row)[order->trace->events[event].thread];
}

static inline bool takes_for_reading(unsigned effect)
{
	return effect == EFFECT_READ_ACQUIRE || effect == EFFECT_TRY_READ_ACQUIRE;
}

/* What kind of access it is, apart from whether it writes. */
static inline void describe_access(struct access *access, const struct op *op)
{
	access->frees = event_frees(op->kind);
	access->plain = event_is(op->kind, EV_PLAIN);
	access->same = op->kind == EV_ATOMIC_RMW_SAME;
}

/* --- cells.c --- */
struct cell *cell_find(const struct order_state *state, uint64_t key); /* NULL when there is none yet */
struct cell *cell_of(struct order_state *state, uint64_t key);
/* The access of the event, put first in the cell's list. */
void add_access(struct order *order, struct cell *cell, struct access access);
/* The current event conflicts with this earlier one. */
void conflict_found(struct order_state *state, uint32_t event);
/* Remember where everything is, before the event. */
void extent_keep(struct order_state *state, uint32_t event);
/* Take everything back to where it was before the event; 0: to the very beginning. */
void back_to(struct order_state *state, uint32_t event);
/* All of it: lists are within their arrays, newest first, and know of no event that is not known. */
bool order_state_is_valid(const struct order_state *state);

/* --- memory.c --- */
void memory_conflicts(struct order *order, uint32_t event);
void system_conflicts(struct order *order, uint32_t event);
/* A synchronisation object is used: was its block freed, or its memory accessed in another way, or will it be? */
void use_object(struct order *order, uint32_t event, uint64_t object);

/* --- races.c --- */
void need_rows(struct order *order, uint32_t rows);
void join_clock(struct order *order, uint32_t to, uint32_t from);
void add_race(struct order *order, uint32_t first, uint32_t second, uint8_t thread, uint32_t clock_row);
void races_across_releases(struct order *order, const struct acquire *acquire);
/*
 * The thread takes its mutex again after a signal has ended its wait, or is about to.  If the wait could have ended by
 * itself before that (its time was up, say), then that is a race with the signal, though nothing in the execution tells of
 * what would have come first.  To be called before the event is remembered.
 */
void race_of_leaving(struct order *order, uint32_t event, uint8_t thread);
/* The number of an await in the trace, + 1, that an operation with this clock ended or is still in. */
void races_of_await(struct order *order, uint32_t await, uint32_t event, uint32_t clock, uint8_t thread);
/* Order the event after all it was found to conflict with; note the races. */
void settle(struct order *order, uint32_t event);

#endif
