#define _GNU_SOURCE
#include "build/instrument/analyse/effects.h"

#include "build/instrument/libc.h"
#include "wire/hooks.h"
#include "common/invariant.h"

#include <pthread.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const struct row {
	const char *name;
	enum effects effects;
	struct filled filled;
} rows[] = {
#define TOLD(name) {#name, EFFECTS_TOLD, {0, 0}},
#define CALLS_BACK(name) {#name, EFFECTS_CALLS_BACK, {0, 0}},
#define PURE(name) {#name, EFFECTS_NONE, {0, 0}},
#define FILLS(name, argument, size) {#name, EFFECTS_FILLS, {argument, size}},
#define UNTOLD(name) {#name, EFFECTS_UNKNOWN, {0, 0}},
#include "build/instrument/analyse/effects.def"
#undef TOLD
#undef CALLS_BACK
#undef PURE
#undef FILLS
#undef UNTOLD
#define LIBC_TOLD(name) {#name, EFFECTS_TOLD, {0, 0}},
#define LIBC_UNTOLD(name) {#name, EFFECTS_UNKNOWN, {0, 0}},
#define LIBC_FILLS(name) /* above */
#define LIBC(name, effects) LIBC_##effects(name)
#define ALIAS(name, function)
#include "wire/libc.def"
#undef LIBC
#undef ALIAS
#define MODELLED(name, use) {#name, EFFECTS_TOLD, {0, 0}},
#define ACCEPTED(name, use) {#name, EFFECTS_TOLD, {0, 0}},
#define PURE(name, use)
#define REFUSED(name)
#include "wire/functions.def"
#undef MODELLED
#undef ACCEPTED
#undef PURE
#undef REFUSED
};

/* Intrinsics by the beginning of their names; the object is always the first argument. */
static const struct {
	const char *prefix;
	uint64_t size;
} filling_intrinsics[] = {
	{"llvm.va_start", 24}, /* a va_list of the x86-64 ABI */
	{"llvm.va_copy", 24},
	{"llvm.x86.sse.stmxcsr", 4},
};

/* Does its declaration say that it changes nothing (__attribute__((pure)) or const)? */
static bool is_declared_pure(LLVMValueRef function)
{
	enum { CHANGES = 0xaaaaaaaa }; /* two bits for each sort of memory: may be read, may be changed */
	unsigned kind = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));
	LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);

	invariant(kind);
	return memory && !(LLVMGetEnumAttributeValue(memory) & CHANGES);
}

enum effects effects_of(LLVMValueRef callee, struct filled *filled)
{
	const char *wrapper = libc_wrapper(callee);
	const char *name = wrapper ? wrapper + strlen(WRAPPER_PREFIX) : value_name(callee);

	invariant(LLVMIsDeclaration(callee)); /* a function with a body tells for itself */
	if (is_native(callee))
		return is_declared_pure(callee) ? EFFECTS_NONE : EFFECTS_UNKNOWN;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		if (strcmp(rows[i].name, name))
			continue;
		invariant(rows[i].effects != EFFECTS_FILLS || rows[i].filled.size);
		*filled = rows[i].filled;
		return rows[i].effects;
	}
	return is_declared_pure(callee) ? EFFECTS_NONE : EFFECTS_UNKNOWN;
}

bool intrinsic_fills(LLVMValueRef callee, struct filled *filled)
{
	invariant(LLVMGetIntrinsicID(callee));
	for (size_t i = 0; i < LENGTH(filling_intrinsics); i++) {
		if (!has_prefix(value_name(callee), filling_intrinsics[i].prefix))
			continue;
		*filled = (struct filled){0, filling_intrinsics[i].size};
		return true;
	}
	return false;
}

/* Is the function used for anything but being called?  Being the personality of another one does not count. */
bool function_is_lent(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAFunction(user))
			continue;
		if (!LLVMIsAInstruction(user) || (!LLVMIsACallInst(user) && !LLVMIsAInvokeInst(user)) ||
		    LLVMGetCalledValue(user) != function)
			return true;
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
			if (LLVMGetOperand(user, i) == function)
				return true;
	}
	return false;
}

/* The table of virtual functions of a class of a library; those of the library's own type_info are never called here. */
static bool is_foreign_class(LLVMValueRef global)
{
	return LLVMIsDeclaration(global) && has_prefix(value_name(global), "_ZTV") &&
	       !has_prefix(value_name(global), "_ZTVN10__cxxabiv1");
}

bool pointers_are_unknown(const struct program *program)
{
	struct filled filled;
	LLVMValueRef at;

	for (at = LLVMGetFirstFunction(program->module); at; at = LLVMGetNextFunction(at)) {
		if (!LLVMIsDeclaration(at) || LLVMGetIntrinsicID(at) || !function_is_lent(at))
			continue;
		/* what fills something in says so at the call only */
		switch (effects_of(at, &filled)) {
		case EFFECTS_UNKNOWN:
		case EFFECTS_FILLS: return true;
		default: break;
		}
	}
	for (at = LLVMGetFirstGlobal(program->module); at; at = LLVMGetNextGlobal(at))
		if (is_foreign_class(at))
			return true;
	return false;
}
