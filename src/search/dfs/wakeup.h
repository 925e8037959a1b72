/*
 * Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017): the sequences of steps that
 * are still to be explored from a node of the search, as an ordered tree.
 *
 * A child is a thread's next step, known by the operation that it performs; a path from the
 * root to a leaf is one sequence.  Sequences are explored from left to right.  No two of
 * them are equivalent, and once the first of them has been explored none of the others
 * starts with what was explored: that is what makes the search optimal.
 */
#ifndef INSPECT_SEARCH_DFS_WAKEUP_H
#define INSPECT_SEARCH_DFS_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#include "search/dfs/dfs.h"

#include "common/invariant.h"

#define ANY_CHOICE UINT16_MAX /* all outcomes of the step are explored */
#define NO_STEP UINT32_MAX

/* A step of a tree.  The number 0 stands for none. */
struct wakeup {
	struct op op;
	uint32_t first; /* its first child */
	uint32_t next; /* its next sibling */
	uint16_t choice;
	uint8_t thread;
	bool uncertain; /* the operation was seen in another state: there it may have turned out differently */
	bool open; /* not the whole sequence is known: nothing follows from what is not in it */
};

/* All trees of a search. */
struct wakeups {
	struct wakeup *all;
	uint32_t used, size, free;
};

/* A sequence that is about to be inserted. */
struct sequence_step {
	const struct op *op;
	uint32_t number; /* of the event within its thread; not of the last step */
	const uint32_t *clock;
	uint64_t footprint; /* of the operation */
	uint32_t next; /* the same thread's next step */
	uint16_t choice;
	uint8_t thread;
	bool uncertain;
	bool crowded; /* if one more came before it, it would be the last at its barrier, or of the threads that end */
};

struct sequence {
	struct sequence_step *steps;
	uint32_t nsteps, size;
	uint32_t head; /* the first step that is left, if any */
	bool clockless; /* its steps have no clocks: what depends on what is seen by comparing them */
	uint64_t threads; /* that have steps left */
	uint32_t first[MAX_THREADS]; /* the first step of each that is left */
	uint32_t last[MAX_THREADS];
};

void wakeups_release(struct wakeups *wakeups);

/* There will be at most so many steps. */
void sequence_begin(struct sequence *sequence, uint32_t room);
/* One more step at its end, by the thread: the caller fills in the rest. */
static inline struct sequence_step *sequence_add(struct sequence *sequence, unsigned thread)
{
	uint32_t n = sequence->nsteps++;
	struct sequence_step *step = &sequence->steps[n];

	debug_invariant(n < sequence->size && thread < MAX_THREADS);
	step->thread = (uint8_t)thread;
	step->next = NO_STEP;
	if (sequence->threads >> thread & 1)
		sequence->steps[sequence->last[thread]].next = n;
	else
		sequence->first[thread] = n;
	sequence->last[thread] = n;
	sequence->threads |= thread_bit(thread);
	return step;
}
void sequence_release(struct sequence *sequence);
/* For another process, with so much of each clock; unpacked, its operations and clocks are malloced. */
void sequence_pack(const struct sequence *sequence, uint32_t width, struct buffer *buffer);
void sequence_unpack(struct sequence *sequence, struct packed *packed, struct op **ops, uint32_t **clocks);

/*
 * Is the thread a weak initial of what is left of the sequence: can its next operation
 * come first, because it is the first there or depends on nothing there?
 */
bool sequence_can_begin_with(const struct sequence *sequence, const struct sleeper *sleeper);

/*
 * Add the sequence to the tree whose first child is *list, unless a sequence in it stands for this one too.  The
 * sequence is used up.
 */
void wakeup_insert(struct wakeups *wakeups, uint32_t *list, struct sequence *sequence);
/* Add it as a branch of its own. */
void wakeup_append(struct wakeups *wakeups, uint32_t *list, const struct sequence *sequence);
/* Does a sequence in the tree stand for this one? */
bool wakeup_has(struct wakeups *wakeups, uint32_t list, struct sequence *sequence);

/*
 * A thread's step, with one outcome, is explored before its turn: the sequences in which it comes, and that it can begin, are
 * moved from the one tree to the other, which is the one below that step.  Those that do without it stay, and belong there as
 * well if anything does: they go on below each of its outcomes.
 */
void wakeup_move_below(struct wakeups *wakeups, uint32_t *list, const struct wakeup *step, uint32_t *below);

/* One step, unless one of the thread is there; open: of which, in both cases, it is not known what should follow. */
void wakeup_insert_step(struct wakeups *wakeups, uint32_t *list, unsigned thread, const struct op *op, bool open);

/* Drop the sequences that begin with the thread. */
void wakeup_drop(struct wakeups *wakeups, uint32_t *list, unsigned thread);

/* Take the first child, or the one with this thread and choice, out of the list; 0 if there is none. */
uint32_t wakeup_take_first(struct wakeups *wakeups, uint32_t *list);
uint32_t wakeup_take(struct wakeups *wakeups, uint32_t *list, unsigned thread, uint16_t choice);

/* Take out the first child that the thread's step, with this outcome, was an instance of; 0 if there is none. */
uint32_t wakeup_take_taken(struct wakeups *wakeups, uint32_t *list, unsigned thread, uint16_t choice);

/* A step that was taken out: forget it, and return its children. */
uint32_t wakeup_open_up(struct wakeups *wakeups, uint32_t step);

/* Forget a whole tree. */
void wakeup_free(struct wakeups *wakeups, uint32_t list);

/* Every step of it is one of these, and is reached once. Takes as long as the tree is large. */
bool wakeup_is_valid(const struct wakeups *wakeups, uint32_t list);

/* A whole tree, for another process. */
void wakeup_pack(const struct wakeups *wakeups, uint32_t list, struct buffer *buffer);
uint32_t wakeup_unpack(struct wakeups *wakeups, struct packed *packed);

#endif
