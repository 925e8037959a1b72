/*
 * The second half of the oracle: code for a small machine, made of the tree, and its states.
 *
 * Nothing here knows Inspect, happens-before of traces, or waiting loops: a loop is a jump, a state is a state.
 * Every operation on what is shared is one step of one thread; what a thread does by itself goes along with the step
 * before it.  An atomic block is one step, or several where it has to wait.
 */
#ifndef STRUCTURED_CODE_H
#define STRUCTURED_CODE_H

#include "tree.h"

enum { MAX_CODE = 1024, REGISTERS = 40, NO_REGISTER = 255 };

enum opcode {
	/* what a thread does by itself */
	OP_CONST, /* dst = imm */
	OP_MOVE, /* dst = a */
	OP_BINARY, /* dst = a (imm) b */
	OP_JUMP,
	OP_ZERO, /* jump if a is 0 */
	FIRST_SHARED,
	OP_LOAD = FIRST_SHARED, /* dst = location */
	OP_STORE, /* location = a */
	OP_EXCHANGE,
	OP_FETCH, /* dst = location (imm)= a */
	OP_CAS, /* dst = was b and is a now; other: gets what it was, unless NO_REGISTER */
	OP_READ,
	OP_WRITE,
	OP_LOCK,
	OP_UNLOCK,
	OP_TRYLOCK, /* dst = 1 if it was got */
	OP_POST,
	OP_WAIT,
	OP_TRYWAIT,
	OP_SLEEP, /* on a condition, having left the mutex (imm); the lock comes after it */
	OP_SIGNAL,
	OP_BROADCAST,
	OP_CHOOSE, /* dst = one of imm */
	OP_CREATE,
	OP_UNLINK,
	OP_EXISTS,
	OP_DUP, /* dst = the lowest that is free */
	OP_CLOSE, /* of the number a; dst = it was open */
	OP_OPENED,
	OP_TOUCH,
	OP_FILL,
	OP_PROTECT, /* object: 0, or 1 for an end of that */
	OP_RENEW,
	OP_SPAWN,
	OP_JOIN,
	OP_ASSERT, /* of a; shared only when it fails, which ends the program */
	OP_AWAIT, /* a load that waits until the location is imm */
	OP_BEGIN,
	OP_END, /* of an atomic block */
	OP_EXIT
};

struct op {
	uint8_t code, order;
	uint8_t dst, a, b, other;
	uint8_t object, index; /* the object's number, to which the register `index' is added, if not NO_REGISTER */
	int16_t imm;
	uint16_t target;
	uint16_t node; /* of the tree */
	uint64_t live; /* registers whose values matter before it */
};

struct code {
	struct op ops[MAX_CODE];
	unsigned count, start[THREADS];
	uint8_t live[THREADS]; /* locals that are printed */
	int8_t initial[LOCATIONS], tokens[SEMAPHORES];
	bool weak; /* some order is not seq_cst */
	bool vague; /* whether two accesses are ordered is a matter of definition: see answer.race_allowed */
};

/* False if it is too large. */
bool compile(struct code *code, const struct program *program);

/* Fills in op.live: by what is not live, states do not differ. */
void find_live(struct code *code);

int evaluate(enum binary operator, int a, int b, bool *failed);

/* --- interpret.c --- */

enum { MAX_LINE = 96, MAX_SITES = 16 };

/* All that can come of a program. */
struct answer {
	bool too_large; /* nothing else is known */
	unsigned states;
	char *ends; /* malloced: what is printed, a line each, sorted */
	unsigned nsites;
	uint16_t sites[MAX_SITES]; /* nodes of assertions that can fail, and of accesses that can crash */
	bool deadlock; /* a state in which nobody can do anything */
	bool livelock; /* … in which somebody can, but from which no end can be reached */
	bool quiet_livelock; /* … and from which nothing is ever written: waiting, and nothing else */
	bool race; /* two plain accesses that can be next at the same time, or that nothing orders: must be told */
	bool race_allowed; /* may be told */
	bool race_hidden; /* only weak orders make it one: searches that keep states, and say so, need not tell */
};

void interpret(const struct code *code, unsigned max_states, struct answer *answer);
void answer_release(struct answer *answer);

#endif
