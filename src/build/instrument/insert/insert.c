/*
 * Puts the hooks in: one call immediately before each visible operation.
 */
#define _GNU_SOURCE
#include "build/instrument/debuginfo.h"
#include "build/instrument/analyse/external.h"
#include "build/instrument/insert/inserter.h"
#include "build/instrument/libc.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "wire/events.h"
#include "wire/hooks.h"

#include <string.h>

/* Parameters: p = pointer, 4 and 8 = integer of so many bytes. */
static const struct {
	const char *name;
	const char *parameters;
} hook_table[HOOK_COUNT] = {
	[HOOK_READ] = {"__inspect_read", "p84"},
	[HOOK_WRITE] = {"__inspect_write", "p84"},
	[HOOK_ATOMIC_LOAD] = {"__inspect_atomic_load", "p844"},
	[HOOK_ATOMIC_STORE] = {"__inspect_atomic_store", "p844"},
	[HOOK_ATOMIC_RMW] = {"__inspect_atomic_rmw", "p8448"},
	[HOOK_ATOMIC_CAS] = {"__inspect_atomic_cas", "p84488"},
	[HOOK_FENCE] = {"__inspect_fence", "44"},
	[HOOK_LOOP] = {"__inspect_loop", "448p"},
	[HOOK_LOOP_EXIT] = {"__inspect_loop_exit", "4"},
	[HOOK_OUTSIDE] = {"__inspect_outside", ""},
	[HOOK_COPY] = {"__inspect_copy", "pp84"},
	[HOOK_SET] = {"__inspect_set", "p84"},
	[HOOK_REFUSE] = {"__inspect_refuse", "p4"},
	[HOOK_UNREPEATABLE] = {"__inspect_unrepeatable", "4"},
	[HOOK_RESOLVER] = {"__inspect_resolver", ""},
	[HOOK_CHANGES] = {CHANGES_HOOK, "p8"},
	[HOOK_DEAD] = {"__inspect_dead", "p8"},
	[HOOK_ENTERED] = {"__inspect_entered", ""},
	[HOOK_UNKNOWN] = {UNKNOWN_HOOK, ""},
};

static LLVMTypeRef parameter_type(struct inserter *in, char code)
{
	return code == 'p' ? in->pointer_type : code == '8' ? in->long_type : in->word_type;
}

static void declare_hooks(struct inserter *in)
{
	LLVMTypeRef nothing = LLVMVoidTypeInContext(in->program->context);

	for (unsigned i = 0; i < (in->program->stateful ? HOOK_COUNT : HOOK_CHANGES); i++) {
		const char *codes = hook_table[i].parameters;
		LLVMTypeRef types[MAX_PARAMETERS];
		unsigned n;

		invariant(strlen(codes) <= MAX_PARAMETERS);
		for (n = 0; codes[n]; n++)
			types[n] = parameter_type(in, codes[n]);
		if (LLVMGetNamedFunction(in->program->module, hook_table[i].name))
			die("the program uses the reserved name %s", hook_table[i].name);
		in->hook_types[i] = LLVMFunctionType(nothing, types, n, false);
		in->hooks[i] = LLVMAddFunction(in->program->module, hook_table[i].name, in->hook_types[i]);
	}
}

static void inserter_init(struct inserter *in, struct program *program)
{
	*in = (struct inserter){.program = program};
	namer_init(&in->namer, program);
	escape_init(&in->escape);
	sites_init(&in->sites);
	in->builder = LLVMCreateBuilderInContext(program->context);
	in->pointer_type = LLVMPointerTypeInContext(program->context, 0);
	in->word_type = LLVMInt32TypeInContext(program->context);
	in->long_type = LLVMInt64TypeInContext(program->context);
	in->current_site =
		LLVMConstIntToPtr(LLVMConstInt(in->long_type, CURRENT_SITE_ADDRESS, false), in->pointer_type);
	in->dirty = LLVMConstIntToPtr(LLVMConstInt(in->long_type, DIRTY_ADDRESS, false), in->pointer_type);
	state_init(in);
	declare_hooks(in);
}

