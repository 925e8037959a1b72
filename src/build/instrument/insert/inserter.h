/*
 * Inside the insertion of hooks: what its parts share.
 *
 *   insert.c        accesses, calls, the whole program
 *   insert_loops.c  the heads of loops
 *   insert_state.c  the threads' local state, for programs that keep it
 *
 * Nobody else includes this.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_INSERT_INSERTER_H
#define INSPECT_BUILD_INSTRUMENT_INSERT_INSERTER_H

#include "build/instrument/analyse/escape.h"
#include "build/instrument/instrument.h"
#include "build/instrument/analyse/live.h"
#include "build/instrument/analyse/loops.h"
#include "build/instrument/analyse/useful.h"
#include "build/instrument/names.h"
#include "build/instrument/insert/sites.h"

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
	HOOK_RESOLVER,
	/* of programs that keep their state */
	HOOK_CHANGES,
	HOOK_DEAD,
	HOOK_ENTERED,
	HOOK_UNKNOWN,
	HOOK_COUNT
};

#define MAX_PARAMETERS 6

/* The rest is insert_state.c's own. */
enum { MAX_PARTS = 64 }; /* of a value, 64 bits each; one that has more is unknown */

/* A hash of the live values, twice. */
struct sum {
	LLVMValueRef words[2];
};

struct block {
	LLVMValueRef phis[2]; /* the sum that control brings; NULL in the first block */
	struct sum head; /* after the block's own phis */
	LLVMValueRef last; /* of the instructions that compute that, or NULL */
};

struct state {
	/* of the function */
	struct live live;
	bool reached; /* the block can be */
	LLVMValueRef entry[2]; /* where it has what it makes of LIVE when it begins */
	LLVMValueRef outside; /* and OUTSIDE; NULL: it was 0 */
	LLVMBasicBlockRef variables; /* begins with those that live in memory */
	struct map copies; /* variable → argument that it is a copy of, + 1 */
	struct map returns; /* blocks to which calls outside return */
	struct block *blocks; /* those of the loops */
	struct map sums; /* the phis of all blocks → 1 */
	struct sum sum; /* where the builder is, over the values of: */
	uint64_t *summed;
	LLVMValueRef (*mixed)[2]; /* what each value adds; NULL: not computed yet */
	uint64_t *unhashed; /* values that have no hash */
	LLVMValueRef parts[MAX_PARTS]; /* of a value that is hashed */
	unsigned nparts;
	bool too_many;
	/* of the program */
	bool pointers_unknown; /* a call through a pointer may have unknown effects */
	unsigned places; /* so many have a number */
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
	struct useful useful; /* of the function */
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
/* The place in the source where the block begins, or NULL. */
LLVMMetadataRef first_location(struct inserter *in, LLVMBasicBlockRef block);
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
 * begins with.  Each block is entered before anything is inserted there, then the instructions are come to
 * one by one, and the block is left.
 */
void state_init(struct inserter *in);
void state_begin(struct inserter *in, LLVMValueRef function);
LLVMBasicBlockRef state_look(struct inserter *in, LLVMValueRef function);
void state_enter(struct inserter *in, LLVMBasicBlockRef block);
void state_come(struct inserter *in, LLVMValueRef instruction);
void state_leave(struct inserter *in, LLVMBasicBlockRef block);
void state_end(struct inserter *in, LLVMValueRef function);

/* Where the builder is: store LIVE for a hook that comes next, on behalf of the instruction that was come to. */
void keep_live(struct inserter *in, enum moment moment);
/* … of the head of a loop, for which the builder is before the first of its body: */
void keep_live_at_head(struct inserter *in, LLVMBasicBlockRef block);
LLVMValueRef first_of_body(struct inserter *in, LLVMBasicBlockRef block);
/* Is it a phi that was inserted for a hash? */
bool is_sum(const struct inserter *in, LLVMValueRef phi);
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
