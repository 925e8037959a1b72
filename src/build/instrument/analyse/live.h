/*
 * Which values does a function still need?
 *
 * Classical liveness, backwards over the blocks with sets of bits: a value (an argument or the
 * result of an instruction) is live where something that comes later may use it.  What a phi
 * takes from a predecessor is live at the end of that one.  Uses by instructions that nothing
 * depends on do not count.  The addresses of local variables are the frame's own and no values
 * here; neither are constants.
 *
 * Everything is about the function as it was when it was looked at: what is inserted meanwhile
 * has no part in it, as long as each block is entered before anything but phis is inserted there.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_ANALYSE_LIVE_H
#define INSPECT_BUILD_INSTRUMENT_ANALYSE_LIVE_H

#include "build/instrument/analyse/loops.h"

struct live {
	const struct loops *loops; /* its blocks are those that can be reached */
	LLVMValueRef *values;
	unsigned count;
	struct map numbers; /* value → its index + 1 */
	unsigned words; /* of each set of values */
	uint64_t *needed; /* values that something depends on */
	uint64_t *uses, *definitions, *edges, *heads; /* a set for each block, see live.c */
	uint64_t *set; /* the one that is worked on */
	uint64_t *now; /* of the instruction that was come to */
	struct map places; /* instruction of the block that was entered → index in `lists` + 1 */
	uint32_t *lists; /* for each the result if it is live, how many operands end there, and which */
	size_t list_size, list_room, place;
};

void live_init(struct live *live, const struct loops *loops, LLVMValueRef function);
void live_release(struct live *live);

/* Sets of values: number i, values[i], is bit i % 64 of word i / 64. */

/* Go through this block now.  False: it is never reached. */
bool live_enter(struct live *live, LLVMBasicBlockRef block);
/* Come to its next instruction. */
void live_come(struct live *live, LLVMValueRef instruction);

enum moment { BEFORE, AFTER }; /* with the operands; without the result, and what ends there */

/* What is live at the instruction; valid until the next question. */
const uint64_t *live_now(struct live *live, enum moment moment);

/* … after the phis at the head of any block that can be reached. */
const uint64_t *live_at_head(struct live *live, LLVMBasicBlockRef block);
/* … when control goes to that block: what its head adds are phis, and what the instruction before gave. */
const uint64_t *live_on_the_way(struct live *live, LLVMBasicBlockRef block);

/* The instruction is about to be erased, and this has its place from now on. */
void live_replace(struct live *live, LLVMValueRef instruction, LLVMValueRef value);

#endif