static void inserter_release(struct inserter *in)
{
	LLVMDisposeBuilder(in->builder);
	sites_release(&in->sites);
	escape_release(&in->escape);
	namer_release(&in->namer);
}

/* ---- small values ---- */

LLVMValueRef word(struct inserter *in, uint32_t value)
{
	return LLVMConstInt(in->word_type, value, false);
}

static LLVMValueRef size_of(struct inserter *in, LLVMTypeRef type)
{
	return LLVMConstInt(in->long_type, LLVMStoreSizeOfType(in->program->layout, type), false);
}

static LLVMValueRef order_of(struct inserter *in, LLVMAtomicOrdering ordering)
{
	switch (ordering) {
	case LLVMAtomicOrderingUnordered:
	case LLVMAtomicOrderingMonotonic: return word(in, ORDER_RELAXED);
	case LLVMAtomicOrderingAcquire: return word(in, ORDER_ACQUIRE);
	case LLVMAtomicOrderingRelease: return word(in, ORDER_RELEASE);
	case LLVMAtomicOrderingAcquireRelease: return word(in, ORDER_ACQ_REL);
	default: return word(in, ORDER_SEQ_CST);
	}
}

LLVMValueRef site_of(struct inserter *in, LLVMValueRef instruction, const char *variable)
{
	struct position position = di_position(in->program->context, instruction);

	return word(in, sites_add(&in->sites, &position, variable));
}

/* ---- insertion ---- */

void insert_before(struct inserter *in, LLVMValueRef instruction)
{
	invariant(instruction);
	LLVMPositionBuilderBefore(in->builder, instruction);
	LLVMSetCurrentDebugLocation2(in->builder, di_location(in->program->context, instruction));
}

LLVMMetadataRef first_location(struct inserter *in, LLVMBasicBlockRef block)
{
	LLVMMetadataRef location = NULL;

	for (LLVMValueRef at = LLVMGetFirstInstruction(block); at && !location; at = LLVMGetNextInstruction(at))
		location = di_location(in->program->context, at);
	return location;
}

/* The types are those of the table: a hook that is called with others reads something else. */
static bool arguments_fit(struct inserter *in, enum hook hook, LLVMValueRef *arguments)
{
	const char *codes = hook_table[hook].parameters;

	for (unsigned i = 0; codes[i]; i++)
		if (LLVMTypeOf(arguments[i]) != parameter_type(in, codes[i]))
			return false;
	return true;
}

/* Of a function with debug information every call of a hook has a line: the runtime tells of it. */
static bool has_location(struct inserter *in)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(in->builder));

	return !LLVMGetSubprogram(function) || LLVMGetCurrentDebugLocation2(in->builder);
}

void call_hook(struct inserter *in, enum hook hook, LLVMValueRef *arguments)
{
	unsigned count = (unsigned)strlen(hook_table[hook].parameters);

	invariant(in->hooks[hook]); /* those of programs that keep their state are declared for them only */
	invariant(arguments_fit(in, hook, arguments));
	invariant(has_location(in));
	LLVMBuildCall2(in->builder, in->hook_types[hook], in->hooks[hook], arguments, count, "");
}

LLVMValueRef as_long(struct inserter *in, LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind
		       ? LLVMBuildPtrToInt(in->builder, value, in->long_type, "")
		       : LLVMBuildIntCast2(in->builder, value, in->long_type, false, "");
}

void set_dirty(struct inserter *in)
{
	LLVMSetVolatile(LLVMBuildStore(in->builder, word(in, 1), in->dirty), true);
}

/* Memory that needs no announcement: private, or in the address space of fs or gs. */
static bool is_invisible(struct inserter *in, LLVMValueRef pointer)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0 || pointer_is_private(&in->escape, pointer);
}

static enum update update_of(LLVMValueRef instruction)
{
	switch (LLVMGetAtomicRMWBinOp(instruction)) {
	case LLVMAtomicRMWBinOpXchg: return UPDATE_EXCHANGE;
	case LLVMAtomicRMWBinOpAnd: return UPDATE_AND;
	case LLVMAtomicRMWBinOpOr: return UPDATE_OR;
	case LLVMAtomicRMWBinOpAdd:
	case LLVMAtomicRMWBinOpSub:
	case LLVMAtomicRMWBinOpXor: return UPDATE_BY;
	default: return UPDATE_OTHER;
	}
}

