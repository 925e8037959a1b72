/*
 * What calls outside the program do to its state: is everything told by somebody?
 */
#ifndef INSPECT_BUILD_INSTRUMENT_ANALYSE_EFFECTS_H
#define INSPECT_BUILD_INSTRUMENT_ANALYSE_EFFECTS_H

#include "build/instrument/instrument.h"

enum effects {
	EFFECTS_UNKNOWN,
	EFFECTS_TOLD, /* by the runtime */
	EFFECTS_CALLS_BACK, /* the same; a function of the program may run before it returns, as if called by it */
	EFFECTS_NONE, /* and nothing of the runtime is called */
	EFFECTS_FILLS, /* none but that an object is filled in */
};

/* What is filled in, and never by more than one call at once. */
struct filled {
	unsigned argument; /* that points to it */
	uint64_t size;
};

/* The effects of a call of a function without a body; `filled` is set where there is something. */
enum effects effects_of(LLVMValueRef callee, struct filled *filled);

/* The same of an intrinsic that counts as harmless: true if it fills something in. */
bool intrinsic_fills(LLVMValueRef callee, struct filled *filled);

/* Is the function's address used for anything but calling it? */
bool function_is_lent(LLVMValueRef function);

/* Can a pointer to a function lead to one with unknown effects? */
bool pointers_are_unknown(const struct program *program);

#endif
