/*
 * The C++ library's headers are full of small functions that stand between a line
 * of the program and what it does: std::mutex::lock is three calls away from
 * pthread_mutex_lock.  They are inlined before anything else, so that an operation
 * belongs to the program's own line (debuginfo.c) and not to one in a header that all
 * its mutexes share.
 *
 * Inlining keeps every access: code is copied, at most branches on constants go.
 */
#define _GNU_SOURCE
#include "build/instrument/debuginfo.h"
#include "build/instrument/instrument.h"
#include "build/instrument/map.h"
#include "common/invariant.h"

#include <string.h>

/*
 * A function that is larger than the limit, with all that is inlined into it, stays a
 * function.  The limit is the highest with which the program stays below its budget.
 */
static const unsigned limits[] = {6000, 3000, 1000, 300, 100, 0};

#define BUDGET 150000 /* instructions of a program after inlining */

struct sizes {
	LLVMContextRef context;
	unsigned limit;
	struct map known; /* function → size + FIRST_SIZE, or VISITING */
};

enum { VISITING = 1, FIRST_SIZE };

static unsigned size_of(struct sizes *sizes, LLVMValueRef function);

static bool is_inlined(struct sizes *sizes, LLVMValueRef function)
{
	return di_is_library(sizes->context, function) && size_of(sizes, function) <= sizes->limit;
}

static unsigned size_of_call(struct sizes *sizes, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	invariant(callee);
	return LLVMIsAFunction(callee) && is_inlined(sizes, callee) ? size_of(sizes, callee) : 1;
}

static unsigned count_instructions(struct sizes *sizes, LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	LLVMValueRef at;
	unsigned size = 0;

	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		for (at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
			bool call = LLVMIsACallInst(at) || LLVMIsAInvokeInst(at);

			size += call ? size_of_call(sizes, at) : 1;
		}
	}
	return size;
}

/* How large a function becomes; a recursive one and one without a body count as too large. */
static unsigned size_of(struct sizes *sizes, LLVMValueRef function)
{
	uintptr_t known = map_get(&sizes->known, function);
	unsigned size;

	if (known == VISITING || LLVMIsDeclaration(function))
		return sizes->limit + 1;
	invariant(!known || known >= FIRST_SIZE);
	if (known)
		return (unsigned)known - FIRST_SIZE;
	map_put(&sizes->known, function, VISITING);
	size = count_instructions(sizes, function);
	map_put(&sizes->known, function, size + FIRST_SIZE);
	return size;
}

/* Of the functions that stay. */
static uint64_t size_of_program(struct sizes *sizes, LLVMModuleRef module)
{
	LLVMValueRef function;
	uint64_t size = 0;

	for (function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
		if (!LLVMIsDeclaration(function) && !is_inlined(sizes, function))
			size += size_of(sizes, function);
	return size;
}

static struct sizes choose_limit(struct program *program)
{
	struct sizes sizes = {0};

	for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
		map_release(&sizes.known);
		sizes = (struct sizes){.context = program->context, .limit = limits[i]};
		if (size_of_program(&sizes, program->module) <= BUDGET)
			break;
	}
	return sizes;
}

static void add_attribute(struct program *program, LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	invariant(kind);
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(program->context, kind, 0));
}

static void remove_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	invariant(kind);
	LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

/* The C++ library's own copy of a function that stays must not be replaced by ours. */
static void hide(LLVMValueRef function)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);

	if (linkage == LLVMLinkOnceODRLinkage || linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMWeakODRLinkage)
		LLVMSetVisibility(function, LLVMHiddenVisibility);
}

/*
 * Before the library lets a thread sleep it looks sixteen times whether that is still
 * necessary, and each time is another interleaving.  Once is enough.
 */
static void shorten_spinning(LLVMValueRef function)
{
	enum { SPIN_COUNT = 16 }; /* std::__detail::__atomic_spin_count */
	LLVMBasicBlockRef block;
	LLVMValueRef at, count;

	if (!has_prefix(value_name(function), "_ZNSt8__detail13__atomic_spinI"))
		return;
	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		for (at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
			count = LLVMIsAICmpInst(at) ? LLVMGetOperand(at, 1) : NULL;
			if (count && LLVMIsAConstantInt(count) && LLVMConstIntGetZExtValue(count) == SPIN_COUNT)
				LLVMSetOperand(at, 1, LLVMConstInt(LLVMTypeOf(count), 1, false));
		}
	}
}

static void forget_variables(LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	LLVMValueRef at, next;

	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		for (at = LLVMGetFirstInstruction(block); at; at = next) {
			next = LLVMGetNextInstruction(at);
			if (LLVMIsADbgInfoIntrinsic(at))
				LLVMInstructionEraseFromParent(at);
		}
	}
}

void forget_library_variables(struct program *program)
{
	LLVMBool format = LLVMIsNewDbgInfoFormat(program->module);
	LLVMValueRef function;

	/* in the new format they are no instructions and cannot be reached through the C API */
	LLVMSetIsNewDbgInfoFormat(program->module, 0);
	for (function = LLVMGetFirstFunction(program->module); function; function = LLVMGetNextFunction(function))
		if (di_is_library(program->context, function))
			forget_variables(function);
	LLVMSetIsNewDbgInfoFormat(program->module, format);
}

bool mark_library_functions(struct program *program)
{
	struct sizes sizes = choose_limit(program);
	LLVMValueRef function;
	bool any = false;

	for (function = LLVMGetFirstFunction(program->module); function; function = LLVMGetNextFunction(function)) {
		if (LLVMIsDeclaration(function) || !di_is_library(program->context, function))
			continue;
		hide(function);
		shorten_spinning(function);
		if (!is_inlined(&sizes, function))
			continue;
		invariant(size_of(&sizes, function) <= sizes.limit); /* so it has a body and is not recursive */
		remove_attribute(function, "noinline");
		add_attribute(program, function, "alwaysinline");
		any = true;
	}
	map_release(&sizes.known);
	return any;
}
