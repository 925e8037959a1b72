#include "build/instrument/analyse/useful.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <stdlib.h>

/* Does the instruction do nothing but make a value?  A division may also end the program. */
static bool only_computes(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMPHI:
	case LLVMAdd:
	case LLVMFAdd:
	case LLVMSub:
	case LLVMFSub:
	case LLVMMul:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFNeg:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMICmp:
	case LLVMFCmp:
	case LLVMSelect:
	case LLVMGetElementPtr:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMUIToFP:
	case LLVMSIToFP:
	case LLVMFPTrunc:
	case LLVMFPExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMFreeze: return true;
	default: return false;
	}
}

static void add(struct useful *useful, LLVMValueRef value)
{
	if (!LLVMIsAInstruction(value) || is_useful(useful, value))
		return;
	map_put(&useful->seen, value, 1);
	if (useful->count == useful->size) {
		useful->size = useful->size ? 2 * useful->size : 64;
		useful->queue = xrealloc(useful->queue, useful->size * sizeof *useful->queue);
	}
	invariant(useful->count < useful->size);
	useful->queue[useful->count++] = value;
}

static void add_operands(struct useful *useful, LLVMValueRef instruction)
{
	invariant(is_useful(useful, instruction));
	for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
		LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
		if (operand)
			add(useful, operand);
	}
}

void useful_init(struct useful *useful, LLVMValueRef function)
{
	*useful = (struct useful){0};
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
			if (!only_computes(at))
				add(useful, at);
	while (useful->count)
		add_operands(useful, useful->queue[--useful->count]);
}

void useful_release(struct useful *useful)
{
	map_release(&useful->seen);
	free(useful->queue);
}
