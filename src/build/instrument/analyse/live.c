#define _GNU_SOURCE
#include "build/instrument/analyse/live.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <stdlib.h>
#include <string.h>

#define NO_VALUE UINT32_MAX

/* ---- sets ---- */

static void add(uint64_t *set, unsigned i)
{
	set[i / 64] |= 1ull << i % 64;
}

static void take_out(uint64_t *set, unsigned i)
{
	set[i / 64] &= ~(1ull << i % 64);
}

static bool has(const uint64_t *set, unsigned i)
{
	return set[i / 64] >> i % 64 & 1;
}

static uint64_t *set_of(const struct live *live, uint64_t *sets, unsigned block)
{
	invariant(block < live->loops->nblocks);
	return sets + (size_t)block * live->words;
}

static bool is_subset(const uint64_t *set, const uint64_t *of, unsigned words)
{
	for (unsigned k = 0; k < words; k++)
		if (set[k] & ~of[k])
			return false;
	return true;
}

/* ---- values ---- */

/* The value's index, or -1: it is none of those that count. */
static int number_of(const struct live *live, LLVMValueRef value)
{
	return (int)map_get(&live->numbers, value) - 1;
}

static void add_value(struct live *live, LLVMValueRef value)
{
	live->values[live->count++] = value;
	map_put(&live->numbers, value, live->count);
}

static bool is_value(LLVMValueRef instruction)
{
	return LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMVoidTypeKind && !LLVMIsAAllocaInst(instruction);
}

static size_t count_instructions(const struct loops *loops)
{
	size_t count = 0;

	for (unsigned i = 0; i < loops->nblocks; i++)
		for (LLVMValueRef at = LLVMGetFirstInstruction(loops->blocks[i]); at; at = LLVMGetNextInstruction(at))
			count++;
	return count;
}

static void number_values(struct live *live, LLVMValueRef function)
{
	size_t most = LLVMCountParams(function) + count_instructions(live->loops);

	live->values = xcalloc(most + 1, sizeof *live->values);
	for (unsigned i = 0; i < LLVMCountParams(function); i++)
		add_value(live, LLVMGetParam(function, i));
	for (unsigned i = 0; i < live->loops->nblocks; i++) {
		LLVMBasicBlockRef block = live->loops->blocks[i];
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
			if (is_value(at))
				add_value(live, at);
	}
	invariant(live->count <= most);
	live->words = live->count / 64 + 1;
}

/* ---- what something depends on ---- */

/* Has no effect but its result, and cannot fail. */
static bool is_pure(LLVMValueRef instruction)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);

	switch (opcode) {
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem: return false;
	case LLVMPHI:
	case LLVMSelect:
	case LLVMICmp:
	case LLVMFCmp:
	case LLVMFNeg:
	case LLVMFreeze:
	case LLVMGetElementPtr:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector: return true;
	default: return LLVMIsABinaryOperator(instruction) || LLVMIsACastInst(instruction);
	}
}

static bool matters(const struct live *live, LLVMValueRef instruction)
{
	int number = number_of(live, instruction);

	return number < 0 || has(live->needed, (unsigned)number) || !is_pure(instruction);
}

struct worklist {
	unsigned *items;
	unsigned count;
};

static void need_operands(struct live *live, LLVMValueRef instruction, struct worklist *work)
{
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(instruction); i++) {
		int number = number_of(live, LLVMGetOperand(instruction, i));
		if (number < 0 || has(live->needed, (unsigned)number))
			continue;
		add(live->needed, (unsigned)number);
		invariant(work->count < live->count); /* each value is needed for the first time once */
		work->items[work->count++] = (unsigned)number;
	}
}

static void find_needed(struct live *live)
{
	struct worklist work = {.items = xcalloc(live->count + 1, sizeof *work.items)};

	for (unsigned i = 0; i < live->loops->nblocks; i++) {
		LLVMBasicBlockRef block = live->loops->blocks[i];
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
			if (!is_pure(at))
				need_operands(live, at, &work);
	}
	while (work.count) {
		LLVMValueRef value = live->values[work.items[--work.count]];
		if (LLVMIsAInstruction(value) && is_pure(value))
			need_operands(live, value, &work);
	}
	free(work.items);
}

/* ---- the data flow ----
 *
 *   uses         used in the block before they are defined there
 *   definitions  of the block, its phis included
 *   edges        what phis of the successors take from the block
 *   heads        live at its head, after the phis
 */

