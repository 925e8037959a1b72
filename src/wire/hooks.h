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
#define INSTRUMENTED_MAIN "__inspect_main"
/* A constant that exists where all static initialisers are marked (build/override/pthread.h). */
#define INITIALISERS_MARKED "__inspect_initialisers_marked"
/* A constant that exists where instrumented code tells what is live. */
#define KEEPS_STATE "__inspect_keeps_state"
#define WRAPPER_PREFIX "__inspect_libc_"
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
enum update { UPDATE_OTHER, UPDATE_EXCHANGE, UPDATE_AND, UPDATE_OR };
void __inspect_atomic_rmw(void *address, uint64_t size, uint32_t site, uint32_t order, uint64_t operand);
/*
 * `order` has the order of a success and, FAILURE_ORDER_SHIFT bits higher, that of a
 * failure; `expected` is the value compared with, zero-extended, and ignored for
 * accesses over 8 bytes.
 */
#define FAILURE_ORDER_SHIFT 8
void __inspect_atomic_cas(void *address, uint64_t size, uint32_t site, uint32_t order, uint64_t expected);
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
/* the processor's clock or a random number of it is about to be read */
void __inspect_unrepeatable(uint32_t site);
/* something we have no model for is about to run: ends the execution, never returns */
void __inspect_refuse(const char *what, uint32_t site) __attribute__((noreturn));

#endif
