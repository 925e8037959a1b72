/*
 * The program's memory: accesses that are announced or filtered out (access.c), who accesses what, and what others need to
 * know of the heap.  How the heap itself is made is in heap.h.
 */
#ifndef INSPECT_RUNTIME_MEMORY_MEMORY_H
#define INSPECT_RUNTIME_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/invariant.h"
#include "runtime/core/runtime.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* --- access.c: memory that one thread only has accessed --- */

/* The memory is accessed by a visible operation, and so counts as shared. */
void share_memory(uint64_t address, uint64_t size);
/* The running thread accesses it in another way: it is shared if others have. */
void touch_memory(uint64_t address, uint64_t size);
/* A synchronisation object is used, while there are several threads: is it also accessed as memory? */
bool object_is_accessed(uint64_t object);
/* Is it the running thread's own, as far as is known?  It accesses it, and so it is not any other's. */
bool memory_is_own(uint64_t address, uint64_t size);
/*
 * Can it be read, of a size that spans two pages at most?  To be asked where the runtime reads, for itself or for another thread,
 * what was announced before; where the running thread's own operation reads, a fault is what is wanted.
 */
bool memory_is_there(uint64_t address, uint64_t size);
/* Memory is taken away, as a visible operation if there is anybody to see it. */
void announce_range(enum event_kind kind, uint64_t address, uint64_t size);
/* Something that was thought private or unused is not: the search will start again. */
void announce_news(void);
/* The running thread has changed, or what it shares. */
static inline void update_owner(void)
{
	debug_invariant(rt->current < rt->channel->nnames);
	rt->memory.stack_is_shared = rt->channel->stack_range[rt->current].end != 0;
	rt->memory.owner = self()->rounds.shares_reads ? OWNER_SHARED - 1 : rt->current + 1;
}

/* A bad pointer faults here, where the fault counts as the caller's. */
static inline void touch(const volatile void *object)
{
	rt->memory.touching = true;
	(void)*(const volatile uint8_t *)object;
	rt->memory.touching = false;
}

/* --- heap.c, shadow.c, leaks.c --- */

void heap_prepare(void); /* once, before the first execution */
/* A synchronisation object in heap memory is about to be used by the event: it must not have been freed. */
void heap_check_object(struct event *event, uint64_t size);
/* The stream is about to be used: its memory ends when it is closed. */
void heap_check_stream(const void *stream);
/* The process ends: list the blocks in the trace that no pointer leads to any more. */
void leaks_find(void);
/* A function has returned for good: what it left on the stack must not keep blocks alive. */
void leaks_forget_frames(void);

#pragma GCC visibility pop

#endif