static void add_operands(const struct live *live, LLVMValueRef instruction, uint64_t *set)
{
	if (!matters(live, instruction))
		return;
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(instruction); i++) {
		int number = number_of(live, LLVMGetOperand(instruction, i));
		if (number >= 0)
			add(set, (unsigned)number);
	}
}

static void add_edges(struct live *live, LLVMValueRef phi)
{
	if (!matters(live, phi))
		return;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		int number = number_of(live, LLVMGetIncomingValue(phi, i));
		unsigned from = (unsigned)map_get(&live->loops->numbers, LLVMGetIncomingBlock(phi, i));
		if (number >= 0 && from)
			add(set_of(live, live->edges, from - 1), (unsigned)number);
	}
}

static void look_at_block(struct live *live, unsigned block)
{
	uint64_t *uses = set_of(live, live->uses, block), *definitions = set_of(live, live->definitions, block);
	LLVMValueRef at;

	for (at = LLVMGetLastInstruction(live->loops->blocks[block]); at; at = LLVMGetPreviousInstruction(at)) {
		int number = number_of(live, at);
		if (LLVMIsAPHINode(at)) {
			add_edges(live, at); /* its value stays among the uses: it is there at the head */
		} else {
			if (number >= 0)
				take_out(uses, (unsigned)number);
			add_operands(live, at, uses);
		}
		if (number >= 0)
			add(definitions, (unsigned)number);
	}
}

static void take_out_phis(const struct live *live, LLVMBasicBlockRef block, uint64_t *set)
{
	LLVMValueRef at = LLVMGetFirstInstruction(block);

	for (; at && LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at))
		if (number_of(live, at) >= 0)
			take_out(set, (unsigned)number_of(live, at));
}

/* Put what is live at the end of the block into live->set. */
static void find_end(struct live *live, unsigned block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(live->loops->blocks[block]);
	uint64_t *sum = live->set, *one = live->set + live->words;

	memcpy(sum, set_of(live, live->edges, block), live->words * sizeof *sum);
	for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
		LLVMBasicBlockRef to = LLVMGetSuccessor(last, i);
		unsigned number = (unsigned)map_get(&live->loops->numbers, to);
		invariant(number); /* what a block leads to that can be reached can be reached */
		memcpy(one, set_of(live, live->heads, number - 1), live->words * sizeof *one);
		take_out_phis(live, to, one);
		for (unsigned k = 0; k < live->words; k++)
			sum[k] |= one[k];
	}
}

/* A phi that is used later in the block, or after it, is live at the head; other definitions are not. */
static bool improve(struct live *live, unsigned block)
{
	uint64_t *head = set_of(live, live->heads, block), *uses = set_of(live, live->uses, block);
	uint64_t *definitions = set_of(live, live->definitions, block);
	LLVMValueRef at = LLVMGetFirstInstruction(live->loops->blocks[block]);
	bool changed = false;

	find_end(live, block);
	for (; at && LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at)) {
		int number = number_of(live, at);
		if (number >= 0 && has(live->set, (unsigned)number))
			add(uses, (unsigned)number);
	}
	for (unsigned k = 0; k < live->words; k++) {
		uint64_t now = uses[k] | (live->set[k] & ~definitions[k]);
		invariant(!(head[k] & ~now)); /* sets only grow, so that this comes to an end */
		changed |= now != head[k];
		head[k] = now;
	}
	return changed;
}

static void solve(struct live *live)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (unsigned i = live->loops->nblocks; i-- > 0;)
			changed |= improve(live, i);
	}
}

void live_init(struct live *live, const struct loops *loops, LLVMValueRef function)
{
	size_t size;

	*live = (struct live){.loops = loops};
	number_values(live, function);
	size = (size_t)live->words * loops->nblocks;
	live->needed = xcalloc(live->words, sizeof *live->needed);
	live->uses = xcalloc(size, sizeof *live->uses);
	live->definitions = xcalloc(size, sizeof *live->definitions);
	live->edges = xcalloc(size, sizeof *live->edges);
	live->heads = xcalloc(size, sizeof *live->heads);
	live->set = xcalloc(2 * live->words, sizeof *live->set);
	live->now = xcalloc(live->words, sizeof *live->now);
	invariant(size); /* a function has a block that can be reached */
	find_needed(live);
	for (unsigned i = 0; i < loops->nblocks; i++)
		look_at_block(live, i);
	solve(live);
}

