/*
 * Programs that keep their state (--stateful; wire/hooks.h): what a thread knows by itself is
 * stored as a hash before everything that may let others run, and memory that is its own is
 * announced like other memory.
 *
 * A function takes over the hash that its caller stored, and stores one of it and of its own
 * live values.  The places in the program are numbered: two of them never have the same hash.
 *
 * The hash: each value is scrambled with constants of its own; the caller's hash is scrambled with
 * those of the place, then once more together with the sum over the live values.  To scramble is
 * to multiply and to add the upper bits to the lower ones, which loses nothing.  Two hashes with
 * different constants are kept.
 *
 * The sum goes through the function with control: where a value begins to be live its part is
 * added, where it ends the part is subtracted.  So the code grows with the number of values and
 * places, and not with their product.
 */
#define _GNU_SOURCE
#include "build/instrument/debuginfo.h"
#include "build/instrument/analyse/effects.h"
#include "build/instrument/analyse/external.h"
#include "build/instrument/insert/inserter.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "wire/hooks.h"

#include <stdlib.h>
#include <string.h>

static LLVMValueRef number(struct inserter *in, uint64_t value)
{
	return LLVMConstInt(in->long_type, value, false);
}

static LLVMValueRef address(struct inserter *in, uint64_t value)
{
	return LLVMConstIntToPtr(number(in, value), in->pointer_type);
}

static void store_word(struct inserter *in, LLVMValueRef value, uint64_t where)
{
	LLVMSetVolatile(LLVMBuildStore(in->builder, value, address(in, where)), true);
}

static LLVMValueRef load_word(struct inserter *in, uint64_t where)
{
	LLVMValueRef load = LLVMBuildLoad2(in->builder, in->long_type, address(in, where), "");

	LLVMSetVolatile(load, true);
	return load;
}

/* ---- the hash ---- */

/* Any numbers that have nothing to do with each other (splitmix64). */
static uint64_t constant(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15ull;
	i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9ull;
	i = (i ^ i >> 27) * 0x94d049bb133111ebull;
	return i ^ i >> 31;
}

/* Which of the constants: of the caller's hash, of a place, of a part of a value; for each hash. */
static uint64_t caller_constant(unsigned hash)
{
	return constant(hash);
}

static uint64_t place_constant(unsigned hash, unsigned place)
{
	return constant(2 + 4ull * place + hash);
}

static uint64_t part_constant(unsigned hash, uint64_t part)
{
	return constant(4 + 4ull * part + hash);
}

static LLVMValueRef mark(struct inserter *in, LLVMValueRef value, uint64_t constant)
{
	return LLVMBuildXor(in->builder, value, number(in, constant), "");
}

/* The factor is small enough to be part of a machine instruction; full products would keep two registers busy. */
static LLVMValueRef scramble(struct inserter *in, LLVMValueRef value, uint64_t seed)
{
	LLVMValueRef factor = number(in, constant(seed) >> 33 | 0x40000001), product, upper;

	product = LLVMBuildMul(in->builder, value, factor, "");
	upper = LLVMBuildLShr(in->builder, product, number(in, 29), "");
	return LLVMBuildXor(in->builder, product, upper, "");
}

/* ---- values as numbers of 64 bits ---- */

static void add_part(struct inserter *in, LLVMValueRef part)
{
	struct state *state = &in->state;

	invariant(LLVMTypeOf(part) == in->long_type);
	if (state->nparts == MAX_PARTS)
		state->too_many = true;
	else
		state->parts[state->nparts++] = part;
}

static bool add_integer(struct inserter *in, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned width = LLVMGetIntTypeWidth(type);

	if (width > 64 * MAX_PARTS)
		return false;
	invariant(width);
	for (unsigned at = 0; at < width; at += 64) {
		LLVMValueRef part = value;
		if (at)
			part = LLVMBuildLShr(in->builder, part, LLVMConstInt(type, at, false), "");
		add_part(in, LLVMBuildIntCast2(in->builder, part, in->long_type, false, ""));
	}
	return true;
}