/* As a number if it is one or a pointer; floating point updates always count as changes. */
static LLVMValueRef operand_of(struct inserter *in, LLVMValueRef instruction)
{
	LLVMValueRef operand = LLVMGetOperand(instruction, 1);
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(operand));

	if (kind != LLVMPointerTypeKind && kind != LLVMIntegerTypeKind) {
		operand = LLVMBuildBitCast(in->builder, operand,
					   LLVMIntTypeInContext(in->program->context,
								(unsigned)LLVMSizeOfTypeInBits(in->program->layout,
											       LLVMTypeOf(operand))),
					   "");
	}
	return as_long(in, operand);
}

/* Announce an access of `type` at `pointer`; `hook` takes the memory order if there is an ordering. */
static void insert_access(struct inserter *in, LLVMValueRef instruction, enum hook hook, LLVMValueRef pointer,
			  LLVMTypeRef type)
{
	LLVMValueRef arguments[MAX_PARAMETERS];
	char name[NAME_SIZE];

	invariant(hook <= HOOK_ATOMIC_CAS);
	invariant(LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 0);
	name_access(&in->namer, pointer, type, name);
	insert_before(in, instruction);
	arguments[0] = pointer;
	arguments[1] = size_of(in, type);
	arguments[2] = site_of(in, instruction, name);
	if (hook == HOOK_ATOMIC_CAS) {
		arguments[3] =
			word(in,
			     LLVMConstIntGetZExtValue(order_of(in, LLVMGetCmpXchgSuccessOrdering(instruction))) |
				     LLVMConstIntGetZExtValue(order_of(in, LLVMGetCmpXchgFailureOrdering(instruction)))
					     << FAILURE_ORDER_SHIFT);
		arguments[4] = as_long(in, LLVMGetOperand(instruction, 1));
		arguments[5] = as_long(in, LLVMGetOperand(instruction, 2));
	} else if (hook == HOOK_ATOMIC_RMW) {
		arguments[3] = word(in, LLVMConstIntGetZExtValue(order_of(in, LLVMGetOrdering(instruction))) |
						(uint32_t)update_of(instruction) << UPDATE_SHIFT);
		arguments[4] = operand_of(in, instruction);
	} else if (hook != HOOK_READ && hook != HOOK_WRITE) {
		arguments[3] = order_of(in, LLVMGetOrdering(instruction));
	}
	keep_live(in, BEFORE);
	call_hook(in, hook, arguments);
}

static void instrument_load(struct inserter *in, LLVMValueRef load)
{
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	bool atomic = LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic;

	if (!is_invisible(in, pointer) && !pointer_is_constant(pointer))
		insert_access(in, load, atomic ? HOOK_ATOMIC_LOAD : HOOK_READ, pointer, LLVMTypeOf(load));
}

/* No operation that others see. */
static void write_private(struct inserter *in, LLVMValueRef instruction, LLVMValueRef pointer, LLVMValueRef size)
{
	invariant(is_invisible(in, pointer));
	insert_before(in, instruction);
	if (in->has_loops)
		set_dirty(in);
	announce_changes(in, pointer, size);
}

static void instrument_store(struct inserter *in, LLVMValueRef store)
{
	LLVMValueRef pointer = LLVMGetOperand(store, 1);
	bool atomic = LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic;

	if (!is_invisible(in, pointer)) {
		insert_access(in, store, atomic ? HOOK_ATOMIC_STORE : HOOK_WRITE, pointer,
			      LLVMTypeOf(LLVMGetOperand(store, 0)));
	} else {
		write_private(in, store, pointer, size_of(in, LLVMTypeOf(LLVMGetOperand(store, 0))));
	}
}

