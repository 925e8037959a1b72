#define _GNU_SOURCE
#include "build/instrument/analyse/escape.h"

#include "build/instrument/analyse/external.h"
#include "common/invariant.h"

#include <string.h>

enum verdict { UNKNOWN, PRIVATE, SHARED };

/* A set of values to visit; each is visited once.  Larger ones than this count as shared. */
#define MAX_VISITED 256

struct worklist {
	LLVMValueRef items[MAX_VISITED];
	unsigned count;
	unsigned next;
};

void escape_init(struct escape *escape)
{
	*escape = (struct escape){0};
}

void escape_release(struct escape *escape)
{
	map_release(&escape->verdicts);
}

static bool push(struct worklist *list, LLVMValueRef value)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->items[i] == value)
			return true;
	if (list->count == MAX_VISITED)
		return false;
	invariant(list->count < MAX_VISITED);
	list->items[list->count++] = value;
	return true;
}

/* Intrinsics that use the memory behind a pointer, or nothing, but do not keep the pointer. */
static bool call_keeps_pointer(LLVMValueRef call)
{
	enum call_class class = classify_call(call);

	return !is_intrinsic_call(call) || (class != CALL_COPY && class != CALL_SET && class != CALL_HARMLESS);
}

/* Does this use let the address out?  New values based on the address are added to the list. */
static bool use_escapes(struct worklist *list, LLVMValueRef user, LLVMValueRef address)
{
	if (!LLVMIsAInstruction(user))
		return true;
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMLoad:
	case LLVMICmp: return false;
	case LLVMStore: return LLVMGetOperand(user, 0) == address;
	case LLVMAtomicRMW: return LLVMGetOperand(user, 1) == address;
	case LLVMAtomicCmpXchg: return LLVMGetOperand(user, 1) == address || LLVMGetOperand(user, 2) == address;
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMPHI:
	case LLVMSelect: return !push(list, user);
	case LLVMCall: return call_keeps_pointer(user);
	default: return true;
	}
}

static bool address_escapes(LLVMValueRef variable)
{
	struct worklist list = {.items = {variable}, .count = 1};

	while (list.next < list.count) {
		LLVMValueRef address = list.items[list.next++];

		for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
			if (use_escapes(&list, LLVMGetUser(use), address))
				return true;
	}
	return false;
}

static bool is_local_variable(LLVMValueRef value)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));

	invariant(byval);
	if (LLVMIsAAllocaInst(value))
		return true;
	if (!LLVMIsAArgument(value))
		return false;
	for (unsigned i = 0; i < LLVMCountParams(LLVMGetParamParent(value)); i++)
		if (LLVMGetParam(LLVMGetParamParent(value), i) == value)
			return LLVMGetEnumAttributeAtIndex(LLVMGetParamParent(value), i + 1, byval) != NULL;
	return false;
}

static bool variable_is_private(struct escape *escape, LLVMValueRef value)
{
	enum verdict verdict = map_get(&escape->verdicts, value);

	invariant(verdict <= SHARED);
	if (verdict == UNKNOWN) {
		verdict = is_local_variable(value) && !address_escapes(value) ? PRIVATE : SHARED;
		map_put(&escape->verdicts, value, verdict);
	}
	return verdict == PRIVATE;
}

/* Add what the pointer is computed from; false when it is an object itself. */
static bool push_bases(struct worklist *list, LLVMValueRef pointer, bool *overflow)
{
	if (!LLVMIsAInstruction(pointer))
		return false;
	switch (LLVMGetInstructionOpcode(pointer)) {
	case LLVMGetElementPtr:
	case LLVMBitCast: *overflow |= !push(list, LLVMGetOperand(pointer, 0)); return true;
	case LLVMSelect:
		*overflow |= !push(list, LLVMGetOperand(pointer, 1)) || !push(list, LLVMGetOperand(pointer, 2));
		return true;
	case LLVMPHI:
		for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
			*overflow |= !push(list, LLVMGetIncomingValue(pointer, i));
		return true;
	default: return false;
	}
}

bool pointer_is_private(struct escape *escape, LLVMValueRef pointer)
{
	struct worklist list = {.items = {pointer}, .count = 1};
	bool overflow = false;

	invariant(LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind);
	while (list.next < list.count) {
		LLVMValueRef base = list.items[list.next++];

		if (!push_bases(&list, base, &overflow) && !variable_is_private(escape, base))
			return false;
		if (overflow)
			return false;
	}
	return true;
}

bool pointer_is_constant(LLVMValueRef pointer)
{
	invariant(LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind);
	while (LLVMIsAGetElementPtrInst(pointer) ||
	       (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer);
}
