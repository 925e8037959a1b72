/*
 * Atomic operations that the processor has no instruction for: 16 bytes wide, or not aligned.  The code generator makes
 * calls of library functions (`__atomic_load` and its relatives) of them, after the hooks were put in.  The runtime has
 * these functions, and they announce what they do; so the calls are made here, before, and are instrumented
 * like any other call.  With a hook in front as well, each would be two operations.
 */
#include "build/instrument/instrument.h"

#include "common/invariant.h"

#include <string.h>

struct lowering {
	struct program *program;
	LLVMBuilderRef builder;
	LLVMTypeRef number, size, flag, nothing;
};

/* --- which --- */

static bool has_wide_instructions(LLVMValueRef function)
{
	static const char name[] = "target-features";
	LLVMAttributeRef attribute =
		LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, sizeof name - 1);
	unsigned length;

	return attribute && strstr(LLVMGetStringAttributeValue(attribute, &length), "+cx16");
}

/* What is loaded, stored or compared; NULL if the instruction is no atomic operation. */
static LLVMTypeRef atomic_type(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad:
		return LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic ? NULL : LLVMTypeOf(instruction);
	case LLVMStore:
		return LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic
			       ? NULL
			       : LLVMTypeOf(LLVMGetOperand(instruction, 0));
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return LLVMTypeOf(LLVMGetOperand(instruction, 1));
	default: return NULL;
	}
}

static uint64_t bytes_of(const struct program *program, LLVMTypeRef type)
{
	return LLVMStoreSizeOfType(program->layout, type);
}

/* The library's function for an update of 16 bytes, or NULL. */
static const char *update_name(LLVMValueRef update)
{
	switch (LLVMGetAtomicRMWBinOp(update)) {
	case LLVMAtomicRMWBinOpAdd: return "__atomic_fetch_add_16";
	case LLVMAtomicRMWBinOpSub: return "__atomic_fetch_sub_16";
	case LLVMAtomicRMWBinOpAnd: return "__atomic_fetch_and_16";
	case LLVMAtomicRMWBinOpOr: return "__atomic_fetch_or_16";
	case LLVMAtomicRMWBinOpXor: return "__atomic_fetch_xor_16";
	case LLVMAtomicRMWBinOpNand: return "__atomic_fetch_nand_16";
	default: return NULL;
	}
}

static bool is_for_library(const struct program *program, LLVMValueRef instruction, bool wide)
{
	LLVMTypeRef type = atomic_type(instruction);

	if (!type)
		return false;
	uint64_t size = bytes_of(program, type), alignment = LLVMGetAlignment(instruction);
	if (size <= (wide ? 16 : 8) && alignment >= size)
		return false;
	/* of the other updates, not aligned or too strange, the code generator makes a loop */
	return LLVMGetInstructionOpcode(instruction) != LLVMAtomicRMW ||
	       LLVMGetAtomicRMWBinOp(instruction) == LLVMAtomicRMWBinOpXchg ||
	       (size == 16 && alignment >= 16 && update_name(instruction));
}

/* --- how --- */

static LLVMValueRef order_number(struct lowering *to, LLVMAtomicOrdering ordering)
{
	unsigned number = __ATOMIC_SEQ_CST;

	switch (ordering) {
	case LLVMAtomicOrderingNotAtomic:
	case LLVMAtomicOrderingUnordered:
	case LLVMAtomicOrderingMonotonic: number = __ATOMIC_RELAXED; break;
	case LLVMAtomicOrderingAcquire: number = __ATOMIC_ACQUIRE; break;
	case LLVMAtomicOrderingRelease: number = __ATOMIC_RELEASE; break;
	case LLVMAtomicOrderingAcquireRelease: number = __ATOMIC_ACQ_REL; break;
	case LLVMAtomicOrderingSequentiallyConsistent: break;
	}
	return LLVMConstInt(to->number, number, false);
}

static LLVMValueRef call(struct lowering *to, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
			 unsigned count)
{
	LLVMTypeRef parameters[6];

	invariant(count <= sizeof parameters / sizeof *parameters);
	for (unsigned i = 0; i < count; i++)
		parameters[i] = LLVMTypeOf(arguments[i]);
	LLVMTypeRef type = LLVMFunctionType(result, parameters, count, false);
	LLVMValueRef function = LLVMGetNamedFunction(to->program->module, name);
	if (!function)
		function = LLVMAddFunction(to->program->module, name, type);
	return LLVMBuildCall2(to->builder, type, function, arguments, count, "");
}

/* A local variable, with this value if there is one. */
static LLVMValueRef variable(struct lowering *to, LLVMValueRef instruction, LLVMTypeRef type, LLVMValueRef value)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(to->program->context);

	LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
	LLVMValueRef place = LLVMBuildAlloca(builder, type, "");
	LLVMSetAlignment(place, 16);
	LLVMDisposeBuilder(builder);
	if (value)
		LLVMBuildStore(to->builder, value, place);
	return place;
}

