/*
 * malloc, free and their relatives, as the program calls them.
 *
 * The end of a block is a visible operation, a write to all of it: so that it is tried
 * before and after what other threads do there, and a data race if nothing orders the two.
 * Allocating is none; nobody else knows the new block.
 *
 * A free inside libc is not visible: libc may hold a lock of its own then, and whoever else
 * wanted that would stop everything.
 */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/state/state.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* --- visible frees --- */

/* The object that exit() is in; its segments, from the first to the last. */
static int consider_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	uint64_t start = UINT64_MAX, end = 0, wanted = (uint64_t)rt->library.exit;

	(void)size, (void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
		if (segment->p_type != PT_LOAD)
			continue;
		start = from < start ? from : start;
		end = to > end ? to : end;
	}
	if (wanted < start || wanted >= end)
		return 0;
	rt->library.start = start;
	rt->library.end = end;
	return 1;
}

void heap_prepare(void)
{
	dl_iterate_phdr(consider_object, NULL);
}

static bool is_in_libc(const void *caller)
{
	return (uint64_t)caller - rt->library.start < rt->library.end - rt->library.start;
}

static void announce_free(uint64_t block, const void *caller)
{
	uint32_t size = header_of(block)->size;
	struct op op = make_op(EV_FREE, (void *)block);

	touch_memory(block, size ? size : 1);
	if (rt->nthreads < 2 || is_in_libc(caller))
		return;
	op.size = size ? size : 1;
	point(&op);
}

/*
 * The block's time is over, by free or realloc; its contents are still there.  Whether it is
 * free already is asked when it is this thread's turn: until then others may free it.
 */
static void end_block(const char *function, void *pointer, const void *caller)
{
	uint64_t block = (uint64_t)pointer;

	if (!block_starts(block))
		bad_free(function, block);
	announce_free(block, caller);
	if (block_is_free(block))
		bad_free(function, block);
}

void heap_check_object(struct event *event, uint64_t size)
{
	uint64_t object = event->op.object;

	if (heap_allows(object, size))
		return;
	event->instead = EV_FREE;
	bad_heap_access("use", object, size, rt->current_site);
}

/* --- the interface --- */

static void *refuse_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

static void *allocate(uint64_t size, uint64_t alignment, const void *caller)
{
	if (alignment & (alignment - 1)) {
		errno = EINVAL;
		return NULL;
	}
	uint64_t block = block_allocate(size, alignment, is_in_libc(caller));
	return block ? (void *)block : refuse_memory();
}

void *malloc(size_t size)
{
	return allocate(size, 0, __builtin_return_address(0));
}

void free(void *block)
{
	if (!block)
		return;
	uint32_t site = rt->current_site;
	end_block("free", block, __builtin_return_address(0));
	block_release((uint64_t)block, site);
	if (rt->phase == PHASE_RUN && rt->schedule.blocking)
		reconsider_all(); /* who waits for a lock in it finds the ruins */
}

void *calloc(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return refuse_memory();
	void *block = allocate(bytes, 0, __builtin_return_address(0));
	if (block)
		memset(block, 0, bytes);
	return block;
}

/* Always moves: whoever goes on with the old pointer is found, whatever the sizes. */
static void *reallocate(void *block, size_t size, const void *caller)
{
	if (!block)
		return allocate(size, 0, caller);
	uint32_t site = rt->current_site;
	void *moved = size ? allocate(size, 0, caller) : NULL;
	if (size && !moved)
		return NULL;
	end_block("realloc", block, caller);
	uint64_t old = header_of((uint64_t)block)->size;
	if (moved && is_stateful())
		state_open_range((uint64_t)moved, size);
	if (moved)
		memcpy(moved, block, size < old ? size : old);
	block_release((uint64_t)block, site);
	return moved;
}

void *realloc(void *block, size_t size)
{
	return reallocate(block, size, __builtin_return_address(0));
}

void *reallocarray(void *block, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return refuse_memory();
	return reallocate(block, bytes, __builtin_return_address(0));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return allocate(size, alignment, __builtin_return_address(0));
}

void *memalign(size_t alignment, size_t size)
{
	return allocate(size, alignment, __builtin_return_address(0));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	if (alignment < sizeof(void *) || alignment & (alignment - 1))
		return EINVAL;
	uint64_t result = block_allocate(size, alignment, is_in_libc(__builtin_return_address(0)));
	if (!result)
		return ENOMEM;
	__inspect_write(block, sizeof *block, rt->current_site);
	*block = (void *)result;
	return 0;
}

void *valloc(size_t size)
{
	return allocate(size, PAGE, __builtin_return_address(0));
}

void *pvalloc(size_t size)
{
	return allocate((size + PAGE - 1) & ~(PAGE - 1), PAGE, __builtin_return_address(0));
}

size_t malloc_usable_size(void *block)
{
	if (block && !heap_allows((uint64_t)block, 1))
		bad_heap_access("malloc_usable_size", (uint64_t)block, 1, rt->current_site);
	return block ? header_of((uint64_t)block)->size : 0;
}
