/*
 * Blocks in the mapping have one of a few sizes, four for each power of two, and stand one after the other, each behind a
 * word that says which size it has. Those that are free are in a list of their size. A search takes blocks that double when
 * they are full, and many small ones that are all alike, so that little is lost.
 */
#define _GNU_SOURCE
#include "storage/memory.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"

enum {
	ALIGNMENT = 16,
	STEPS = 4, /* sizes from one power of two to the next */
	SMALL_LOG = 6,
	SMALL = 1 << SMALL_LOG, /* up to here sizes are multiples of the alignment */
	SMALL_SIZES = SMALL / ALIGNMENT,
	SIZES = SMALL_SIZES + STEPS * (64 - SMALL_LOG),
};

/* A block: its size, as an index, and what the user has of it, where the next one of the list is while it is free. */
struct block {
	uint64_t size;
	uint64_t unused;
	struct block *next;
};

enum { BEFORE = offsetof(struct block, next) };

_Static_assert((int)BEFORE == (int)ALIGNMENT, "what the user has of a block is aligned");

/* At the beginning of the mapping. */
struct memory {
	volatile sig_atomic_t stop; /* stop_due() */
	uint64_t used; /* bytes, from its beginning */
	struct block *free[SIZES];
};

static bool shared;
static int file = -1;

static struct memory *the_memory(void)
{
	return (struct memory *)MEMORY_ADDRESS;
}

/* The least size that has room for so many bytes. */
static unsigned index_of(size_t size)
{
	if (size <= SMALL)
		return size ? (unsigned)((size - 1) / ALIGNMENT) : 0;
	unsigned log = 63 - (unsigned)__builtin_clzll(size - 1);
	size_t step = ((size_t)1 << log) / STEPS;

	return SMALL_SIZES + STEPS * (log - SMALL_LOG) + (unsigned)((size - 1) / step - STEPS);
}

static size_t size_of(uint64_t index)
{
	invariant(index < SIZES);
	if (index < SMALL_SIZES)
		return (size_t)ALIGNMENT * (index + 1);
	size_t step = ((size_t)1 << ((index - SMALL_SIZES) / STEPS + SMALL_LOG)) / STEPS;

	return step * (STEPS + (index - SMALL_SIZES) % STEPS + 1);
}

static bool is_in_mapping(const void *content)
{
	return (uint64_t)content - MEMORY_ADDRESS < MEMORY_SIZE;
}

static struct block *block_of(void *content)
{
	return (struct block *)((char *)content - BEFORE);
}

/* Behind all blocks that there are. */
static struct block *new_block(unsigned index)
{
	struct memory *memory = the_memory();
	uint64_t end = memory->used + BEFORE + size_of(index);
	struct block *block = (struct block *)(MEMORY_ADDRESS + memory->used);

	invariant(end <= MEMORY_SIZE); /* which is more than any machine has */
	memory->used = end; /* first, so that nobody else gets it whatever happens */
	block->size = index;
	return block;
}

static void *take(size_t size)
{
	unsigned index = index_of(size);
	struct memory *memory = the_memory();
	struct block *block = memory->free[index];

	debug_invariant(size_of(index) >= size && (!index || size_of(index - 1) < size));
	if (block)
		memory->free[index] = block->next;
	else
		block = new_block(index);
	invariant(block->size == index);
	return &block->next;
}

static void give_back(void *content)
{
	struct block *block = block_of(content);

	invariant(block->size < SIZES);
	block->next = the_memory()->free[block->size];
	the_memory()->free[block->size] = block;
}

void *memory_new(size_t size)
{
	return shared ? take(size) : xmalloc(size);
}

void *memory_new_clear(size_t count, size_t size)
{
	size_t all;

	if (!shared)
		return xcalloc(count, size);
	invariant(!__builtin_mul_overflow(count, size, &all));
	return memset(take(all), 0, all);
}

void *memory_resize(void *content, size_t size)
{
	if (!content)
		return memory_new(size);
	if (!is_in_mapping(content))
		return xrealloc(content, size);
	size_t before = size_of(block_of(content)->size);
	if (size <= before)
		return content;
	void *moved = memcpy(take(size), content, before);
	give_back(content);
	return moved;
}

void memory_free(void *content)
{
	if (is_in_mapping(content))
		give_back(content);
	else if (content) /* where there is a guest there is no free() */
		free(content);
}

int memory_file(void)
{
	return file;
}

bool memory_share(void)
{
	if (shared)
		return true;
	int fd = memfd_create("inspect-search", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	if (ftruncate(fd, MEMORY_SIZE) ||
	    mmap((void *)MEMORY_ADDRESS, MEMORY_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0) != (void *)MEMORY_ADDRESS) {
		close(fd);
		return false;
	}
	file = fd;
	the_memory()->used = (sizeof(struct memory) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	shared = true;
	stop_move(&the_memory()->stop);
	return true;
}

void memory_abandon(void)
{
	invariant(shared);
	memset(the_memory()->free, 0, sizeof the_memory()->free);
}

void memory_join(void)
{
	invariant(!shared && the_memory()->used);
	shared = true;
	stop_move(&the_memory()->stop);
}