static LLVMValueRef size_of(struct lowering *to, LLVMTypeRef type)
{
	return LLVMConstInt(to->size, bytes_of(to->program, type), false);
}

static LLVMValueRef lower_load(struct lowering *to, LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	LLVMValueRef value = variable(to, load, type, NULL);
	LLVMValueRef arguments[] = {size_of(to, type), LLVMGetOperand(load, 0), value,
				    order_number(to, LLVMGetOrdering(load))};

	call(to, "__atomic_load", to->nothing, arguments, 4);
	return LLVMBuildLoad2(to->builder, type, value, "");
}

static LLVMValueRef lower_store(struct lowering *to, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMValueRef arguments[] = {size_of(to, type), LLVMGetOperand(store, 1), variable(to, store, type, value),
				    order_number(to, LLVMGetOrdering(store))};

	call(to, "__atomic_store", to->nothing, arguments, 4);
	return NULL;
}

static LLVMValueRef lower_update(struct lowering *to, LLVMValueRef update)
{
	LLVMValueRef at = LLVMGetOperand(update, 0), value = LLVMGetOperand(update, 1);
	LLVMValueRef order = order_number(to, LLVMGetOrdering(update));
	LLVMTypeRef type = LLVMTypeOf(value);

	if (LLVMGetAtomicRMWBinOp(update) != LLVMAtomicRMWBinOpXchg) {
		invariant(update_name(update)); /* is_for_library() leaves the others alone */
		return call(to, update_name(update), type, (LLVMValueRef[]){at, value, order}, 3);
	}
	LLVMValueRef old = variable(to, update, type, NULL);
	LLVMValueRef arguments[] = {size_of(to, type), at, variable(to, update, type, value), old, order};
	call(to, "__atomic_exchange", to->nothing, arguments, 5);
	return LLVMBuildLoad2(to->builder, type, old, "");
}

static LLVMValueRef lower_compare(struct lowering *to, LLVMValueRef compare)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(compare, 1));
	LLVMValueRef expected = variable(to, compare, type, LLVMGetOperand(compare, 1));
	LLVMValueRef arguments[] = {size_of(to, type),
				    LLVMGetOperand(compare, 0),
				    expected,
				    variable(to, compare, type, LLVMGetOperand(compare, 2)),
				    order_number(to, LLVMGetCmpXchgSuccessOrdering(compare)),
				    order_number(to, LLVMGetCmpXchgFailureOrdering(compare))};
	LLVMValueRef done = call(to, "__atomic_compare_exchange", to->flag, arguments, 6);
	LLVMValueRef seen = LLVMBuildLoad2(to->builder, type, expected, "");
	LLVMValueRef both = LLVMBuildInsertValue(to->builder, LLVMGetUndef(LLVMTypeOf(compare)), seen, 0, "");

	return LLVMBuildInsertValue(to->builder, both, done, 1, "");
}

static void lower(struct lowering *to, LLVMValueRef instruction)
{
	LLVMValueRef value = NULL;

	invariant(atomic_type(instruction));
	LLVMPositionBuilderBefore(to->builder, instruction); /* takes its line, too */
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad: value = lower_load(to, instruction); break;
	case LLVMStore: value = lower_store(to, instruction); break;
	case LLVMAtomicRMW: value = lower_update(to, instruction); break;
	default: value = lower_compare(to, instruction); break;
	}
	invariant(!value || LLVMTypeOf(value) == LLVMTypeOf(instruction));
	if (value)
		LLVMReplaceAllUsesWith(instruction, value);
	invariant(!LLVMGetFirstUse(instruction));
	LLVMInstructionEraseFromParent(instruction);
}

static void lower_function(struct lowering *to, LLVMValueRef function)
{
	bool wide = has_wide_instructions(function);
	LLVMBasicBlockRef block;
	LLVMValueRef next;

	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = next) {
			next = LLVMGetNextInstruction(at);
			if (is_for_library(to->program, at, wide))
				lower(to, at);
		}
}

void lower_wide_atomics(struct program *program)
{
	struct lowering to = {.program = program,
			      .builder = LLVMCreateBuilderInContext(program->context),
			      .number = LLVMInt32TypeInContext(program->context),
			      .size = LLVMInt64TypeInContext(program->context),
			      .flag = LLVMInt1TypeInContext(program->context),
			      .nothing = LLVMVoidTypeInContext(program->context)};
	LLVMValueRef function;

	for (function = LLVMGetFirstFunction(program->module); function; function = LLVMGetNextFunction(function))
		lower_function(&to, function);
	LLVMDisposeBuilder(to.builder);
}
