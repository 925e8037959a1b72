/*
 * Functions named __VERIFIER_atomic_… are atomic blocks: the software verification
 * competition's way to say it.  They begin and end one, as if they had been written so.
 */
#include "build/instrument/instrument.h"

#include "common/invariant.h"

#include <stdbool.h>
#include <string.h>

#define PREFIX "__VERIFIER_atomic_"

static bool is_atomic_block(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);

	return !LLVMIsDeclaration(function) && !strncmp(name, PREFIX, strlen(PREFIX)) && strcmp(name, PREFIX "begin") &&
	       strcmp(name, PREFIX "end");
}

static void insert_call(struct program *program, LLVMValueRef before, const char *name)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(program->context);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(program->context), NULL, 0, false);
	LLVMValueRef function = LLVMGetNamedFunction(program->module, name);

	if (!function)
		function = LLVMAddFunction(program->module, name, type);
	LLVMPositionBuilderBefore(builder, before); /* takes its line, too */
	LLVMBuildCall2(builder, type, function, NULL, 0, "");
	LLVMDisposeBuilder(builder);
}

/* The first instruction that is no local variable. */
static LLVMValueRef first_action(LLVMValueRef function)
{
	LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(function));

	invariant(at);
	while (LLVMGetInstructionOpcode(at) == LLVMAlloca)
		at = LLVMGetNextInstruction(at);
	invariant(at); /* a block does not end with a variable */
	return at;
}

void make_atomic_blocks(struct program *program)
{
	LLVMValueRef function;
	LLVMBasicBlockRef block;

	for (function = LLVMGetFirstFunction(program->module); function; function = LLVMGetNextFunction(function)) {
		if (!is_atomic_block(function))
			continue;
		insert_call(program, first_action(function), "inspect_atomic_begin");
		for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
			if (last && LLVMGetInstructionOpcode(last) == LLVMRet)
				insert_call(program, last, "inspect_atomic_end");
		}
	}
}