/* Anything that has as many bits as an integer. */
static bool add_bits(struct inserter *in, LLVMValueRef value)
{
	uint64_t width = LLVMSizeOfTypeInBits(in->program->layout, LLVMTypeOf(value));

	if (width > 64 * MAX_PARTS)
		return false;
	return add_integer(in, LLVMBuildBitCast(in->builder, value,
						LLVMIntTypeInContext(in->program->context, (unsigned)width), ""));
}

static bool add_vector(struct inserter *in, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
		value = LLVMBuildPtrToInt(in->builder, value, LLVMVectorType(in->long_type, LLVMGetVectorSize(type)),
					  "");
	return add_bits(in, value);
}

static bool add_value(struct inserter *in, LLVMValueRef value);

static bool add_members(struct inserter *in, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	bool is_array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
	uint64_t count = is_array ? LLVMGetArrayLength2(type) : LLVMCountStructElementTypes(type);

	if (count > MAX_PARTS)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (!add_value(in, LLVMBuildExtractValue(in->builder, value, i, "")))
			return false;
	return true;
}

/* False: there is no hash of it. */
static bool add_value(struct inserter *in, LLVMValueRef value)
{
	switch (LLVMGetTypeKind(LLVMTypeOf(value))) {
	case LLVMPointerTypeKind: add_part(in, as_long(in, value)); return true;
	case LLVMIntegerTypeKind: return add_integer(in, value);
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMX86_FP80TypeKind:
	case LLVMFP128TypeKind: return add_bits(in, value);
	case LLVMVectorTypeKind: return add_vector(in, value);
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind: return add_members(in, value);
	default: return false;
	}
}

/* ---- the sum ---- */

/* What the value adds to each of the two; computed where it begins to be live, and kept. */
static const LLVMValueRef *mix(struct inserter *in, unsigned value)
{
	struct state *state = &in->state;
	LLVMValueRef *mixed = state->mixed[value], from = state->live.values[value];

	invariant(value < state->live.count);
	if (mixed[0])
		return mixed;
	mixed[0] = mixed[1] = number(in, 0);
	state->nparts = 0;
	state->too_many = false;
	if (LLVMIsConstant(from) || LLVMIsAAllocaInst(from))
		return mixed;
	if (!add_value(in, from) || state->too_many) {
		state->unhashed[value / 64] |= 1ull << value % 64;
		return mixed;
	}
	invariant(state->nparts <= MAX_PARTS); /* constants of parts are not used twice */
	for (unsigned i = 0; i < state->nparts; i++) {
		uint64_t part = (uint64_t)value * MAX_PARTS + i;
		for (unsigned hash = 0; hash < 2; hash++) {
			uint64_t own = part_constant(hash, part);
			LLVMValueRef first = scramble(in, mark(in, state->parts[i], own), own);
			mixed[hash] = LLVMBuildAdd(in->builder, mixed[hash], scramble(in, first, ~own), "");
		}
	}
	return mixed;
}

/* Values of one set that are not in the other change the sum. */
static void change_sum(struct inserter *in, struct sum *sum, const uint64_t *set, const uint64_t *other, bool adds)
{
	for (unsigned k = 0; k < in->state.live.words; k++) {
		for (uint64_t left = set[k] & ~other[k]; left; left &= left - 1) {
			const LLVMValueRef *mixed = mix(in, k * 64 + (unsigned)__builtin_ctzll(left));
			for (unsigned hash = 0; hash < 2; hash++)
				sum->words[hash] = (adds ? LLVMBuildAdd : LLVMBuildSub)(in->builder, sum->words[hash],
											mixed[hash], "");
		}
	}
}

/* The sum over that set, when it is known over `summed`. */
static struct sum sum_over(struct inserter *in, const uint64_t *set)
{
	struct sum sum = in->state.sum;

	invariant(in->state.summed);
	change_sum(in, &sum, set, in->state.summed, true);
	change_sum(in, &sum, in->state.summed, set, false);
	return sum;
}

static void sum_up(struct inserter *in, const uint64_t *set)
{
	struct state *state = &in->state;

	state->sum = sum_over(in, set);
	memcpy(state->summed, set, state->live.words * sizeof *set);
}

