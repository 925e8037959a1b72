#define _GNU_SOURCE
#include "build/instrument/analyse/loops.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "wire/hooks.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT32_MAX

/* --- numbering: reverse postorder --- */

/* A block on the way down, and which successor is next. */
struct visit {
	LLVMBasicBlockRef block;
	unsigned next;
};

/* The blocks of one loop, as far as they were found. */
static unsigned count_successors(LLVMBasicBlockRef block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

	return last ? LLVMGetNumSuccessors(last) : 0;
}

static LLVMBasicBlockRef successor(LLVMBasicBlockRef block, unsigned i)
{
	invariant(i < count_successors(block));
	return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), i);
}

static void number_blocks(struct loops *loops, LLVMValueRef function)
{
	unsigned all = LLVMCountBasicBlocks(function), depth = 0, last = all;
	struct visit *stack = xcalloc(all + 1, sizeof *stack);
	LLVMBasicBlockRef *order = xcalloc(all + 1, sizeof *order);
	struct map seen = {0};

	stack[depth++] = (struct visit){LLVMGetEntryBasicBlock(function), 0};
	map_put(&seen, stack[0].block, 1);
	while (depth) {
		struct visit *top = &stack[depth - 1];
		if (top->next == count_successors(top->block)) {
			invariant(last);
			order[--last] = top->block;
			depth--;
			continue;
		}
		LLVMBasicBlockRef next = successor(top->block, top->next++);
		if (map_get(&seen, next))
			continue;
		map_put(&seen, next, 1);
		invariant(depth <= all); /* each block is visited once */
		stack[depth++] = (struct visit){next, 0};
	}
	for (unsigned i = last; i < all; i++) {
		loops->blocks[loops->nblocks] = order[i];
		map_put(&loops->numbers, order[i], ++loops->nblocks);
	}
	invariant(loops->nblocks && loops->blocks[0] == LLVMGetEntryBasicBlock(function));
	map_release(&seen);
	free(order);
	free(stack);
}

/* --- dominators (Cooper, Harvey, Kennedy 2001) --- */

static unsigned common(const unsigned *dominators, unsigned a, unsigned b)
{
	while (a != b) {
		if (a > b)
			a = dominators[a];
		else
			b = dominators[b];
	}
	return a;
}

static bool improve(struct loops *loops, unsigned from, unsigned to)
{
	unsigned *dominators = loops->dominators;
	unsigned better = dominators[to] == UNKNOWN ? from : common(dominators, from, dominators[to]);

	invariant(better <= from);
	if (to == 0 || better == dominators[to])
		return false;
	dominators[to] = better;
	return true;
}

static void find_dominators(struct loops *loops)
{
	bool changed = true;

	for (unsigned i = 1; i < loops->nblocks; i++)
		loops->dominators[i] = UNKNOWN;
	while (changed) {
		changed = false;
		for (unsigned i = 0; i < loops->nblocks; i++)
			for (unsigned k = 0; k < count_successors(loops->blocks[i]); k++)
				changed |=
					improve(loops, i,
						(unsigned)map_get(&loops->numbers, successor(loops->blocks[i], k)) - 1);
	}
}

/* Of a block that can be reached every way goes through its immediate dominator, which has a lower number. */
static bool dominators_are_valid(const struct loops *loops)
{
	for (unsigned i = 1; i < loops->nblocks; i++)
		if (loops->dominators[i] >= i)
			return false;
	return !loops->dominators[0];
}

void loops_init(struct loops *loops, LLVMValueRef function)
{
	*loops = (struct loops){0};
	loops->blocks = xcalloc(LLVMCountBasicBlocks(function) + 1, sizeof *loops->blocks);
	loops->dominators = xcalloc(LLVMCountBasicBlocks(function) + 1, sizeof *loops->dominators);
	number_blocks(loops, function);
	find_dominators(loops);
	invariant(dominators_are_valid(loops));
}