static void instrument_update(struct inserter *in, LLVMValueRef update, enum hook hook)
{
	LLVMValueRef pointer = LLVMGetOperand(update, 0);

	if (!is_invisible(in, pointer)) {
		insert_access(in, update, hook, pointer, LLVMTypeOf(LLVMGetOperand(update, 1)));
	} else {
		write_private(in, update, pointer, size_of(in, LLVMTypeOf(LLVMGetOperand(update, 1))));
	}
}

static void insert_fence(struct inserter *in, LLVMValueRef instruction, LLVMAtomicOrdering ordering)
{
	insert_before(in, instruction);
	call_hook(in, HOOK_FENCE, (LLVMValueRef[]){site_of(in, instruction, ""), order_of(in, ordering)});
}

/* ---- block operations ---- */

static LLVMValueRef site_of_block(struct inserter *in, LLVMValueRef call, LLVMValueRef pointer, LLVMValueRef size)
{
	char name[NAME_SIZE];

	name_block(&in->namer, pointer, LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0, name);
	return site_of(in, call, name);
}

/* A read, write or set of `size` bytes at `pointer`, as part of a block operation. */
static void insert_block(struct inserter *in, LLVMValueRef call, enum hook hook, LLVMValueRef pointer)
{
	LLVMValueRef size = LLVMGetOperand(call, 2);
	LLVMValueRef site = site_of_block(in, call, pointer, size);

	invariant(hook == HOOK_READ || hook == HOOK_SET);
	size = LLVMBuildIntCast2(in->builder, size, in->long_type, false, "");
	keep_live(in, BEFORE);
	call_hook(in, hook, (LLVMValueRef[]){pointer, size, site});
}

static bool is_empty_block(LLVMValueRef call)
{
	LLVMValueRef size = LLVMGetOperand(call, 2);

	invariant(LLVMGetNumArgOperands(call) >= 3); /* to, from or a value, size */
	return LLVMIsAConstantInt(size) && !LLVMConstIntGetZExtValue(size);
}

static void instrument_copy(struct inserter *in, LLVMValueRef call)
{
	LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
	bool writes = !is_invisible(in, to);
	bool reads = !is_invisible(in, from) && !pointer_is_constant(from);

	invariant(LLVMGetTypeKind(LLVMTypeOf(to)) == LLVMPointerTypeKind);
	invariant(LLVMGetTypeKind(LLVMTypeOf(size)) == LLVMIntegerTypeKind);
	if (is_empty_block(call))
		return;
	insert_before(in, call);
	if (!writes && in->has_loops)
		set_dirty(in);
	if (reads && writes) {
		LLVMValueRef site = site_of_block(in, call, to, size);

		size = LLVMBuildIntCast2(in->builder, size, in->long_type, false, "");
		keep_live(in, BEFORE);
		call_hook(in, HOOK_COPY, (LLVMValueRef[]){to, from, size, site});
		/* the hook has copied: another thread may run between the read and the write */
		if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind) {
			keep_replaced(in, call, to);
			LLVMReplaceAllUsesWith(call, to);
		}
		LLVMInstructionEraseFromParent(call);
	} else if (writes) {
		insert_block(in, call, HOOK_SET, to);
	} else {
		if (reads)
			insert_block(in, call, HOOK_READ, from);
		announce_changes(in, to, size);
	}
}

static void instrument_set(struct inserter *in, LLVMValueRef call)
{
	if (is_empty_block(call))
		return;
	insert_before(in, call);
	if (is_invisible(in, LLVMGetOperand(call, 0))) {
		set_dirty(in);
		announce_changes(in, LLVMGetOperand(call, 0), LLVMGetOperand(call, 2));
		return;
	}
	insert_block(in, call, HOOK_SET, LLVMGetOperand(call, 0));
}

/* ---- calls ---- */

static void store_site(struct inserter *in, LLVMValueRef instruction, const char *name)
{
	LLVMValueRef store;

	/* what the compiler made without a line (__clang_call_terminate) leaves the last line as it is */
	if (!di_location(in->program->context, instruction))
		return;
	insert_before(in, instruction);
	store = LLVMBuildStore(in->builder, site_of(in, instruction, name), in->current_site);
	invariant(LLVMIsAStoreInst(store));
	LLVMSetVolatile(store, true);
}

