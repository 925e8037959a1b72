/*
 * Taking back changes: what the words of a structure were before each change, newest last.
 *
 * Two executions that follow each other have most of their events in common.  What was
 * computed from a trace event by event is taken back to the first event that differs, and
 * goes on from there.  Arrays that only grow are cut off; words that are changed in place
 * are changed with undo_put().
 *
 * The arrays move when they grow, so a word is known by the array it is in and its place
 * there.  The user numbers its arrays, up to four, and says with undo_back() where they are
 * by then.
 */
#ifndef INSPECT_ORDER_UNDO_H
#define INSPECT_ORDER_UNDO_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "common/trouble.h"

enum { UNDO_ARRAYS = 4 };

struct undo {
	struct change {
		uint32_t where; /* UNDO_ARRAYS * the word's place + the array's number */
		uint32_t old;
	} *changes;
	uint32_t count, size;
};

/* Make room for `need` elements of the given size, at least doubling. */
static inline void *grow(void *old, uint32_t *have, uint32_t need, size_t size)
{
	if (need <= *have)
		return old;
	*have = need > 2 * *have ? need : 2 * *have;
	return xrealloc(old, *have * size);
}

/* Change a word of the array that begins at `base`. */
static inline void undo_put(struct undo *undo, unsigned array, const void *base, uint32_t *word, uint32_t value)
{
	size_t place = (size_t)(word - (const uint32_t *)base);

	assert(array < UNDO_ARRAYS);
	if (place > UINT32_MAX / UNDO_ARRAYS)
		failure("an execution is too long to be analysed");
	undo->changes = grow(undo->changes, &undo->size, undo->count + 1, sizeof *undo->changes);
	undo->changes[undo->count++] = (struct change){.where = (uint32_t)place * UNDO_ARRAYS + array, .old = *word};
	*word = value;
}

/* Take back all changes after the first `count`. */
static inline void undo_back(struct undo *undo, uint32_t count, uint32_t *const bases[UNDO_ARRAYS])
{
	assert(count <= undo->count);
	while (undo->count > count) {
		const struct change *change = &undo->changes[--undo->count];
		bases[change->where % UNDO_ARRAYS][change->where / UNDO_ARRAYS] = change->old;
	}
}

#endif
