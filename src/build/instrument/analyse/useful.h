/*
 * Values that matter.  A value that only its own next values are computed from (a counter that nobody reads) is no part of what
 * a function knows: a loop that carries it does the same in every round.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_ANALYSE_USEFUL_H
#define INSPECT_BUILD_INSTRUMENT_ANALYSE_USEFUL_H

#include "build/instrument/instrument.h"
#include "build/instrument/map.h"

struct useful {
	struct map seen; /* value → 1 */
	LLVMValueRef *queue;
	unsigned count, size;
};

/* Find the values of a function that something depends on which is not just a value; before anything is inserted. */
void useful_init(struct useful *useful, LLVMValueRef function);
void useful_release(struct useful *useful);

static inline bool is_useful(const struct useful *useful, LLVMValueRef value)
{
	return map_get(&useful->seen, value) != 0;
}

#endif
