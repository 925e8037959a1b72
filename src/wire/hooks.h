/*
 * What instrumented code calls and touches: the border between src/build (which
 * emits the calls) and src/runtime (which defines them).
 *
 * Each hook is called immediately before the access it announces.  It may run
 * other threads; when it returns, the calling thread performs the access at
 * once.  `site` indexes the site table.  `order` is an enum memory_order.
 *
 * Before each call that may leave instrumented code (an external function, a
 * function pointer, inline assembly) the code stores the call's site into
 * CURRENT_SITE, a plain 32-bit word at a fixed address; the runtime's own
 * pthread_*, malloc … take their site from there at entry, and so does a crash
 * inside a library.
 *
 * DIRTY, the word after it, is set to 1 where a thread changes something that no hook tells of:
 * before a store to a local variable in a function with loops, and before calls of which
 * nothing is known.
 *
 * A program that is built with --stateful also keeps LIVE, two 64-bit words at LIVE_ADDRESS: a hash
 * of all that the running thread knows by itself.  They are stored before each hook that may run
 * other threads and before each call: the hash of the caller's at the call, of the place in the
 * code, and of the values that are still of use, among them the operands of what the hook
 * announces.  Of a call inside the program only what its caller needs afterwards counts: the
 * arguments are the callee's own.  Memory is no part of it.  What such a program says besides is
 * at the end of this file.
 *
 * OUTSIDE, the word after it, tells where the thread is: 0 in instrumented code; OUTSIDE_CALL while
 * a function that is not instrumented runs; while a function runs that was called through a
 * pointer, that pointer.  A function that is entered with anything but 0 or its own address was
 * called by a library, of whose state nothing is known.
 *
 * The user's `main` is renamed to INSTRUMENTED_MAIN; the runtime has `main`.
 * Functions of wire/libc.def get the prefix WRAPPER_PREFIX; the runtime has those.
 */
#ifndef INSPECT_WIRE_HOOKS_H
#define INSPECT_WIRE_HOOKS_H

#include <stdint.h>

#define RUNTIME_ADDRESS 0x10000000ull
#define RUNTIME_ROOM 0x10000000ull /* nothing else is there */
#define CURRENT_SITE_ADDRESS RUNTIME_ADDRESS
#define DIRTY_ADDRESS (RUNTIME_ADDRESS + 4)
#define LIVE_ADDRESS (RUNTIME_ADDRESS + 8)
#define OUTSIDE_ADDRESS (LIVE_ADDRESS + 16)
#define OUTSIDE_CALL 1
#define INSTRUMENTED_MAIN "__inspect_main"
/* A constant that exists where all static initialisers are marked (build/override/pthread.h). */
#define INITIALISERS_MARKED "__inspect_initialisers_marked"
#define WRAPPER_PREFIX "__inspect_libc_"
/* A constant that exists in a program that was built with --stateful. */
#define KEEPS_STATE "__inspect_keeps_state"
/* Defined, as a constant, in a program that calls flockfile. */
#define LOCKS_STREAMS "__inspect_locks_streams"

void __inspect_read(void *address, uint64_t size, uint32_t site);
void __inspect_write(void *address, uint64_t size, uint32_t site);
void __inspect_atomic_load(void *address, uint64_t size, uint32_t site, uint32_t order);
void __inspect_atomic_store(void *address, uint64_t size, uint32_t site, uint32_t order);
/*
 * `order` also says, UPDATE_SHIFT bits higher, what is done with the operand (enum update), as
 * far as that can leave the value as it was; `operand` is zero-extended, and ignored for
 * accesses over 8 bytes.
 */
#define UPDATE_SHIFT 16
enum update { UPDATE_OTHER, UPDATE_EXCHANGE, UPDATE_AND, UPDATE_OR, UPDATE_BY /* add, subtract, exclusive or */ };
void __inspect_atomic_rmw(void *address, uint64_t size, uint32_t site, uint32_t order, uint64_t operand);
/*
 * `order` has the order of a success and, FAILURE_ORDER_SHIFT bits higher, that of a
 * failure; `expected` is the value compared with and `wanted` the one to be put there, both
 * zero-extended, and ignored for accesses over 8 bytes.
 */
#define FAILURE_ORDER_SHIFT 8
void __inspect_atomic_cas(void *address, uint64_t size, uint32_t site, uint32_t order, uint64_t expected,
			  uint64_t wanted);
/*
 * The head of a loop: `state` is a hash of what the loop carries, `again` is 0 in its first
 * round, `frame` the frame address of the function.  A round may be run only to see how it
 * ends, and taken back: LOOP_EXIT comes first wherever the loop with this site is left to,
 * OUTSIDE before each call that may leave instrumented code and does more than pass the time.
 */
void __inspect_loop(uint32_t site, uint32_t again, uint64_t state, void *frame);
void __inspect_loop_exit(uint32_t site);
void __inspect_outside(void);
void __inspect_fence(uint32_t site, uint32_t order);
/*
 * memcpy and memmove: a read of the source, then a write of the destination, between
 * which others may run; so this one hook also does what it announces.
 */
void __inspect_copy(void *to, void *from, uint64_t size, uint32_t site);
/* memset, and a copy from memory that is nobody else's */
void __inspect_set(void *to, uint64_t size, uint32_t site);
/*
 * The first thing in a function that chooses the code of another one (ifunc): the dynamic loader calls it before any of the
 * program is run, and before the words above can be touched.
 */
void __inspect_resolver(void);
/* the processor's clock or a random number of it is about to be read */
void __inspect_unrepeatable(uint32_t site);
/* something we have no model for is about to run: ends the execution, never returns */
void __inspect_refuse(const char *what, uint32_t site) __attribute__((noreturn));

/*
 * Called with --stateful only; none of them runs other threads.
 *
 * CHANGES: memory is about to be written in a way that is no visible operation: a local variable
 * that nobody else can reach, or an object that a library function fills in.
 *
 * Local variables that live in memory are zero when their function begins, which nothing
 * announces; DEAD comes before it returns, and fills them with zeros again.
 *
 * ENTERED: a library has called the function that begins (see OUTSIDE): makes LIVE unique.
 *
 * UNKNOWN: from here on the state of the program is not known: a function is called of whose
 * effects nobody tells, or there is a value that has no hash.
 */
#define CHANGES_HOOK "__inspect_changes"
#define UNKNOWN_HOOK "__inspect_unknown"
void __inspect_changes(void *address, uint64_t size);
void __inspect_dead(void *address, uint64_t size);
void __inspect_entered(void);
void __inspect_unknown(void);

#endif