static bool is_hashed(const struct state *state, const uint64_t *set)
{
	for (unsigned k = 0; k < state->live.words; k++)
		if (set[k] & state->unhashed[k])
			return false;
	return true;
}

static void store_live(struct inserter *in, const struct sum *sum, const uint64_t *set)
{
	struct state *state = &in->state;
	unsigned place = state->places++;

	invariant(state->entry[0] && sum->words[0]);
	if (!is_hashed(state, set))
		call_hook(in, HOOK_UNKNOWN, NULL);
	for (unsigned hash = 0; hash < 2; hash++) {
		LLVMValueRef caller = LLVMBuildLoad2(in->builder, in->long_type, state->entry[hash], "");

		LLVMSetVolatile(caller, true);
		caller = scramble(in, mark(in, caller, place_constant(hash, place)), hash);
		store_word(in, scramble(in, LLVMBuildAdd(in->builder, caller, sum->words[hash], ""), ~hash),
			   LIVE_ADDRESS + 8 * hash);
	}
}

void keep_live(struct inserter *in, enum moment moment)
{
	if (!in->program->stateful || !in->state.reached)
		return;
	sum_up(in, live_now(&in->state.live, moment));
	store_live(in, &in->state.sum, in->state.summed);
}

static struct block *block_of(struct inserter *in, LLVMBasicBlockRef block)
{
	unsigned number = (unsigned)map_get(&in->loops.numbers, block);

	invariant(number <= in->loops.nblocks);
	return number ? &in->state.blocks[number - 1] : NULL;
}

void keep_live_at_head(struct inserter *in, LLVMBasicBlockRef block)
{
	invariant(!in->program->stateful || block_of(in, block)); /* loops are among the blocks that can be reached */
	if (in->program->stateful)
		store_live(in, &block_of(in, block)->head, live_at_head(&in->state.live, block));
}

LLVMValueRef first_of_body(struct inserter *in, LLVMBasicBlockRef block)
{
	const struct block *known = in->program->stateful ? block_of(in, block) : NULL;

	return known && known->last ? LLVMGetNextInstruction(known->last) : first_after_phis(block);
}

bool is_sum(const struct inserter *in, LLVMValueRef phi)
{
	return in->program->stateful && map_get(&in->state.sums, phi);
}

/* ---- the sum from block to block ---- */

/* A phi knows all ways to its block, also those that are never taken. */
static void add_dead_ways(struct inserter *in, LLVMBasicBlockRef block, LLVMValueRef phi)
{
	LLVMValueRef nothing = number(in, 0);

	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMBasicBlockRef from;
		if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user))
			continue;
		from = LLVMGetInstructionParent(user);
		if (!block_of(in, from))
			LLVMAddIncoming(phi, &nothing, &from, 1);
	}
}

/* Every block but the first gets the sum from those before it. */
static void make_phis(struct inserter *in)
{
	invariant(in->loops.nblocks && !in->state.blocks[0].phis[0]); /* nothing leads to the first block */
	for (unsigned i = 1; i < in->loops.nblocks; i++) {
		LLVMBasicBlockRef block = in->loops.blocks[i];
		LLVMPositionBuilderBeforeInstrAndDbgRecords(in->builder, first_after_phis(block));
		LLVMSetCurrentDebugLocation2(in->builder, NULL);
		for (unsigned hash = 0; hash < 2; hash++) {
			LLVMValueRef phi = LLVMBuildPhi(in->builder, in->long_type, "");

			add_dead_ways(in, block, phi);
			in->state.blocks[i].phis[hash] = phi;
			map_put(&in->state.sums, phi, 1);
		}
	}
}

/* The first place for code that is no phi. */
static LLVMValueRef first_code(LLVMBasicBlockRef block)
{
	LLVMValueRef first = first_after_phis(block);

	return LLVMIsALandingPadInst(first) ? LLVMGetNextInstruction(first) : first;
}

