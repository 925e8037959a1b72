/*
 * Deterministic memory.  Each thread allocates from an arena of its own at a fixed
 * address and frees into its own lists, so that the address of a block depends on
 * nothing but the thread's own history.
 *
 * Sizes are rounded up to classes: steps of 16 bytes up to 1 KiB, then four classes per
 * power of two.  A freed block waits in its thread's quarantine, first in, first out, until
 * enough others have been freed; then it goes to the free list of its class.
 */
#include "common/invariant.h"
#include "runtime/core/runtime.h"
#include "runtime/memory/heap.h"
#include "runtime/state/state.h"

#include <string.h>

enum { SMALL_STEP = 16, SMALL_MAX = 1024, NSMALL = SMALL_MAX / SMALL_STEP, NCLASSES = NSMALL + 4 * 24 };

/* Together they bound what a program that allocates and frees for ever needs. */
enum { QUARANTINE_BLOCKS = 1024, QUARANTINE_BYTES = 256 * 1024 };

/* Of a large block only the beginning is filled: what was not touched costs nothing. */
enum { FILL_LIMIT = 4096, FILL_NEW = 0xa5, FILL_FREED = 0xdd };

/* At the start of each arena.  Lists hold block numbers. */
struct arena {
	uint64_t next; /* first byte never used */
	uint32_t free[NCLASSES]; /* rooms, last in, first out */
	uint32_t oldest, newest; /* the quarantine */
	uint32_t nwaiting;
	uint64_t waiting_bytes;
};

#define ARENA_START ((sizeof(struct arena) + 63) & ~63ull)

uint32_t block_number(uint64_t block)
{
	debug_invariant(in_heap(block) && block % 16 == 0);
	return (uint32_t)((block - HEAP_ADDRESS) / 16);
}

uint64_t numbered_block(uint32_t number)
{
	return HEAP_ADDRESS + number * 16ull;
}

static struct arena *arena_of(unsigned thread)
{
	return (struct arena *)(HEAP_ADDRESS + thread * HEAP_SIZE);
}

static struct arena *own_arena(void)
{
	if (__builtin_expect(!runtime_is_mapped, 0))
		runtime_map();
	struct arena *arena = arena_of(rt->current);
	if (__builtin_expect(!arena->next, 0))
		arena->next = (uint64_t)arena + ARENA_START;
	return arena;
}

static unsigned class_of(uint64_t size)
{
	if (size <= SMALL_MAX)
		return size ? (unsigned)((size - 1) / SMALL_STEP) : 0;
	unsigned power = 63 - (unsigned)__builtin_clzll(size - 1); /* 2^power <= size - 1 */
	return NSMALL + 4 * (power - 10) + (unsigned)((size - 1) >> (power - 2) & 3);
}

static uint64_t class_size(unsigned class)
{
	if (class < NSMALL)
		return (class + 1) * SMALL_STEP;
	unsigned power = 10 + (class - NSMALL) / 4;
	return (1ull << power) + ((class - NSMALL) % 4 + 1ull) * (1ull << (power - 2));
}

/* Its room has space for it and for what is around it; what a program writes with native code, it may have written here. */
static bool block_is_valid(uint64_t block)
{
	const struct header *header = header_of(block);

	return block % 16 == 0 && header->class < NCLASSES &&
	       header->offset + header->size + RED_ZONE <= class_size(header->class);
}

/* --- allocating --- */

/* An unused room of the class, or 0. */
static uint64_t take_room(unsigned class)
{
	struct arena *arena = own_arena();

	if (arena->free[class]) {
		uint64_t room = numbered_block(arena->free[class]);
		debug_invariant(header_of(room)->class == class);
		arena->free[class] = header_of(room)->next;
		return room;
	}
	uint64_t room = arena->next + sizeof(struct header), end = room + class_size(class);
	if (end > (uint64_t)arena + HEAP_SIZE)
		return 0;
	arena->next = end;
	return room;
}

static void paint_shadow(uint64_t from, uint64_t to, enum shadow shadow)
{
	if (from < to)
		memset(shadow_of(from), shadow, (to - from) / 8);
}

static void paint_room(uint64_t room, uint64_t block, uint64_t size, uint64_t end)
{
	uint64_t full = block + (size & ~7ull);

	if (room != block)
		paint_shadow(room - sizeof(struct header), block - sizeof(struct header), SHADOW_RED);
	paint_shadow(block - sizeof(struct header), block, SHADOW_HEADER);
	paint_shadow(block, full, SHADOW_FULL);
	paint_shadow(full, end, SHADOW_RED);
	if (size & 7)
		*shadow_of(full) = (int8_t)(size & 7);
}

static void fill_block(uint64_t block, uint64_t size, int pattern)
{
	memset((void *)block, pattern, size < FILL_LIMIT ? size : FILL_LIMIT);
}

