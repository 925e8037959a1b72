/*
 * Inside the insertion of hooks: what its parts share.
 *
 *   insert.c        accesses, calls, the whole program
 *   insert_loops.c  the heads of loops
 *   insert_state.c  the threads' local state, for programs that keep it
 *
 * Nobody else includes this.
 */
#ifndef INSPECT_INSTRUMENT_INSERTER_H
#define INSPECT_INSTRUMENT_INSERTER_H

#include "build/instrument/escape.h"
#include "build/instrument/instrument.h"
#include "build/instrument/live.h"
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
	/* of programs that keep their state */
	HOOK_CHANGES,
	HOOK_DEAD,
	HOOK_ENTERED,
	HOOK_UNKNOWN,
	HOOK_COUNT
};

#define MAX_PARAMETERS 5

/* insert_state.c alone uses it */
struct state {
	/* of the function */
	struct live live;
	bool reached; /* the block can be */
	LLVMValueRef entry[2]; /* made of LIVE as it was when the function began */
	LLVMValueRef outside; /* and OUTSIDE; NULL: it was 0 */
	LLVMBasicBlockRef variables; /* begins with those that live in memory */
	struct map copies; /* variable → argument that it is a copy of, + 1 */
	struct map returns; /* blocks to which calls outside return */
	/* of the program */
	bool pointers_unknown; /* a call through a pointer may have unknown effects */
	unsigned places; /* so many have a number */
	LLVMValueRef *parts; /* of the values that are hashed */
	unsigned nparts, room;
};

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
	struct state state;
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
LLVMValueRef first_after_phis(LLVMBasicBlockRef block);

/*
 * insert_state.c.  All of them do nothing unless the program keeps its state.  A function is begun before
 * anything is looked at; then, when its loops are known, state_look() returns the block that its code
 * begins with, and each block is entered before anything is inserted there.
 */
void state_init(struct inserter *in);
void state_release(struct inserter *in);
void state_begin(struct inserter *in, LLVMValueRef function);
LLVMBasicBlockRef state_look(struct inserter *in, LLVMValueRef function);
void state_enter(struct inserter *in, LLVMBasicBlockRef block);
void state_end(struct inserter *in, LLVMValueRef function);

/* Where the builder is: store LIVE for a hook that comes next, on behalf of the instruction. */
void keep_live(struct inserter *in, LLVMValueRef instruction, enum moment moment);
void keep_live_at_head(struct inserter *in, LLVMBasicBlockRef block);
/* Where the builder is: memory is about to be written that needs no other announcement. */
void announce_changes(struct inserter *in, LLVMValueRef pointer, LLVMValueRef size);
/* The call's result is the value from now on. */
void keep_replaced(struct inserter *in, LLVMValueRef call, LLVMValueRef value);
/* Calls, by their class (external.h). */
void keep_outside_call(struct inserter *in, LLVMValueRef call);
void keep_inside_call(struct inserter *in, LLVMValueRef call);
void keep_harmless_call(struct inserter *in, LLVMValueRef call);
/* An exception arrives. */
void keep_landing(struct inserter *in, LLVMValueRef pad);
/* A variable in memory whose size or life is known at run time only. */
void keep_variable(struct inserter *in, LLVMValueRef variable);

#endif