static void begin_block(struct inserter *in, LLVMBasicBlockRef block)
{
	struct state *state = &in->state;
	struct block *known = block_of(in, block);
	size_t size = state->live.words * sizeof *state->summed;
	LLVMValueRef first = first_code(block), before = LLVMGetPreviousInstruction(first);

	invariant(known); /* a block that can be reached */
	insert_before(in, first);
	if (known->phis[0]) {
		memcpy(state->summed, live_on_the_way(&state->live, block), size);
		state->sum = (struct sum){{known->phis[0], known->phis[1]}};
	} else {
		memset(state->summed, 0, size);
		state->sum = (struct sum){{number(in, 0), number(in, 0)}};
	}
	sum_up(in, live_at_head(&state->live, block));
	known->head = state->sum;
	invariant(!memcmp(state->summed, live_at_head(&state->live, block), size));
	if (LLVMGetPreviousInstruction(first) != before)
		known->last = LLVMGetPreviousInstruction(first);
}

static struct sum *sum_to(struct inserter *in, LLVMBasicBlockRef to, struct map *done)
{
	struct sum *sum = (struct sum *)map_get(done, to);

	if (sum)
		return sum;
	invariant(block_of(in, to) && block_of(in, to)->phis[0]);
	sum = xmalloc(sizeof *sum);
	*sum = sum_over(in, live_on_the_way(&in->state.live, to));
	map_put(done, to, (uintptr_t)sum);
	return sum;
}

/* The same sum for all ways from one block to another, as a phi wants it. */
void state_leave(struct inserter *in, LLVMBasicBlockRef block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
	struct map done = {0};

	if (!in->program->stateful || !in->state.reached)
		return;
	invariant(last);
	insert_before(in, last);
	for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
		LLVMBasicBlockRef to = LLVMGetSuccessor(last, i);
		struct sum *sum = sum_to(in, to, &done);
		for (unsigned hash = 0; hash < 2; hash++)
			LLVMAddIncoming(block_of(in, to)->phis[hash], &sum->words[hash], &block, 1);
	}
	for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
		free((void *)map_get(&done, LLVMGetSuccessor(last, i)));
		map_put(&done, LLVMGetSuccessor(last, i), 0);
	}
	map_release(&done);
}

void keep_replaced(struct inserter *in, LLVMValueRef call, LLVMValueRef value)
{
	if (in->program->stateful)
		live_replace(&in->state.live, call, value);
}

/* ---- memory of its own ---- */

void announce_changes(struct inserter *in, LLVMValueRef pointer, LLVMValueRef size)
{
	if (!in->program->stateful || LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0)
		return;
	size = LLVMBuildIntCast2(in->builder, size, in->long_type, false, "");
	call_hook(in, HOOK_CHANGES, (LLVMValueRef[]){pointer, size});
}

/* The size of a local variable in bytes. */
static LLVMValueRef variable_size(struct inserter *in, LLVMValueRef variable)
{
	uint64_t one = LLVMABISizeOfType(in->program->layout, LLVMGetAllocatedType(variable));
	LLVMValueRef count = LLVMBuildIntCast2(in->builder, LLVMGetOperand(variable, 0), in->long_type, false, "");

	invariant(LLVMIsAAllocaInst(variable));
	return LLVMBuildMul(in->builder, count, number(in, one), "");
}

static void fill_with_zeros(struct inserter *in, LLVMValueRef variable)
{
	LLVMValueRef zero = LLVMConstInt(LLVMInt8TypeInContext(in->program->context), 0, false);

	LLVMBuildMemSet(in->builder, variable, zero, variable_size(in, variable), LLVMGetAlignment(variable));
}

/* When it ends nobody can say: where its memory belongs to is unknown from here on. */
void keep_variable(struct inserter *in, LLVMValueRef variable)
{
	if (!in->program->stateful)
		return;
	insert_before(in, LLVMGetNextInstruction(variable));
	fill_with_zeros(in, variable);
	call_hook(in, HOOK_UNKNOWN, NULL);
}

/* ---- calls ---- */

static void store_outside(struct inserter *in, LLVMValueRef value)
{
	store_word(in, value, OUTSIDE_ADDRESS);
}

