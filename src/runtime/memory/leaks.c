/*
 * Leaks: blocks that are in use when the process ends and that no pointer leads to.
 *
 * Conservative: any word that could be an address inside a block counts as a pointer to it.
 * The roots are the program's and the libraries' variables, the stacks and TLS blocks of the
 * threads that have not ended, and what the runtime keeps for threads.  What was allocated
 * before the program's own code ran has no site and is nobody's leak.
 */
#include "common/invariant.h"
#include "runtime/core/runtime.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"

#include <string.h>

/* --- marking --- */

static void reach(struct header *header)
{
	rt->leaks.scan_start = block_of(header);
	rt->leaks.scan_end = block_of(header) + header->size;
	if (header->reached)
		return;
	header->reached = true;
	header->next = rt->leaks.unscanned;
	rt->leaks.unscanned = block_number(block_of(header));
}

static void consider_word(uint64_t word)
{
	if (!in_heap(word) || word - rt->leaks.scan_start < rt->leaks.scan_end - rt->leaks.scan_start)
		return; /* often several pointers in a row lead to one block */
	if (*shadow_of(word) > 0)
		reach(header_before(word));
	else if (block_starts(word) && !block_is_free(word))
		reach(header_of(word)); /* of size 0 */
}

static void scan(uint64_t start, uint64_t end)
{
	for (uint64_t at = (start + 7) & ~7ull; at + 8 <= end; at += 8)
		consider_word(*(const volatile uint64_t *)at);
}

static void scan_reached(void)
{
	while (rt->leaks.unscanned) {
		struct header *header = header_of(numbered_block(rt->leaks.unscanned));
		rt->leaks.unscanned = header->next;
		scan(block_of(header), block_of(header) + header->size);
	}
}

/* --- roots --- */

static void scan_stack(unsigned thread, uint64_t sp)
{
	uint64_t low = STACK_ADDRESS + thread * STACK_SIZE, emergency = low + PAGE + EMERGENCY_SIZE;

	if (sp < emergency) { /* it has crashed and waits for its turn to say so */
		scan(sp, emergency);
		sp = emergency + PAGE;
	}
	scan(sp, low + STACK_SIZE);
}

static void scan_thread(unsigned number, uint64_t own_sp)
{
	const struct thread *thread = &rt->threads[number];
	bool runs = thread->state == THREAD_LIVE || thread->state == THREAD_STARTING;

	if (runs)
		scan_stack(number, number == rt->current ? own_sp : thread->sp);
	if (runs || (thread->state == THREAD_EXITED && !thread->joined && !thread->detached))
		scan((uint64_t)thread, (uint64_t)(thread + 1));
}

static __attribute__((noinline)) void scan_roots(void)
{
	for (unsigned i = 0; i < rt->channel->nnames; i++)
		scan_thread(i, (uint64_t)__builtin_frame_address(0));
	for (unsigned i = 0; i < rt->snapshot.nregions; i++)
		if (!in_heap(rt->snapshot.regions[i].start) &&
		    rt->snapshot.regions[i].start - STACK_ADDRESS >= MAX_THREADS * STACK_SIZE &&
		    rt->snapshot.regions[i].start != SHADOW_ADDRESS)
			scan(rt->snapshot.regions[i].start,
			     rt->snapshot.regions[i].start + rt->snapshot.regions[i].size);
	scan((uint64_t)rt, (uint64_t)rt->threads);
	scan((uint64_t)(rt->threads + MAX_THREADS), (uint64_t)rt->signal_stack);
	mappings_visit(scan); /* what was mapped since the snapshot, and all of it when there is none */
}

/* --- counting --- */

static void mark_unreached(struct header *header)
{
	header->reached = false;
}

static void count_if_leaked(struct header *header)
{
	uint32_t i = 0;

	if (header->reached || !header->alloc_site)
		return;
	while (i < the_trace()->nleaks && the_trace()->leaks[i].site != header->alloc_site)
		i++;
	if (i == MAX_LEAKS)
		return;
	if (i == the_trace()->nleaks)
		the_trace()->leaks[the_trace()->nleaks++] =
			(struct leak){.site = header->alloc_site, .thread = header->alloc_thread};
	the_trace()->leaks[i].blocks++;
	the_trace()->leaks[i].bytes += header->size;
}

void leaks_find(void)
{
	if (!rt->channel->leaks)
		return;
	rt->leaks.unscanned = 0;
	invariant(rt->phase == PHASE_EXIT);
	rt->leaks.scan_start = rt->leaks.scan_end = 0;
	blocks_visit(mark_unreached);
	__builtin_unwind_init(); /* registers into this frame, which is scanned */
	scan_roots();
	scan_reached();
	blocks_visit(count_if_leaked);
}

void leaks_forget_frames(void)
{
	char frames[32 * 1024];

	if (!rt->channel->leaks)
		return;
	memset(frames, 0, sizeof frames);
	__asm__ volatile("" : : "r"(frames) : "memory");
}