/*
 * Which of several pointers a wrapped library function is about to touch, its wrapper says;
 * no name is better than that of another variable.
 */
static bool touches_several(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	unsigned pointers = 0;

	if (!LLVMIsAFunction(callee) || !libc_wrapper(callee))
		return false;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef argument = LLVMGetOperand(call, i);

		pointers += LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind &&
			    !pointer_is_constant(argument) && !LLVMIsAFunction(argument);
	}
	return pointers > 1;
}

static void insert_site_store(struct inserter *in, LLVMValueRef call)
{
	char name[NAME_SIZE];

	name_call(&in->namer, call, name);
	if (touches_several(call))
		name[0] = 0;
	store_site(in, call, name);
	insert_before(in, call); /* a call without a line has stored none */
	if (!is_known_call(call))
		set_dirty(in);
	if (!is_quiet_call(call))
		call_hook(in, HOOK_OUTSIDE, NULL);
}

static void insert_refusal(struct inserter *in, LLVMValueRef call)
{
	LLVMValueRef text;

	insert_before(in, call);
	text = LLVMBuildGlobalString(in->builder, refusal(call), "");
	call_hook(in, HOOK_REFUSE, (LLVMValueRef[]){text, site_of(in, call, "")});
}

static void insert_unrepeatable(struct inserter *in, LLVMValueRef call)
{
	insert_before(in, call);
	call_hook(in, HOOK_UNREPEATABLE, (LLVMValueRef[]){site_of(in, call, "")});
}

/* Library calls stay calls: code generation would otherwise expand some (memcmp) into unannounced accesses. */
static void forbid_expansion(struct inserter *in, LLVMValueRef call)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("nobuiltin", strlen("nobuiltin"));
	LLVMAttributeRef attribute = LLVMCreateEnumAttribute(in->program->context, kind, 0);

	invariant(attribute && kind);
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute);
}

/* A structure passed by value is read by the caller, with no load to be seen. */
static void instrument_byval(struct inserter *in, LLVMValueRef call)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));

	invariant(byval);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, i + 1, byval);
		LLVMValueRef pointer = LLVMGetOperand(call, i);

		if (attribute && !is_invisible(in, pointer) && !pointer_is_constant(pointer))
			insert_access(in, call, HOOK_READ, pointer, LLVMGetTypeAttributeValue(attribute));
	}
}

static void instrument_call(struct inserter *in, LLVMValueRef call)
{
	instrument_byval(in, call);
	switch (classify_call(call)) {
	case CALL_INSIDE: keep_inside_call(in, call); break;
	case CALL_HARMLESS: keep_harmless_call(in, call); break;
	case CALL_OUTSIDE:
		forbid_expansion(in, call);
		insert_site_store(in, call);
		keep_outside_call(in, call);
		break;
	case CALL_COPY: instrument_copy(in, call); break;
	case CALL_SET: instrument_set(in, call); break;
	case CALL_FENCE: insert_fence(in, call, LLVMAtomicOrderingSequentiallyConsistent); break;
	case CALL_REFUSED: insert_refusal(in, call); break;
	case CALL_UNREPEATABLE: insert_unrepeatable(in, call); break;
	}
}

/* ---- the whole program ---- */

static void instrument_instruction(struct inserter *in, LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad: instrument_load(in, instruction); break;
	case LLVMStore: instrument_store(in, instruction); break;
	case LLVMAtomicRMW: instrument_update(in, instruction, HOOK_ATOMIC_RMW); break;
	case LLVMAtomicCmpXchg: instrument_update(in, instruction, HOOK_ATOMIC_CAS); break;
	case LLVMFence:
		if (!LLVMIsAtomicSingleThread(instruction))
			insert_fence(in, instruction, LLVMGetOrdering(instruction));
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr: instrument_call(in, instruction); break;
	case LLVMLandingPad: keep_landing(in, instruction); break;
	case LLVMAlloca: keep_variable(in, instruction); break;
	default: break;
	}
}