/* After the call the thread is in instrumented code again; where an exception leads is known there. */
static void return_inside(struct inserter *in, LLVMValueRef call)
{
	struct state *state = &in->state;

	invariant(LLVMIsAInvokeInst(call) || LLVMIsACallInst(call));
	if (LLVMIsAInvokeInst(call)) { /* must wait until the block has been instrumented */
		map_put(&state->returns, LLVMGetNormalDest(call), 1);
	} else if (LLVMIsACallInst(call)) {
		insert_before(in, LLVMGetNextInstruction(call));
		store_outside(in, number(in, 0));
	}
}

static bool must_be_last(LLVMValueRef call)
{
	return LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

static void leave(struct inserter *in, LLVMValueRef call, LLVMValueRef outside)
{
	invariant(LLVMTypeOf(outside) == in->long_type);
	insert_before(in, call);
	keep_live(in, BEFORE);
	if (LLVMIsACallBrInst(call) || must_be_last(call)) { /* there is no place after it */
		call_hook(in, HOOK_UNKNOWN, NULL);
		return;
	}
	store_outside(in, outside);
	return_inside(in, call);
}

static void leave_by_pointer(struct inserter *in, LLVMValueRef call)
{
	insert_before(in, call);
	if (in->state.pointers_unknown)
		call_hook(in, HOOK_UNKNOWN, NULL);
	leave(in, call, as_long(in, LLVMGetCalledValue(call)));
}

void keep_outside_call(struct inserter *in, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	struct filled filled;

	if (!in->program->stateful)
		return;
	insert_before(in, call);
	if (!LLVMIsAFunction(callee)) {
		leave_by_pointer(in, call);
		return;
	}
	invariant(LLVMIsDeclaration(callee));
	switch (effects_of(callee, &filled)) {
	case EFFECTS_NONE: break;
	case EFFECTS_FILLS: announce_changes(in, LLVMGetOperand(call, filled.argument), number(in, filled.size)); break;
	case EFFECTS_CALLS_BACK: keep_live(in, BEFORE); break;
	case EFFECTS_UNKNOWN: call_hook(in, HOOK_UNKNOWN, NULL); /* fallthrough */
	case EFFECTS_TOLD: leave(in, call, number(in, OUTSIDE_CALL)); break;
	}
}

/* What is behind the dots is nowhere but in memory that nobody announces. */
void keep_inside_call(struct inserter *in, LLVMValueRef call)
{
	bool has_more = LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call));

	if (!in->program->stateful)
		return;
	insert_before(in, call);
	keep_live(in, has_more ? BEFORE : AFTER);
}

void keep_harmless_call(struct inserter *in, LLVMValueRef call)
{
	struct filled filled;

	if (!in->program->stateful || !is_intrinsic_call(call) || !intrinsic_fills(LLVMGetCalledValue(call), &filled))
		return;
	insert_before(in, call);
	announce_changes(in, LLVMGetOperand(call, filled.argument), number(in, filled.size));
}

void keep_landing(struct inserter *in, LLVMValueRef pad)
{
	if (!in->program->stateful)
		return;
	insert_before(in, LLVMGetNextInstruction(pad));
	store_outside(in, number(in, 0));
}

/* ---- before the function is looked at ---- */

static bool is_lifetime(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) && is_intrinsic_call(instruction) &&
	       has_prefix(value_name(LLVMGetCalledValue(instruction)), "llvm.lifetime.");
}

/* A local variable that has no value yet has the same one each time. */
static void define_incoming(LLVMValueRef phi)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMIsUndef(LLVMGetOperand(phi, i)) || LLVMIsPoison(LLVMGetOperand(phi, i)))
			LLVMSetOperand(phi, i, LLVMConstNull(LLVMTypeOf(phi)));
}

/* Variables keep their place from the beginning to the end of the function. */
static void settle(struct inserter *in, LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	LLVMValueRef at, next;

	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		for (at = LLVMGetFirstInstruction(block); at; at = next) {
			next = LLVMGetNextInstruction(at);
			if (is_lifetime(at))
				LLVMInstructionEraseFromParent(at);
			else if (LLVMIsAPHINode(at))
				define_incoming(at);
		}
	}
	/* what is inserted from now on uses variables in ways that would seem to let them escape */
	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
			if (LLVMIsAAllocaInst(at))
				pointer_is_private(&in->escape, at);
}