void live_release(struct live *live)
{
	map_release(&live->numbers);
	map_release(&live->places);
	free(live->values);
	free(live->now);
	free(live->needed);
	free(live->uses);
	free(live->definitions);
	free(live->edges);
	free(live->heads);
	free(live->set);
	free(live->lists);
}

/* ---- going through a block ---- */

static void append(struct live *live, uint32_t number)
{
	if (live->list_size == live->list_room) {
		live->list_room = live->list_room ? 2 * live->list_room : 256;
		live->lists = xrealloc(live->lists, live->list_room * sizeof *live->lists);
	}
	invariant(live->list_size < live->list_room);
	live->lists[live->list_size++] = number;
}

/* Note what changes at the instruction, and make the set that of before it. */
static void note_place(struct live *live, LLVMValueRef instruction, uint64_t *set)
{
	int number = number_of(live, instruction);
	size_t start = live->list_size;
	unsigned count = matters(live, instruction) ? (unsigned)LLVMGetNumOperands(instruction) : 0;

	map_put(&live->places, instruction, start + 1);
	append(live, number >= 0 && has(set, (unsigned)number) ? (uint32_t)number : NO_VALUE);
	append(live, 0);
	if (number >= 0)
		take_out(set, (unsigned)number);
	for (unsigned i = 0; i < count; i++) {
		int operand = number_of(live, LLVMGetOperand(instruction, i));
		if (operand < 0 || has(set, (unsigned)operand))
			continue;
		add(set, (unsigned)operand);
		append(live, (uint32_t)operand);
		live->lists[start + 1]++;
	}
}

bool live_enter(struct live *live, LLVMBasicBlockRef block)
{
	unsigned number = (unsigned)map_get(&live->loops->numbers, block);
	LLVMValueRef at;

	map_release(&live->places);
	live->list_size = 0;
	live->place = 0;
	if (!number)
		return false;
	find_end(live, number - 1);
	for (at = LLVMGetLastInstruction(block); at && !LLVMIsAPHINode(at); at = LLVMGetPreviousInstruction(at))
		note_place(live, at, live->set);
	debug_invariant(is_subset(live->set, set_of(live, live->heads, number - 1), live->words));
	memcpy(live->now, set_of(live, live->heads, number - 1), live->words * sizeof *live->now);
	return true;
}

static void end_operands(const struct live *live, uint64_t *set)
{
	const uint32_t *list = live->lists + live->place;

	invariant(live->place < live->list_size || !live->place);
	for (uint32_t i = 0; live->place && i < list[0]; i++)
		take_out(set, list[1 + i]);
}

void live_come(struct live *live, LLVMValueRef instruction)
{
	end_operands(live, live->now);
	if (live->place && live->lists[live->place - 1] != NO_VALUE)
		add(live->now, live->lists[live->place - 1]);
	live->place = map_get(&live->places, instruction);
}

const uint64_t *live_now(struct live *live, enum moment moment)
{
	if (moment == BEFORE)
		return live->now;
	memcpy(live->set, live->now, live->words * sizeof *live->set);
	end_operands(live, live->set);
	debug_invariant(is_subset(live->set, live->now, live->words));
	return live->set;
}

const uint64_t *live_at_head(struct live *live, LLVMBasicBlockRef block)
{
	unsigned number = (unsigned)map_get(&live->loops->numbers, block);

	invariant(number); /* the block can be reached */
	return set_of(live, live->heads, number - 1);
}

/* The result of the terminator before is made on the way. */
const uint64_t *live_on_the_way(struct live *live, LLVMBasicBlockRef block)
{
	memcpy(live->set, live_at_head(live, block), live->words * sizeof *live->set);
	take_out_phis(live, block, live->set);
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		int number = number_of(live, LLVMGetUser(use));
		if (number >= 0 && LLVMIsATerminatorInst(LLVMGetUser(use)))
			take_out(live->set, (unsigned)number);
	}
	return live->set;
}

void live_replace(struct live *live, LLVMValueRef instruction, LLVMValueRef value)
{
	int number = number_of(live, instruction);

	invariant(LLVMTypeOf(instruction) == LLVMTypeOf(value));
	if (number >= 0)
		live->values[number] = value;
}
