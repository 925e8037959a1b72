/*
 * The heads of loops: each tells the runtime what its loop carries (loops.h).
 */
#include "build/instrument/insert/inserter.h"

#include "common/invariant.h"

#include <string.h>

/* A hash of what the loop carries into its next round. */
static LLVMValueRef hash_phis(struct inserter *in, LLVMValueRef first)
{
	LLVMValueRef hash = LLVMConstInt(in->long_type, 0, false);

	for (LLVMValueRef phi = first; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
		LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(phi));
		LLVMValueRef value = phi;

		if (is_sum(in, phi) || !is_useful(&in->useful, phi))
			continue;
		if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind) {
			value = LLVMBuildBitCast(in->builder, phi,
						 kind == LLVMFloatTypeKind ? in->word_type : in->long_type, "");
		} else if (kind != LLVMPointerTypeKind &&
			   (kind != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > 64)) {
			set_dirty(in); /* then no two rounds are alike */
			continue;
		}
		hash = LLVMBuildXor(in->builder, hash, as_long(in, value), "");
		hash = LLVMBuildMul(in->builder, hash, LLVMConstInt(in->long_type, 0x9e3779b97f4a7c15ull, false), "");
		hash = LLVMBuildXor(in->builder, hash,
				    LLVMBuildLShr(in->builder, hash, LLVMConstInt(in->long_type, 29, false), ""), "");
	}
	invariant(LLVMTypeOf(hash) == in->long_type);
	return hash;
}

/* 1 when control comes from inside the loop, else 0. */
static LLVMValueRef build_again(struct inserter *in, LLVMBasicBlockRef head, LLVMValueRef model)
{
	unsigned count = LLVMCountIncoming(model);
	LLVMValueRef again = LLVMBuildPhi(in->builder, in->word_type, "");

	invariant(count); /* the head is reached from outside and from inside */
	for (unsigned i = 0; i < count; i++) {
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(model, i);
		LLVMValueRef value = word(in, loops_edge_is_back(&in->loops, from, head));

		LLVMAddIncoming(again, &value, &from, 1);
	}
	return again;
}

/* The same without a phi to learn the predecessors from: each edge once, as a phi wants it. */
static LLVMValueRef build_again_from_uses(struct inserter *in, LLVMBasicBlockRef head)
{
	LLVMValueRef again = LLVMBuildPhi(in->builder, in->word_type, "");

	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(head)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user))
			continue;
		LLVMBasicBlockRef from = LLVMGetInstructionParent(user);
		LLVMValueRef value = word(in, loops_edge_is_back(&in->loops, from, head));

		LLVMAddIncoming(again, &value, &from, 1);
	}
	invariant(LLVMCountIncoming(again) >= 1);
	return again;
}

LLVMValueRef first_after_phis(LLVMBasicBlockRef block)
{
	LLVMValueRef at = LLVMGetFirstInstruction(block);

	while (LLVMIsAPHINode(at))
		at = LLVMGetNextInstruction(at);
	invariant(at); /* every block ends with something that is no phi */
	return at;
}

/* Where the function's own variables are: the runtime may have to put them back. */
static LLVMValueRef frame_address(struct inserter *in)
{
	static const char name[] = "llvm.frameaddress";
	unsigned number = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef result = in->pointer_type;
	LLVMValueRef level = word(in, 0), function;

	invariant(number); /* 0: this LLVM has no such function */
	function = LLVMGetIntrinsicDeclaration(in->program->module, number, &result, 1);
	return LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function, &level, 1, "");
}

struct exit_hook {
	struct inserter *in;
	LLVMValueRef site;
};

static void instrument_exit(LLVMBasicBlockRef block, void *context)
{
	struct exit_hook *hook = context;
	LLVMValueRef first = first_after_phis(block);

	invariant(hook->site);
	if (LLVMIsALandingPadInst(first)) /* nothing is thrown in a round that is only tried */
		return;
	insert_before(hook->in, first);
	call_hook(hook->in, HOOK_LOOP_EXIT, &hook->site);
}

static void instrument_head(struct inserter *in, struct body *loop)
{
	LLVMBasicBlockRef head = loop->blocks[0];
	LLVMValueRef first = LLVMGetFirstInstruction(head), body = first_of_body(in, head), again, site, state;

	invariant(loops_is_head(&in->loops, head));
	if (LLVMIsALandingPadInst(first_after_phis(head)))
		return;
	LLVMPositionBuilderBeforeInstrAndDbgRecords(in->builder, first); /* a phi comes before those, too */
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	again = LLVMIsAPHINode(first) ? build_again(in, head, first) : build_again_from_uses(in, head);
	insert_before(in, body);
	state = hash_phis(in, first);
	site = site_of(in, body, "");
	keep_live_at_head(in, head);
	call_hook(in, HOOK_LOOP, (LLVMValueRef[]){site, again, state, frame_address(in)});
	body_visit_exits(&in->loops, loop, instrument_exit, &(struct exit_hook){in, site});
}

/*
 * Comes after the accesses: a loop without any call, even of a hook, looks at nothing that others
 * could change, so it waits for nobody.  Inner loops come after those around them.
 */
void instrument_loops(struct inserter *in)
{
	for (unsigned i = 0; i < in->loops.nblocks; i++) {
		struct body body;
		if (!loops_is_head(&in->loops, in->loops.blocks[i]))
			continue;
		loops_body(&in->loops, in->loops.blocks[i], &body);
		if (body_calls(&body))
			instrument_head(in, &body);
		body_release(&body);
	}
}

bool function_has_loops(const struct loops *loops)
{
	for (unsigned i = 0; i < loops->nblocks; i++)
		if (loops_is_head(loops, loops->blocks[i]))
			return true;
	return false;
}