/* The end of main ends the process: that has a line, too. */
static void instrument_returns(struct inserter *in, LLVMValueRef entry)
{
	LLVMBasicBlockRef block;

	for (block = LLVMGetFirstBasicBlock(entry); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

		if (last && LLVMGetInstructionOpcode(last) == LLVMRet)
			store_site(in, last, "");
	}
}

static void instrument_block(struct inserter *in, LLVMBasicBlockRef block)
{
	LLVMValueRef at, next;

	state_enter(in, block);
	for (at = LLVMGetFirstInstruction(block); at; at = next) {
		next = LLVMGetNextInstruction(at);
		state_come(in, at);
		instrument_instruction(in, at);
	}
	state_leave(in, block);
}

/* A program that keeps its state is gone through so that each value comes before its uses. */
static void instrument_blocks(struct inserter *in, LLVMValueRef function)
{
	LLVMBasicBlockRef block = state_look(in, function);
	unsigned known = in->program->stateful ? in->loops.nblocks : 0;

	for (unsigned i = 0; i < known; i++)
		instrument_block(in, in->loops.blocks[i]);
	invariant(!known || map_get(&in->loops.numbers, block) == 1); /* the code begins with the first block */
	for (; block; block = LLVMGetNextBasicBlock(block))
		if (!known || !map_get(&in->loops.numbers, block))
			instrument_block(in, block);
}

static void instrument_function(struct inserter *in, LLVMValueRef function)
{
	unsigned naked = LLVMGetEnumAttributeKindForName("naked", strlen("naked"));

	invariant(naked);
	if (LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, naked))
		return;
	useful_init(&in->useful, function);
	state_begin(in, function);
	loops_init(&in->loops, function);
	in->has_loops = function_has_loops(&in->loops);
	instrument_blocks(in, function);
	if (in->has_loops)
		instrument_loops(in);
	state_end(in, function);
	useful_release(&in->useful);
	loops_release(&in->loops);
}

/* The loader calls what chooses the code of a function (ifunc) before anything else of the program is run. */
static void instrument_resolvers(struct inserter *in)
{
	LLVMValueRef at, resolver;

	for (at = LLVMGetFirstGlobalIFunc(in->program->module); at; at = LLVMGetNextGlobalIFunc(at)) {
		resolver = LLVMGetGlobalIFuncResolver(at);
		if (LLVMIsAGlobalAlias(resolver))
			resolver = LLVMAliasGetAliasee(resolver);
		if (!LLVMIsAFunction(resolver) || LLVMIsDeclaration(resolver))
			die("'%s' is chosen by something that is no function of the program", value_name(at));
		insert_before(in, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(resolver)));
		LLVMSetCurrentDebugLocation2(in->builder, first_location(in, LLVMGetEntryBasicBlock(resolver)));
		call_hook(in, HOOK_RESOLVER, NULL);
	}
}

/* A constant that the runtime looks for by its name. */
static void emit_word(struct inserter *in, const char *name, uint32_t value)
{
	LLVMValueRef global = LLVMAddGlobal(in->program->module, in->word_type, name);

	invariant(value); /* the runtime asks whether the name is there */
	LLVMSetInitializer(global, word(in, value));
	LLVMSetGlobalConstant(global, true);
}

void instrument_program(struct program *program)
{
	struct inserter in;
	LLVMValueRef function, entry = LLVMGetNamedFunction(program->module, "main");

	invariant(entry && !LLVMIsDeclaration(entry)); /* link.c has seen to that */
	inserter_init(&in, program);
	for (function = LLVMGetFirstFunction(program->module); function; function = LLVMGetNextFunction(function))
		if (!LLVMIsDeclaration(function))
			instrument_function(&in, function);
	instrument_resolvers(&in);
	instrument_returns(&in, entry);
	redirect_libc(program);
	LLVMSetValueName2(entry, INSTRUMENTED_MAIN, strlen(INSTRUMENTED_MAIN));
	sites_emit(&in.sites, program, program_identity(program));
	if (!program->unmarked)
		emit_word(&in, INITIALISERS_MARKED, 1);
	if (program->stateful)
		emit_word(&in, KEEPS_STATE, 1);
	inserter_release(&in);
}
