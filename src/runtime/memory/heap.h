/*
 * The heap of the program under test, seen from inside the runtime.
 *
 *   blocks.c   arenas, size classes, headers and the quarantine
 *   shadow.c   which bytes may be touched, and what to say about those that may not
 *   heap.c     malloc, free … as the program calls them
 *   leaks.c    what nobody can reach at the end (--leaks)
 *
 * Everything here lies in memory that is rolled back with the program.
 *
 * Shadow memory has one signed byte for each 8 bytes of heap (a granule): how many of
 * them, from the first, belong to a block: 0 where nothing was ever allocated, negative
 * where nothing may be touched (enum shadow).  The sizes are the exact ones that the
 * program asked for.
 *
 * A block, in its room:
 *
 *   │ header │ block … │ red zone, at least RED_ZONE │ next header …
 *
 * An aligned block does not start where its room starts: then the room has a header of its
 * own, which only says how large the room is and where the block begins.
 */
#ifndef INSPECT_RUNTIME_MEMORY_HEAP_H
#define INSPECT_RUNTIME_MEMORY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/runtime.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

#define HEAP_TOTAL (MAX_THREADS * HEAP_SIZE)
#define RED_ZONE 16

enum shadow {
	SHADOW_FULL = 8, /* all of the granule may be touched */
	SHADOW_NEVER = 0, /* nothing was allocated here yet */
	SHADOW_RED = -1,
	SHADOW_HEADER = -2, /* in front of each block, in use or free, and nowhere else */
	SHADOW_FREED = -3,
};

struct header {
	uint32_t size; /* that was asked for */
	uint32_t offset; /* of the block in its room */
	uint32_t alloc_site, free_site;
	uint32_t next; /* in the quarantine, a free list or a list of blocks to scan: a block_number(), 0 ends it */
	uint8_t class; /* size class of the room */
	uint8_t alloc_thread, free_thread;
	uint8_t reached; /* leaks.c */
	uint64_t foreign; /* the C library's own: what it writes there nobody tells */
};

_Static_assert(sizeof(struct header) == 32, "blocks stay aligned to 16");

static inline bool in_heap(uint64_t address)
{
	return address - HEAP_ADDRESS < HEAP_TOTAL;
}

static inline int8_t *shadow_of(uint64_t address)
{
	return (int8_t *)(SHADOW_ADDRESS + (address - HEAP_ADDRESS) / 8);
}

static inline struct header *header_of(uint64_t block)
{
	return (struct header *)block - 1;
}

static inline uint64_t block_of(const struct header *header)
{
	return (uint64_t)(header + 1);
}

/* --- blocks.c --- */

/* A new block, or 0; only the first bytes of a large one are filled with a pattern. */
uint64_t block_allocate(uint64_t size, uint64_t alignment, bool foreign);
/* The block is freed: nobody may touch it, and it is not used again for a while. */
void block_release(uint64_t block, uint32_t site);
uint32_t block_number(uint64_t block);
uint64_t numbered_block(uint32_t number);
/* Does a block, in use or freed, start here? */
bool block_starts(uint64_t address);
bool block_is_free(uint64_t block);
/* Call for every block that is in use. */
void blocks_visit(void (*visit)(struct header *));
/* The header that the address is in, or the nearest one before it; NULL if there is none. */
struct header *header_before(uint64_t address);

/* --- shadow.c --- */

/* Do all bytes belong to a block that is in use?  The slow half of heap_check(). */
bool shadow_allows(uint64_t address, uint64_t size);
/* What the block was, for a report. */
struct block_info block_describe(const struct header *header);
/* The access that the running thread is about to make is bad: its end. */
void bad_heap_access(const char *what, uint64_t address, uint64_t size, uint32_t site) __attribute__((noreturn));
void bad_stack_access(const char *what, uint64_t address, uint64_t size, uint32_t site) __attribute__((noreturn));
/* The pointer that the running thread frees is none that it may free: its end. */
void bad_free(const char *function, uint64_t pointer) __attribute__((noreturn));

/* The runtime's own, but for the words that instrumented code writes (wire/hooks.h). */
static inline bool is_runtimes(uint64_t address)
{
	return address - (OUTSIDE_ADDRESS + 8) < sizeof *rt - (OUTSIDE_ADDRESS + 8 - RUNTIME_ADDRESS);
}

/* Where nothing of the program's can be: the runtime, the channel, a guest, shadow memory, copies of pages. */
static inline bool is_foreign(uint64_t address)
{
	return is_runtimes(address) || address - CHANNEL_ADDRESS < sizeof(struct channel) ||
	       address - GUEST_ADDRESS < GUEST_SIZE || address - SHADOW_ADDRESS < HEAP_TOTAL / 8 ||
	       address - SNAPSHOT_ADDRESS < SNAPSHOT_SIZE;
}

/* There is such an access: the execution ends with it. */
void foreign_access(const char *what, uint64_t address, uint64_t size, uint32_t site) __attribute__((noreturn));

/* May the running thread touch these bytes (of the heap, any other address passes)?  Inline, for the hooks. */
static inline bool heap_allows(uint64_t address, uint64_t size)
{
	if (__builtin_expect(!in_heap(address), 1))
		return true;
	int valid = *shadow_of(address);
	if (__builtin_expect((int64_t)((address & 7) + size) <= valid, 1))
		return true;
	return shadow_allows(address, size);
}

#pragma GCC visibility pop

#endif