/* Where in its room an aligned block starts: a header of its own must fit in front of it. */
static uint64_t align_block(uint64_t room, uint64_t alignment)
{
	uint64_t block = (room + alignment - 1) & ~(alignment - 1);

	return block == room || block - room >= sizeof(struct header) ? block : block + alignment;
}

uint64_t block_allocate(uint64_t size, uint64_t alignment, bool foreign)
{
	if (size > HEAP_SIZE / 2 || alignment > HEAP_SIZE / 8)
		return 0;
	bool aligned = alignment > 16;
	unsigned class = class_of(size + RED_ZONE + (aligned ? alignment + sizeof(struct header) : 0));
	invariant(class < NCLASSES);
	uint64_t room = take_room(class);
	if (!room)
		return 0;
	uint64_t block = aligned ? align_block(room, alignment) : room;
	invariant(block % 16 == 0 && (!aligned || block % alignment == 0));
	invariant(block + size + RED_ZONE <= room + class_size(class));
	struct header header = {.size = (uint32_t)size,
				.offset = (uint32_t)(block - room),
				.alloc_site = rt->current_site,
				.class = (uint8_t)class,
				.foreign = foreign,
				.alloc_thread = (uint8_t)rt->current};
	*header_of(room) = header;
	*header_of(block) = header;
	paint_room(room, block, size, room + class_size(class));
	if (is_stateful()) {
		state_private(size);
		state_block(block, size + 1);
		if (!foreign)
			state_open_range(block, size);
	}
	fill_block(block, size, FILL_NEW);
	return block;
}

/* --- freeing --- */

static void leave_quarantine(struct arena *arena)
{
	invariant(arena->nwaiting && arena->oldest);
	uint64_t block = numbered_block(arena->oldest);
	struct header *header = header_of(block);
	uint64_t room = block - header->offset;

	debug_invariant(block_is_free(block) && block_is_valid(block));
	debug_invariant(arena->waiting_bytes >= class_size(header->class));
	arena->oldest = header->next;
	arena->nwaiting--;
	arena->waiting_bytes -= class_size(header->class);
	header_of(room)->next = arena->free[header->class];
	arena->free[header->class] = block_number(room);
}

static void enter_quarantine(struct arena *arena, uint64_t block)
{
	struct header *header = header_of(block);

	header->next = 0;
	if (arena->nwaiting)
		header_of(numbered_block(arena->newest))->next = block_number(block);
	else
		arena->oldest = block_number(block);
	arena->newest = block_number(block);
	arena->nwaiting++;
	arena->waiting_bytes += class_size(header->class);
	/* at least one block waits, however large */
	while (arena->nwaiting > QUARANTINE_BLOCKS || (arena->nwaiting > 1 && arena->waiting_bytes > QUARANTINE_BYTES))
		leave_quarantine(arena);
}

void block_release(uint64_t block, uint32_t site)
{
	struct header *header = header_of(block);
	uint64_t size = header->size;

	debug_invariant(block_is_valid(block) && !block_is_free(block));
	header->free_site = site;
	header->free_thread = (uint8_t)rt->current;
	if (is_stateful()) {
		state_private(block);
		state_block(block, ~size);
		if (!header->foreign)
			state_open_range(block, size);
	}
	fill_block(block, size, FILL_FREED);
	paint_shadow(block, block + (size ? (size + 7) & ~7ull : 8), SHADOW_FREED);
	enter_quarantine(own_arena(), block);
}

/* --- finding --- */

bool block_starts(uint64_t address)
{
	return in_heap(address - 8) && address % 16 == 0 && *shadow_of(address - 8) == SHADOW_HEADER &&
	       *shadow_of(address) != SHADOW_HEADER;
}

bool block_is_free(uint64_t block)
{
	return *shadow_of(block) == SHADOW_FREED;
}

struct header *header_before(uint64_t address)
{
	invariant(in_heap(address));
	const struct arena *arena = arena_of((unsigned)((address - HEAP_ADDRESS) / HEAP_SIZE));
	uint64_t first = (uint64_t)arena + ARENA_START, at = address & ~7ull;

	if (!arena->next)
		return NULL;
	if (at >= arena->next)
		at = arena->next - 8;
	while (at >= first && *shadow_of(at) != SHADOW_HEADER)
		at -= 8;
	if (at < first)
		return NULL;
	while (*shadow_of(at) == SHADOW_HEADER)
		at += 8;
	return header_of(at);
}

void blocks_visit(void (*visit)(struct header *))
{
	for (unsigned thread = 0; thread < MAX_THREADS; thread++) {
		const struct arena *arena = arena_of(thread);
		uint64_t room = (uint64_t)arena + ARENA_START + sizeof(struct header);
		while (arena->next && room < arena->next) {
			const struct header *header = header_of(room);
			uint64_t block = room + header->offset;
			if (!block_is_free(block))
				visit(header_of(block));
			room += class_size(header->class) + sizeof(struct header);
		}
	}
}
