/*
 * A deterministic allocator.  Each thread allocates from an arena of its own at a
 * fixed address and frees into its own lists, so that the address of a block
 * depends on nothing but the thread's own history.
 *
 * An arena starts with its struct arena; a block is preceded by its struct header.
 * Sizes are rounded up to classes: steps of 16 bytes up to 1 KiB, then four
 * classes per power of two.  Freed blocks are used again last in, first out.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"

enum { SMALL_STEP = 16, SMALL_MAX = 1024, NSMALL = SMALL_MAX / SMALL_STEP, NCLASSES = NSMALL + 4 * 24 };

#define HEADER_MAGIC 0x6b6c6f62u
#define FREED_MAGIC 0x64656572u

struct header {
	uint64_t size; /* usable bytes */
	uint32_t magic;
	uint32_t offset; /* from the start of the raw block, for aligned blocks */
};

struct arena {
	uint64_t next; /* first byte never used */
	void *free[NCLASSES];
};

_Static_assert(sizeof(struct header) == 16, "blocks stay aligned to 16");

static struct arena *own_arena(void)
{
	if (__builtin_expect(!runtime_is_mapped, 0))
		runtime_map();
	struct arena *arena = (struct arena *)(HEAP_ADDRESS + rt->current * HEAP_SIZE);
	if (__builtin_expect(!arena->next, 0))
		arena->next = (uint64_t)arena + ((sizeof *arena + 63) & ~63ull);
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

static void *refuse_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

static struct header *header_of(const void *block)
{
	return (struct header *)block - 1;
}

static void *allocate(uint64_t size)
{
	struct arena *arena = own_arena();

	if (size > HEAP_SIZE / 2)
		return refuse_memory();
	unsigned class = class_of(size);
	void *block = arena->free[class];
	if (block) {
		arena->free[class] = *(void **)block;
	} else {
		uint64_t start = arena->next + sizeof(struct header), room = class_size(class);
		if (start + room > (uint64_t)arena + HEAP_SIZE)
			return refuse_memory();
		arena->next = start + room;
		block = (void *)start;
	}
	*header_of(block) = (struct header){.size = class_size(class), .magic = HEADER_MAGIC};
	return block;
}

static bool in_heap(const void *block)
{
	return (uint64_t)block - HEAP_ADDRESS < MAX_THREADS * HEAP_SIZE;
}

void *malloc(size_t size)
{
	return allocate(size);
}

static void check_block(const void *block)
{
	if (!in_heap(block) || header_of(block)->magic != HEADER_MAGIC)
		anomaly(EV_BAD_FREE, in_heap(block) && header_of(block)->magic == FREED_MAGIC
					     ? "free of a block that is free already"
					     : "free of a pointer that malloc did not return");
}

void free(void *block)
{
	if (!block)
		return;
	check_block(block);
	header_of(block)->magic = FREED_MAGIC;
	void *raw = (char *)block - header_of(block)->offset;
	struct arena *arena = own_arena();
	unsigned class = class_of(header_of(raw)->size);
	*(void **)raw = arena->free[class];
	arena->free[class] = raw;
}

void *calloc(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return refuse_memory();
	void *block = allocate(bytes);
	if (block)
		memset(block, 0, bytes);
	return block;
}

void *realloc(void *block, size_t size)
{
	if (!block)
		return allocate(size);
	if (!size) {
		free(block);
		return NULL;
	}
	check_block(block);
	uint64_t old = malloc_usable_size(block);
	if (size <= old)
		return block;
	void *larger = allocate(size);
	if (!larger)
		return NULL;
	memcpy(larger, block, old);
	free(block);
	return larger;
}

void *reallocarray(void *block, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return refuse_memory();
	return realloc(block, bytes);
}

/* A block inside a larger raw block; the raw block's header says how large that is. */
static void *allocate_aligned(uint64_t alignment, uint64_t size)
{
	if (alignment <= 16)
		return allocate(size);
	if (size > HEAP_SIZE / 2 || alignment > HEAP_SIZE / 4)
		return refuse_memory();
	char *raw = allocate(size + alignment + sizeof(struct header));
	if (!raw)
		return NULL;
	uint64_t aligned = ((uint64_t)raw + sizeof(struct header) + alignment - 1) & ~(alignment - 1);
	uint32_t offset = (uint32_t)(aligned - (uint64_t)raw);
	*header_of((void *)aligned) =
		(struct header){.size = header_of(raw)->size - offset, .magic = HEADER_MAGIC, .offset = offset};
	return (void *)aligned;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return allocate_aligned(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
	return allocate_aligned(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	if (alignment < sizeof(void *) || alignment & (alignment - 1))
		return EINVAL;
	void *result = allocate_aligned(alignment, size);
	if (!result)
		return ENOMEM;
	*block = result;
	return 0;
}

void *valloc(size_t size)
{
	return allocate_aligned(PAGE, size);
}

void *pvalloc(size_t size)
{
	return allocate_aligned(PAGE, (size + PAGE - 1) & ~(PAGE - 1));
}

size_t malloc_usable_size(void *block)
{
	return block ? header_of(block)->size : 0;
}
