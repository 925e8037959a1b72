/*
 * Inside the insertion of hooks: what its parts share.
 *
 *   insert.c        accesses, calls, the whole program
 *   insert_loops.c  the heads of loops
 *
 * Nobody else includes this.
 */
#ifndef INSPECT_INSTRUMENT_INSERTER_H
#define INSPECT_INSTRUMENT_INSERTER_H

#include "build/instrument/escape.h"
#include "build/instrument/instrument.h"
#include "build/instrument/loops.h"
#include "build/instrument/names.h"
#include "build/instrument/sites.h"

enum hook {
	HOOK_READ,
	HOOK_WRITE,
	HOOK_ATOMIC_LOAD,
	HOOK_ATOMIC_STORE,
	HOOK_ATOMIC_RMW,
	HOOK_ATOMIC_CAS,
	HOOK_FENCE,
	HOOK_LOOP,
	HOOK_LOOP_EXIT,
	HOOK_OUTSIDE,
	HOOK_COPY,
	HOOK_SET,
	HOOK_REFUSE,
	HOOK_UNREPEATABLE,
	HOOK_COUNT
};

#define MAX_PARAMETERS 5

struct inserter {
	struct program *program;
	struct namer namer;
	struct escape escape;
	struct sites sites;
	LLVMBuilderRef builder;
	LLVMTypeRef pointer_type;
	LLVMTypeRef word_type; /* 32 bits */
	LLVMTypeRef long_type; /* 64 bits */
	LLVMTypeRef hook_types[HOOK_COUNT];
	LLVMValueRef hooks[HOOK_COUNT];
	LLVMValueRef current_site, dirty; /* the addresses of CURRENT_SITE and DIRTY */
	struct loops loops; /* of the function */
	bool has_loops;
};

LLVMValueRef word(struct inserter *in, uint32_t value);
LLVMValueRef as_long(struct inserter *in, LLVMValueRef value); /* a number or pointer, zero-extended */
/* The site of an instruction, as a constant. */
LLVMValueRef site_of(struct inserter *in, LLVMValueRef instruction, const char *variable);

/* What is built next comes before the instruction, with its place in the source. */
void insert_before(struct inserter *in, LLVMValueRef instruction);
void call_hook(struct inserter *in, enum hook hook, LLVMValueRef *arguments);
/* The thread changes something that no hook tells of (wire/hooks.h). */
void set_dirty(struct inserter *in);

/* insert_loops.c; in->loops are those of the function */
void instrument_loops(struct inserter *in);
bool function_has_loops(const struct loops *loops);

#endif
