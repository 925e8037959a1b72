/*
 * The hooks that instrumented code calls before it touches memory (wire/hooks.h).
 *
 * Most accesses are filtered out here before they become events: while main is
 * the only thread there ever was, nothing can conflict; and a thread's own stack
 * and TLS block are private until another thread has touched that piece of them,
 * in any execution of this search.  When that is first seen the trace says so
 * and the search starts again with the piece visible from the start.
 *
 * Whether memory may be touched at all is checked after the announcement, when the access
 * is about to happen: until then others may free it.  Not before as well: the thread's
 * pending operation would depend on what others did without an event that says so.
 */
#include "runtime/heap.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"

static inline bool is_alone(void)
{
	return rt->phase != PHASE_RUN || rt->nthreads < 2;
}

static bool pieces_shared(unsigned thread, uint64_t offset, uint64_t size)
{
	const uint8_t *shared = rt->channel->stack_shared[thread];

	for (uint64_t i = offset / STACK_PIECE; i <= (offset + size - 1) / STACK_PIECE && i < STACK_PIECES; i++)
		if (shared[i / 8] >> i % 8 & 1)
			return true;
	return false;
}

static __attribute__((noinline)) void share_pieces(unsigned thread, uint64_t offset, uint64_t size)
{
	for (uint64_t i = offset / STACK_PIECE; i <= (offset + size - 1) / STACK_PIECE && i < STACK_PIECES; i++)
		if (share_piece(rt->channel, thread, (uint32_t)i))
			rt->channel->trace.flags |= TRACE_NEW_SHARED;
}

/* Neither heap nor stack: always visible, and always allowed. */
static inline bool is_static(uint64_t address)
{
	return address - HEAP_ADDRESS >= SNAPSHOT_ADDRESS - HEAP_ADDRESS;
}

static inline bool is_private(uint64_t address, uint64_t size)
{
	uint64_t own = address - rt->stack_low, all = address - STACK_ADDRESS;

	if (__builtin_expect(own < STACK_SIZE, 0))
		return !pieces_shared(rt->current, own, size);
	if (__builtin_expect(all < MAX_THREADS * STACK_SIZE, 0))
		share_pieces((unsigned)(all / STACK_SIZE), all % STACK_SIZE, size);
	return false;
}

/* A thread's stack and TLS block end with it. */
static inline bool is_dead_stack(uint64_t address)
{
	uint64_t all = address - STACK_ADDRESS;

	if (__builtin_expect(all >= MAX_THREADS * STACK_SIZE, 1))
		return false;
	unsigned state = rt->threads[all / STACK_SIZE].state;
	return state == THREAD_EXITED || state == THREAD_FREE;
}

static inline void check(enum event_kind kind, uint64_t address, uint64_t size, uint32_t site)
{
	if (is_static(address))
		return;
	if (__builtin_expect(rt->trial.active, 0) && (!heap_allows(address, size) || is_dead_stack(address)))
		trial_end(false);
	if (__builtin_expect(!heap_allows(address, size), 0))
		bad_heap_access(event_table[kind].name, address, size, site);
	if (__builtin_expect(is_dead_stack(address), 0) && rt->phase != PHASE_START)
		bad_stack_access(event_table[kind].name, address, size, site);
}

static inline void access(enum event_kind kind, uint64_t address, uint64_t size, uint32_t site, uint32_t order)
{
	if (!size)
		return;
	if (!is_alone()) {
		if (!is_static(address) && is_private(address, size)) {
			rt->changed |= event_table[kind].effect == EFFECT_WRITE;
			if (__builtin_expect(rt->trial.active, 0) && rt->changed)
				trial_end(false);
			return;
		}
		struct op op = {.kind = (uint8_t)kind,
				.order = (uint8_t)order,
				.site = site,
				.object = address,
				.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size};
		point(&op);
	}
	check(kind, address, size, site);
}

void __inspect_read(void *address, uint64_t size, uint32_t site)
{
	access(EV_READ, (uint64_t)address, size, site, ORDER_PLAIN);
}

void __inspect_write(void *address, uint64_t size, uint32_t site)
{
	access(EV_WRITE, (uint64_t)address, size, site, ORDER_PLAIN);
}

void __inspect_atomic_load(void *address, uint64_t size, uint32_t site, uint32_t order)
{
	access(EV_ATOMIC_LOAD, (uint64_t)address, size, site, order);
}

void __inspect_atomic_store(void *address, uint64_t size, uint32_t site, uint32_t order)
{
	access(EV_ATOMIC_STORE, (uint64_t)address, size, site, order);
}

void __inspect_atomic_rmw(void *address, uint64_t size, uint32_t site, uint32_t order, uint64_t operand)
{
	self()->expected = operand;
	self()->update = (uint8_t)(order >> UPDATE_SHIFT);
	touch(address); /* later the scheduler reads it for this thread: a bad pointer must fault now */
	access(EV_ATOMIC_RMW, (uint64_t)address, size, site, order & ((1u << UPDATE_SHIFT) - 1));
}

void __inspect_atomic_cas(void *address, uint64_t size, uint32_t site, uint32_t order, uint64_t expected)
{
	if (is_alone()) {
		check(EV_ATOMIC_CAS, (uint64_t)address, size, site);
		return;
	}
	self()->expected = expected;
	self()->failure_order = (uint8_t)(order >> FAILURE_ORDER_SHIFT);
	order &= (1u << FAILURE_ORDER_SHIFT) - 1;
	touch(address);
	access(EV_ATOMIC_CAS, (uint64_t)address, size, site, order);
}

void __inspect_fence(uint32_t site, uint32_t order)
{
	if (is_alone())
		return;
	struct op op = {.kind = EV_FENCE, .order = (uint8_t)order, .site = site};
	local_event(&op);
}

/* Copies larger than this get memory of their own for what was read. */
#define COPY_ON_STACK (64 * 1024)

static void copy_through(void *to, void *from, uint64_t size, uint32_t site, char *buffer)
{
	access(EV_READ, (uint64_t)from, size, site, ORDER_PLAIN);
	memcpy(buffer, from, size);
	access(EV_WRITE, (uint64_t)to, size, site, ORDER_PLAIN);
	memcpy(to, buffer, size);
}

static void copy_on_stack(void *to, void *from, uint64_t size, uint32_t site)
{
	char buffer[size];

	copy_through(to, from, size, site, buffer);
}

static void copy_on_heap(void *to, void *from, uint64_t size, uint32_t site)
{
	long buffer = SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buffer < 0)
		fail_execution("no memory to copy a large block");
	copy_through(to, from, size, site, (char *)buffer);
	SYS2(SYS_munmap, buffer, size);
}

void __inspect_copy(void *to, void *from, uint64_t size, uint32_t site)
{
	rt->current_site = site; /* of a fault in the copy */
	if (!size)
		return;
	if (is_alone()) {
		check(EV_READ, (uint64_t)from, size, site);
		check(EV_WRITE, (uint64_t)to, size, site);
		memmove(to, from, size);
	} else if (size <= COPY_ON_STACK) {
		copy_on_stack(to, from, size, site);
	} else {
		copy_on_heap(to, from, size, site);
	}
}

void __inspect_set(void *to, uint64_t size, uint32_t site)
{
	access(EV_WRITE, (uint64_t)to, size, site, ORDER_PLAIN);
}

void __inspect_refuse(const char *what, uint32_t site)
{
	rt->current_site = site;
	anomaly(EV_REFUSED, what);
}
