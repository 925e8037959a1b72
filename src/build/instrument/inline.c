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

#include <string.h>

/* A function that is larger than this, with all that is inlined into it, stays a function. */
#define MAX_SIZE 6000
#define TOO_LARGE (MAX_SIZE + 1)

enum state { UNSEEN, VISITING, FIRST_SIZE }; /* in the map: size + FIRST_SIZE */

static unsigned size_of(struct program *program, struct map *sizes, LLVMValueRef function);

static unsigned size_of_call(struct program *program, struct map *sizes, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	if (!LLVMIsAFunction(callee) || !di_is_library(program->context, callee))
		return 1;
	unsigned size = size_of(program, sizes, callee);
	return size > MAX_SIZE ? 1 : size;
}

static unsigned count_instructions(struct program *program, struct map *sizes, LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	LLVMValueRef at;
	unsigned size = 0;

	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		for (at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
			bool call = LLVMIsACallInst(at) || LLVMIsAInvokeInst(at);

			size += call ? size_of_call(program, sizes, at) : 1;
			if (size > MAX_SIZE)
				return TOO_LARGE;
		}
	}
	return size;
}

/* How large a function of the library becomes; a recursive one counts as too large. */
static unsigned size_of(struct program *program, struct map *sizes, LLVMValueRef function)
{
	uintptr_t known = map_get(sizes, function);
	unsigned size;

	if (known)
		return known == VISITING ? TOO_LARGE : (unsigned)known - FIRST_SIZE;
	if (LLVMIsDeclaration(function))
		return TOO_LARGE;
	map_put(sizes, function, VISITING);
	size = count_instructions(program, sizes, function);
	map_put(sizes, function, size + FIRST_SIZE);
	return size;
}

static void add_attribute(struct program *program, LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(program->context, kind, 0));
}

static void remove_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

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

bool mark_library_functions(struct program *program)
{
	struct map sizes = {0};
	LLVMValueRef function;
	bool any = false;

	for (function = LLVMGetFirstFunction(program->module); function; function = LLVMGetNextFunction(function)) {
		if (LLVMIsDeclaration(function) || !di_is_library(program->context, function))
			continue;
		hide(function);
		shorten_spinning(function);
		if (size_of(program, &sizes, function) > MAX_SIZE)
			continue;
		remove_attribute(function, "noinline");
		add_attribute(program, function, "alwaysinline");
		any = true;
	}
	map_release(&sizes);
	return any;
}
