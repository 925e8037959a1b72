/*
 * Taking back changes: what the words of a structure were before each change, newest last.
 *
 * Two executions that follow each other have most of their events in common.  What was
 * computed from a trace event by event is taken back to the first event that differs, and
 * goes on from there.  Arrays that only grow are cut off; words that are changed in place
 * are changed with undo_put().
 *
 * The arrays move when they grow, so a word is known by the array it is in and its index
 * there.  The user numbers its arrays, up to four, and says with undo_back() where they are
 * by then.
 */
#ifndef INSPECT_ORDER_UNDO_H
#define INSPECT_ORDER_UNDO_H

#include <stddef.h>
#include <stdint.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/vector.h"

enum { UNDO_ARRAYS = 4 };

struct undo {
	struct change {
		uint32_t where; /* UNDO_ARRAYS * the word's index + the array's number */
		uint32_t old;
	} *items; /* a vector */
	uint32_t count, size;
};

/* Change a word of the array that begins at `base`. */
static inline void undo_put(struct undo *undo, unsigned array, const void *base, uint32_t *word, uint32_t value)
{
	size_t at = (size_t)(word - (const uint32_t *)base);

	debug_invariant(array < UNDO_ARRAYS && word >= (const uint32_t *)base);
	if (at > UINT32_MAX / UNDO_ARRAYS)
		failure("an execution is too long to be analysed");
	vector_add(undo, (struct change){.where = (uint32_t)at * UNDO_ARRAYS + array, .old = *word});
	*word = value;
}

/* Take back all changes after the first `count`. */
static inline void undo_back(struct undo *undo, uint32_t count, uint32_t *const bases[UNDO_ARRAYS])
{
	invariant(count <= undo->count);
	while (undo->count > count) {
		const struct change *change = &undo->items[--undo->count];
		bases[change->where % UNDO_ARRAYS][change->where / UNDO_ARRAYS] = change->old;
	}
}

#endif
