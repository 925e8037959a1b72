#define _GNU_SOURCE
#include "build/instrument/libc.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "wire/hooks.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *wrapper;
} functions[] = {
#define LIBC(name, effects) {#name, WRAPPER_PREFIX #name},
#define ALIAS(name, function) {#name, WRAPPER_PREFIX #function},
#include "wire/libc.def"
#undef LIBC
#undef ALIAS
};

/*
 * What these say about the C library's function is not true of a wrapper, in which other
 * threads run: a call without a use may not be dropped, and none may be moved.
 */
static const char *const untrue_attributes[] = {"memory", "willreturn", "speculatable", "nosync", "returned"};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

const char *libc_wrapper(LLVMValueRef function)
{
	const char *name = value_name(function);

	invariant(LLVMIsAFunction(function));
	if (!LLVMIsDeclaration(function) || is_native(function))
		return NULL;
	for (size_t i = 0; i < LENGTH(functions); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].wrapper;
	return NULL;
}

static bool is_callee_of(LLVMValueRef user, LLVMValueRef function)
{
	return (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user)) && LLVMGetCalledValue(user) == function;
}

static void forget_attributes(LLVMValueRef function)
{
	unsigned parameters = LLVMCountParams(function);

	for (size_t i = 0; i < LENGTH(untrue_attributes); i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(untrue_attributes[i], strlen(untrue_attributes[i]));

		invariant(kind); /* 0: this LLVM does not know the name */
		LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
		for (unsigned p = 1; p <= parameters; p++)
			LLVMRemoveEnumAttributeAtIndex(function, p, kind);
		for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef call = LLVMGetUser(use);

			if (!is_callee_of(call, function))
				continue;
			LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
			for (unsigned p = 1; p <= LLVMGetNumArgOperands(call); p++)
				LLVMRemoveCallSiteEnumAttribute(call, p, kind);
		}
	}
}

/* Calls of these are announced by hooks before them and stay what they are; their addresses lead to the wrapper. */
static bool is_block_function(const char *name)
{
	return !strcmp(name, "memcpy") || !strcmp(name, "memmove") || !strcmp(name, "memset");
}

static LLVMValueRef first_call(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
		if (is_callee_of(LLVMGetUser(use), function))
			return LLVMGetUser(use);
	return NULL;
}

static void keep_calls(struct program *program, LLVMValueRef function, const char *name)
{
	LLVMValueRef call, plain;

	if (!first_call(function))
		return;
	plain = LLVMAddFunction(program->module, name, LLVMGlobalGetValueType(function));
	while ((call = first_call(function))) {
		unsigned callee = (unsigned)LLVMGetNumOperands(call) - 1;

		invariant(LLVMGetOperand(call, callee) == function);
		LLVMSetOperand(call, callee, plain);
	}
}

/* Several names of the C library may lead to one wrapper. */
static void redirect(struct program *program, LLVMValueRef function, const char *wrapper)
{
	LLVMValueRef known = LLVMGetNamedFunction(program->module, wrapper);
	char *name = xstrdup(value_name(function));

	invariant(LLVMIsDeclaration(function));
	invariant(has_prefix(wrapper, WRAPPER_PREFIX));
	invariant(known != function);
	forget_attributes(function);
	if (known) {
		LLVMReplaceAllUsesWith(function, known);
		LLVMDeleteFunction(function);
	} else {
		LLVMSetValueName2(function, wrapper, strlen(wrapper));
		if (is_block_function(name))
			keep_calls(program, function, name);
	}
	free(name);
}

/* Only where streams are locked must every use of one take its lock. */
static void tell_about_locks(struct program *program)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(program->context);

	if (!LLVMGetNamedFunction(program->module, WRAPPER_PREFIX "flockfile") &&
	    !LLVMGetNamedFunction(program->module, WRAPPER_PREFIX "ftrylockfile"))
		return;
	LLVMValueRef mark = LLVMAddGlobal(program->module, byte, LOCKS_STREAMS);
	LLVMSetInitializer(mark, LLVMConstInt(byte, 1, false));
	LLVMSetGlobalConstant(mark, true);
}

void redirect_libc(struct program *program)
{
	LLVMValueRef function, next;

	for (function = LLVMGetFirstFunction(program->module); function; function = next) {
		const char *wrapper = libc_wrapper(function);

		next = LLVMGetNextFunction(function);
		if (wrapper)
			redirect(program, function, wrapper);
	}
	tell_about_locks(program);
}