void loops_release(struct loops *loops)
{
	map_release(&loops->numbers);
	free(loops->dominators);
	free(loops->blocks);
}

/* Does every way to `block` go through `head`? */
static bool dominates(const struct loops *loops, unsigned head, unsigned block)
{
	while (block > head)
		block = loops->dominators[block];
	return block == head;
}

bool loops_edge_is_back(const struct loops *loops, LLVMBasicBlockRef from, LLVMBasicBlockRef head)
{
	unsigned at = (unsigned)map_get(&loops->numbers, from), wanted = (unsigned)map_get(&loops->numbers, head);

	if (!at || !wanted)
		return false; /* never reached */
	return dominates(loops, wanted - 1, at - 1);
}

bool loops_is_head(const struct loops *loops, LLVMBasicBlockRef block)
{
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAInstruction(user) && LLVMIsATerminatorInst(user) &&
		    loops_edge_is_back(loops, LLVMGetInstructionParent(user), block))
			return true;
	}
	return false;
}

/* --- bodies --- */

/* Intrinsics of the compiler, and what only tells about the thread's own memory. */
static bool is_silent(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	return LLVMIsAFunction(callee) && (LLVMGetIntrinsicID(callee) || !strcmp(value_name(callee), CHANGES_HOOK) ||
					   !strcmp(value_name(callee), UNKNOWN_HOOK));
}

static bool block_calls(LLVMBasicBlockRef block)
{
	for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
		LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
		bool call = opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr;
		if (call && !is_silent(at))
			return true;
	}
	return false;
}

/* Blocks that lead to this one and are new to the loop, all or only those over back edges, join it. */
static void add_predecessors(const struct loops *loops, LLVMBasicBlockRef block, bool back_only, struct body *body)
{
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user))
			continue;
		LLVMBasicBlockRef from = LLVMGetInstructionParent(user);
		bool joins = map_get(&loops->numbers, from) && !map_get(&body->seen, from) &&
			     (!back_only || loops_edge_is_back(loops, from, block));
		if (!joins)
			continue;
		map_put(&body->seen, from, 1);
		invariant(body->count < loops->nblocks);
		body->blocks[body->count++] = from;
	}
}

static bool head_dominates(const struct loops *loops, const struct body *body)
{
	unsigned head = (unsigned)map_get(&loops->numbers, body->blocks[0]) - 1;

	for (unsigned i = 1; i < body->count; i++)
		if (!dominates(loops, head, (unsigned)map_get(&loops->numbers, body->blocks[i]) - 1))
			return false;
	return true;
}

void loops_body(const struct loops *loops, LLVMBasicBlockRef head, struct body *body)
{
	*body = (struct body){.blocks = xcalloc(loops->nblocks + 1, sizeof *body->blocks)};
	map_put(&body->seen, head, 1);
	body->blocks[body->count++] = head;
	invariant(map_get(&loops->numbers, head));
	add_predecessors(loops, head, true, body);
	for (unsigned i = 1; i < body->count; i++)
		add_predecessors(loops, body->blocks[i], false, body);
	debug_invariant(head_dominates(loops, body)); /* natural loops have no other way in */
}

void body_release(struct body *body)
{
	map_release(&body->seen);
	free(body->blocks);
}

bool body_calls(const struct body *body)
{
	for (unsigned i = 0; i < body->count; i++)
		if (block_calls(body->blocks[i]))
			return true;
	return false;
}

void body_visit_exits(const struct loops *loops, struct body *body, void (*visit)(LLVMBasicBlockRef, void *),
		      void *context)
{
	unsigned count = body->count;

	for (unsigned i = 0; i < count; i++) {
		LLVMBasicBlockRef block = body->blocks[i];
		for (unsigned k = 0; k < count_successors(block); k++) {
			LLVMBasicBlockRef to = successor(block, k);
			if (map_get(&body->seen, to) || !map_get(&loops->numbers, to))
				continue;
			map_put(&body->seen, to, 1); /* once is enough */
			visit(to, context);
		}
	}
}