static unsigned argument_alignment(LLVMValueRef function, unsigned argument)
{
	unsigned align = LLVMGetEnumAttributeKindForName("align", strlen("align"));
	LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, argument + 1, align);

	return attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 16;
}

/* An argument in memory becomes a local variable, which is filled in when the function begins. */
static void copy_arguments(struct inserter *in, LLVMValueRef function)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
	LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

	invariant(byval && !in->state.copies.keys.count);
	LLVMPositionBuilderBefore(in->builder, first);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	for (unsigned i = 0; i < LLVMCountParams(function); i++) {
		LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, i + 1, byval);
		LLVMValueRef copy;

		if (!attribute)
			continue;
		copy = LLVMBuildAlloca(in->builder, LLVMGetTypeAttributeValue(attribute), "");
		LLVMSetAlignment(copy, argument_alignment(function, i));
		LLVMReplaceAllUsesWith(LLVMGetParam(function, i), copy);
		map_put(&in->state.copies, copy, i + 1);
	}
}

/* ---- the beginning and the end of a function ---- */

static bool is_static(LLVMValueRef instruction)
{
	return LLVMIsAAllocaInst(instruction) && LLVMIsAConstantInt(LLVMGetOperand(instruction, 0));
}

/* One of those that the first block begins with; our own come after them. */
static bool is_variable(const struct inserter *in, LLVMValueRef instruction)
{
	return is_static(instruction) && instruction != in->state.entry[0];
}

static void move_variables(struct inserter *in, LLVMBasicBlockRef from)
{
	LLVMValueRef at, next;

	for (at = LLVMGetFirstInstruction(from); at; at = next) {
		next = LLVMGetNextInstruction(at);
		if (!is_static(at))
			continue;
		LLVMInstructionRemoveFromParent(at);
		LLVMInsertIntoBuilder(in->builder, at);
	}
}

static void fill_variables(struct inserter *in, LLVMValueRef function, LLVMBasicBlockRef block)
{
	for (LLVMValueRef at = LLVMGetFirstInstruction(block); is_variable(in, at); at = LLVMGetNextInstruction(at)) {
		unsigned argument = (unsigned)map_get(&in->state.copies, at);

		fill_with_zeros(in, at);
		if (!argument)
			continue;
		invariant(argument <= LLVMCountParams(function));
		announce_changes(in, at, variable_size(in, at));
		LLVMBuildMemCpy(in->builder, at, LLVMGetAlignment(at), LLVMGetParam(function, argument - 1), 1,
				variable_size(in, at));
	}
}

static bool may_be_entered(LLVMValueRef function)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);

	return (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage) || function_is_lent(function);
}

static LLVMBasicBlockRef new_block(struct inserter *in, LLVMBasicBlockRef before)
{
	return LLVMInsertBasicBlockInContext(in->program->context, before, "");
}

/* Who called: the program or a library? */
static void ask_caller(struct inserter *in, LLVMValueRef function, LLVMBasicBlockRef inside)
{
	LLVMBasicBlockRef pointed = new_block(in, inside), entered = new_block(in, inside);
	LLVMValueRef outside = load_word(in, OUTSIDE_ADDRESS), own;

	in->state.outside = outside;
	LLVMBuildCondBr(in->builder, LLVMBuildICmp(in->builder, LLVMIntEQ, outside, number(in, 0), ""), inside,
			pointed);
	LLVMPositionBuilderAtEnd(in->builder, pointed);
	store_outside(in, number(in, 0));
	own = LLVMConstPtrToInt(function, in->long_type);
	LLVMBuildCondBr(in->builder, LLVMBuildICmp(in->builder, LLVMIntEQ, outside, own, ""), inside, entered);
	LLVMPositionBuilderAtEnd(in->builder, entered);
	call_hook(in, HOOK_ENTERED, NULL);
	LLVMBuildBr(in->builder, inside);
}

