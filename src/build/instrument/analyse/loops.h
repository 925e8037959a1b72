/*
 * Loops, for the runtime's recognition of busy waiting (src/runtime/await/await.c).
 *
 * At the head of each loop a hook is told what the loop carries from one round to the next: a
 * hash of the head's phis.  Everything else that the function knows by itself was computed
 * before the loop and does not change in it, except local variables that live in memory; a
 * store to one of those sets DIRTY, like a call that nothing is known of.
 *
 * Only natural loops count: the hook is told whether the head was reached from inside, and the
 * first round starts anew.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_ANALYSE_LOOPS_H
#define INSPECT_BUILD_INSTRUMENT_ANALYSE_LOOPS_H

#include "build/instrument/instrument.h"
#include "build/instrument/map.h"

struct loops {
	LLVMBasicBlockRef *blocks; /* those that can be reached, each after one of its predecessors */
	unsigned nblocks;
	struct map numbers; /* block → its index + 1 */
	unsigned *dominators; /* the immediate dominator of each, as an index */
};

/* Find the loops of a function; before anything is inserted. */
void loops_init(struct loops *loops, LLVMValueRef function);
void loops_release(struct loops *loops);

/* Does an edge lead from inside a natural loop back to its head? */
bool loops_edge_is_back(const struct loops *loops, LLVMBasicBlockRef from, LLVMBasicBlockRef head);
bool loops_is_head(const struct loops *loops, LLVMBasicBlockRef block);

/* The blocks of one loop. */
struct body {
	struct map seen;
	LLVMBasicBlockRef *blocks; /* the head first */
	unsigned count;
};

void loops_body(const struct loops *loops, LLVMBasicBlockRef head, struct body *body);
void body_release(struct body *body);

/* Is anything called in it, intrinsics of the compiler aside? */
bool body_calls(const struct body *body);
/* Each block that the loop can be left to. */
void body_visit_exits(const struct loops *loops, struct body *body, void (*visit)(LLVMBasicBlockRef, void *),
		      void *context);

#endif