static void build_beginning(struct inserter *in, LLVMValueRef function)
{
	LLVMBasicBlockRef body = LLVMGetEntryBasicBlock(function);
	LLVMBasicBlockRef first = new_block(in, body), inside = new_block(in, body);

	invariant(!LLVMGetFirstUse(LLVMBasicBlockAsValue(body))); /* so no phi waits for the new block before it */
	LLVMPositionBuilderAtEnd(in->builder, first);
	LLVMSetCurrentDebugLocation2(in->builder, first_location(in, body)); /* for whoever runs out of stack there */
	move_variables(in, body);
	in->state.variables = first;
	/* in memory: LLVM takes a time that is quadratic in the number of uses of a value */
	for (unsigned hash = 0; hash < 2; hash++)
		in->state.entry[hash] = LLVMBuildAlloca(in->builder, in->long_type, "");
	fill_variables(in, function, first);
	if (may_be_entered(function))
		ask_caller(in, function, inside);
	else
		LLVMBuildBr(in->builder, inside);
	LLVMPositionBuilderAtEnd(in->builder, inside);
	for (unsigned hash = 0; hash < 2; hash++)
		LLVMBuildStore(in->builder, mark(in, load_word(in, LIVE_ADDRESS + 8 * hash), caller_constant(hash)),
			       in->state.entry[hash]);
	invariant(LLVMGetEntryBasicBlock(function) == first);
	LLVMBuildBr(in->builder, body);
}

void state_begin(struct inserter *in, LLVMValueRef function)
{
	if (!in->program->stateful)
		return;
	in->state.outside = NULL;
	copy_arguments(in, function);
	settle(in, function);
}

static void sums_init(struct inserter *in)
{
	struct state *state = &in->state;

	invariant(state->live.words && state->live.words * 64ull > state->live.count);
	state->mixed = xcalloc(state->live.count + 1, sizeof *state->mixed);
	state->summed = xcalloc(state->live.words, sizeof *state->summed);
	state->unhashed = xcalloc(state->live.words, sizeof *state->unhashed);
	state->blocks = xcalloc(in->loops.nblocks, sizeof *state->blocks);
	make_phis(in);
}

static void sums_release(struct state *state)
{
	free(state->mixed);
	free(state->summed);
	free(state->unhashed);
	free(state->blocks);
	map_release(&state->sums);
}

LLVMBasicBlockRef state_look(struct inserter *in, LLVMValueRef function)
{
	LLVMBasicBlockRef body = LLVMGetEntryBasicBlock(function);

	if (in->program->stateful) {
		live_init(&in->state.live, &in->loops, function);
		build_beginning(in, function);
		sums_init(in);
	}
	return body;
}

void state_enter(struct inserter *in, LLVMBasicBlockRef block)
{
	if (!in->program->stateful)
		return;
	in->state.reached = live_enter(&in->state.live, block);
	if (in->state.reached)
		begin_block(in, block);
}

void state_come(struct inserter *in, LLVMValueRef instruction)
{
	if (in->program->stateful)
		live_come(&in->state.live, instruction);
}

static void end_variables(struct inserter *in, LLVMValueRef last)
{
	LLVMValueRef before = LLVMGetPreviousInstruction(last), at;

	invariant(LLVMGetInstructionOpcode(last) == LLVMRet);
	invariant(in->state.variables);
	insert_before(in, before && must_be_last(before) ? before : last);
	for (at = LLVMGetFirstInstruction(in->state.variables); is_variable(in, at); at = LLVMGetNextInstruction(at))
		call_hook(in, HOOK_DEAD, (LLVMValueRef[]){at, variable_size(in, at)});
	if (in->state.outside)
		store_outside(in, in->state.outside);
}

void state_end(struct inserter *in, LLVMValueRef function)
{
	struct state *state = &in->state;
	LLVMBasicBlockRef block;

	if (!in->program->stateful)
		return;
	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

		if (map_get(&state->returns, block)) {
			insert_before(in, first_after_phis(block));
			store_outside(in, number(in, 0));
		}
		if (last && LLVMGetInstructionOpcode(last) == LLVMRet)
			end_variables(in, last);
	}
	sums_release(state);
	live_release(&state->live);
	map_release(&state->returns);
	map_release(&state->copies);
}

void state_init(struct inserter *in)
{
	if (in->program->stateful)
		in->state.pointers_unknown = pointers_are_unknown(in->program);
}
