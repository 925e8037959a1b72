/*
 * The hooks that instrumented code calls before it touches memory (wire/hooks.h).
 *
 * Most accesses are filtered out here before they become events: while main is
 * the only thread there ever was, nothing can conflict; a thread's own stack
 * and TLS block are private until another thread has touched that piece of them,
 * in any execution of this search; and so are, where that was asked for, heap blocks
 * and static variables that one thread only has accessed.  When another one does, the
 * channel says so and the search starts again with that memory visible from the start.
 *
 * Nothing is lost: take the first moment at which a second thread accesses private memory.
 * Up to there such accesses commute with all that the others do, so the search has an
 * execution that comes to this moment, and notices.  Atomic operations are always visible:
 * who uses them means to share, and what they leave unchanged matters to a thread that waits.
 *
 * Whether memory may be touched at all is checked after the announcement, when the access
 * is about to happen: until then others may free it.  Not before as well: the thread's
 * pending operation would depend on what others did without an event that says so.
 */
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/await/await.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"
#include "runtime/state/state.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

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
	invariant(thread < MAX_THREADS);
	invariant(size);
	need_plan();
	for (uint64_t i = offset / STACK_PIECE; i <= (offset + size - 1) / STACK_PIECE && i < STACK_PIECES; i++)
		if (share_piece(rt->channel, thread, (uint32_t)i))
			announce_news();
	update_owner();
}

/*
 * What this execution finds out does not count any more, but it is to find out as much as
 * possible: it goes on to its end, by no plan.
 */
void announce_news(void)
{
	need_plan();
	rt->channel->news = 1;
	if (!(rt->course.flags & PLAN_VALUES)) /* a schedule that is run again goes on */
		forget_plan();
}

/* --- who accesses what --- */

static inline uint8_t *owner_of(uint64_t granule)
{
	return &rt->channel->owners[granule % GRANULES];
}

/* Of the heap or the program's own variables, or what stands for the kernel's; where nothing may be, an access is best announced before it faults. */
static bool can_be_private(uint64_t address, uint64_t size)
{
	extern const char __data_start[], _end[];
	uint64_t start = (uint64_t)__data_start, length = (uint64_t)_end - start;

	return (in_heap(address) && size <= HEAP_TOTAL) || (address - start < length && size <= length) ||
	       address >= SYSTEM_ADDRESS;
}

/* The more often the search had to start again, the more is shared at once. */
static uint64_t sharing_unit(void)
{
	if (rt->channel->nsharings < 3)
		return 1;
	return (rt->channel->nsharings < 6 ? 64 : PAGE) / GRANULE;
}

static void share_granules(uint64_t first, uint64_t last)
{
	uint64_t unit = sharing_unit();
	bool new = false;

	need_plan();
	for (uint64_t i = first & ~(unit - 1); i <= (last | (unit - 1)); i++) {
		new |= *owner_of(i) != OWNER_NONE && *owner_of(i) != OWNER_SHARED;
		*owner_of(i) = OWNER_SHARED;
	}
	if (!new)
		return;
	rt->channel->nsharings += !rt->channel->news; /* one for each execution that finds some */
	announce_news();
}

static bool all_are(uint64_t first, uint64_t last, uint8_t owner)
{
	for (uint64_t i = first; i <= last; i++)
		if (*owner_of(i) != owner)
			return false;
	return true;
}

static bool owned_by_others(uint64_t first, uint64_t last, uint8_t self)
{
	for (uint64_t i = first; i <= last; i++)
		if (*owner_of(i) != OWNER_NONE && *owner_of(i) != self)
			return true;
	return false;
}

__attribute__((noinline)) void share_memory(uint64_t address, uint64_t size)
{
	uint64_t first = address / GRANULE, last = (address + size - 1) / GRANULE;

	invariant(size);
	if (can_be_private(address, size) && !all_are(first, last, OWNER_SHARED))
		share_granules(first, last);
}

/* The memory becomes the running thread's, or shared; true in the former case. */
static __attribute__((noinline)) bool claim_memory(uint64_t address, uint64_t size)
{
	uint64_t first = address / GRANULE, last = (address + size - 1) / GRANULE;

	invariant(size);
	invariant(rt->memory.owner == OWNER_SHARED - 1 || rt->memory.owner == rt->current + 1);
	if (!can_be_private(address, size))
		return false;
	if (rt->channel->all_shared || rt->memory.owner == OWNER_SHARED - 1 ||
	    owned_by_others(first, last, (uint8_t)rt->memory.owner)) {
		share_memory(address, size);
		return false;
	}
	if (all_are(first, last, (uint8_t)rt->memory.owner))
		return true;
	need_plan();
	for (uint64_t i = first; i <= last; i++)
		*owner_of(i) = (uint8_t)rt->memory.owner;
	rt->channel->nclaims++;
	return true;
}

void touch_memory(uint64_t address, uint64_t size)
{
	if (rt->phase == PHASE_RUN && rt->nthreads > 1)
		claim_memory(address, size);
}

/* Is it on a stack that others have access to? */
static bool on_shared_stack(uint64_t object)
{
	uint64_t own = object - rt->memory.stack_low, all = object - STACK_ADDRESS;

	if (own < STACK_SIZE)
		return pieces_shared(rt->current, own, 1);
	share_pieces((unsigned)(all / STACK_SIZE), all % STACK_SIZE, 1);
	return true;
}

bool object_is_accessed(uint64_t object)
{
	uint8_t *owner = owner_of(object / GRANULE);

	if (object - STACK_ADDRESS < MAX_THREADS * STACK_SIZE)
		return on_shared_stack(object);
	if (*owner == OWNER_OBJECTS || *owner == (uint8_t)rt->memory.owner || object >= STREAM_ADDRESS)
		return false;
	if (*owner != OWNER_NONE || rt->channel->all_shared) {
		share_memory(object, 1);
		return true;
	}
	if (!can_be_private(object, 1))
		return true;
	need_plan();
	*owner = OWNER_OBJECTS;
	rt->channel->nclaims++;
	return false;
}

static inline bool is_own(uint64_t address, uint64_t size)
{
	if (__builtin_expect(address % GRANULE + size <= GRANULE, 1)) {
		uint8_t owner = *owner_of(address / GRANULE);
		if (owner == (uint8_t)rt->memory.owner)
			return true;
		if (owner == OWNER_SHARED)
			return false;
	}
	return claim_memory(address, size);
}

bool memory_is_own(uint64_t address, uint64_t size)
{
	return is_own(address, size);
}

/* The kernel reads it, and then finds that it does not know what to do with it. */
static bool kernel_can_read(uint64_t word)
{
	enum { NOTHING_KNOWN = -1 };

	return SYS4(SYS_rt_sigprocmask, NOTHING_KNOWN, word & ~7ull, NULL, sizeof(uint64_t)) != -EFAULT;
}

bool memory_is_there(uint64_t address, uint64_t size)
{
	return !rt->memory.took_away || !size || (kernel_can_read(address) && kernel_can_read(address + size - 1));
}

/* Neither heap nor stack, nor ours: always allowed. */
static inline bool is_static(uint64_t address)
{
	return __builtin_expect(address >= ARGUMENTS_ADDRESS, 1) ||
	       (address - HEAP_ADDRESS >= SNAPSHOT_ADDRESS - HEAP_ADDRESS && !is_foreign(address));
}

static inline bool is_private(enum event_kind kind, uint64_t address, uint64_t size)
{
	uint64_t own = address - rt->memory.stack_low, all = address - STACK_ADDRESS;

	if (__builtin_expect(own < STACK_SIZE, 0))
		return event_is(kind, EV_PLAIN) && !pieces_shared(rt->current, own, size);
	if (__builtin_expect(all < MAX_THREADS * STACK_SIZE, 0))
		share_pieces((unsigned)(all / STACK_SIZE), all % STACK_SIZE, size);
	else if (event_is(kind, EV_PLAIN))
		return is_own(address, size);
	else if (*owner_of(address / GRANULE) != OWNER_SHARED || address % GRANULE + size > GRANULE)
		share_memory(address, size);
	return false;
}

static inline void check_access(enum event_kind kind, uint64_t address, uint64_t size, uint32_t site)
{
	if (is_static(address))
		return;
	if (__builtin_expect(rt->trial.active, 0) && (!heap_allows(address, size) || is_dead_stack(address)))
		trial_end(false);
	if (__builtin_expect(!heap_allows(address, size), 0))
		bad_heap_access(event_table[kind].name, address, size, site);
	if (__builtin_expect(is_dead_stack(address), 0) && rt->phase != PHASE_START)
		bad_stack_access(event_table[kind].name, address, size, site);
	if (__builtin_expect(is_foreign(address), 0) && rt->phase != PHASE_START)
		foreign_access(event_table[kind].name, address, size, site);
}

/* No event tells of it, but a loop may go by it. */
static inline void note_private_write(void)
{
	rt->changed = 1;
	if (__builtin_expect(rt->trial.active, 0))
		trial_end(false);
}

/* For the state of the program: what the access, which comes next, will change. */
static inline void note_state(enum event_kind kind, uint64_t address, uint64_t size, uint32_t site)
{
	if (!is_stateful() || event_table[kind].effect != EFFECT_WRITE)
		return;
	if (event_takes_away(kind)) {
		state_unknown();
		return;
	}
	rt->current_site = site; /* of a fault */
	if (address >= STREAM_ADDRESS)
		state_hidden(address);
	else
		state_open_range(address, size);
}

static __attribute__((noinline)) void announce_access(enum event_kind kind, uint64_t address, uint64_t size,
						      uint32_t site, uint32_t order)
{
	if (!size)
		return;
	if (!is_alone()) {
		debug_invariant(event_table[kind].object_class == OBJECT_MEMORY);
		debug_invariant(rt->memory.stack_low == STACK_ADDRESS + rt->current * STACK_SIZE);
		if (is_private(kind, address, size)) {
			if (event_table[kind].effect == EFFECT_WRITE)
				note_private_write();
			check_access(kind, address, size, site);
			note_state(kind, address, size, site);
			return;
		}
		struct op op = {.kind = (uint8_t)kind,
				.order = (uint8_t)order,
				.site = site,
				.object = address,
				.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size};
		struct event *event = point(&op);
		if (__builtin_expect(rt->objects.count != 0, 0) && event && event_table[kind].effect == EFFECT_WRITE &&
		    !event_frees(kind))
			objects_written(event);
	}
	check_access(kind, address, size, site);
	note_state(kind, address, size, site);
}

void announce_range(enum event_kind kind, uint64_t address, uint64_t size)
{
	if (rt->phase == PHASE_RUN) /* else it is the runtime that maps something for itself */
		announce_access(kind, address, size, rt->current_site, ORDER_PLAIN);
}

/*
 * Most accesses are of one granule that is the running thread's, or of its own stack, and allowed.
 * What this says no to is not decided yet.
 */
static inline bool is_surely_private(uint64_t address, uint64_t size)
{
	uint64_t end = address % GRANULE + size;

	if (rt->phase != PHASE_RUN)
		return false;
	if (address - rt->memory.stack_low < STACK_SIZE)
		return !rt->memory.stack_is_shared;
	if (end > GRANULE || *owner_of(address / GRANULE) != (uint8_t)rt->memory.owner)
		return false;
	return in_heap(address) ? (int64_t)end <= *shadow_of(address) : is_static(address);
}

void __inspect_read(void *address, uint64_t size, uint32_t site)
{
	if (is_surely_private((uint64_t)address, size))
		return;
	announce_access(EV_READ, (uint64_t)address, size, site, ORDER_PLAIN);
}

void __inspect_write(void *address, uint64_t size, uint32_t site)
{
	if (is_surely_private((uint64_t)address, size)) {
		note_private_write();
		note_state(EV_WRITE, (uint64_t)address, size, site);
		return;
	}
	announce_access(EV_WRITE, (uint64_t)address, size, site, ORDER_PLAIN);
}

/* See FEATURE_WEAK. */
static inline void note_order(enum event_kind kind, uint32_t order)
{
	if (__builtin_expect(order != ORDER_SEQ_CST, 0) &&
	    op_is_weak(&(struct op){.kind = (uint8_t)kind, .order = (uint8_t)order}))
		use_feature_with(FEATURE_WEAK, FEATURE_SAME_RELEASED);
}

void __inspect_atomic_load(void *address, uint64_t size, uint32_t site, uint32_t order)
{
	note_order(EV_ATOMIC_LOAD, order);
	announce_access(EV_ATOMIC_LOAD, (uint64_t)address, size, site, order);
}

void __inspect_atomic_store(void *address, uint64_t size, uint32_t site, uint32_t order)
{
	note_order(EV_ATOMIC_STORE, order);
	announce_access(EV_ATOMIC_STORE, (uint64_t)address, size, site, order);
}

void __inspect_atomic_rmw(void *address, uint64_t size, uint32_t site, uint32_t order, uint64_t operand)
{
	self()->expected = operand;
	self()->update = (uint8_t)(order >> UPDATE_SHIFT);
	touch(address); /* later the scheduler reads it for this thread: a bad pointer must fault now */
	order &= (1u << UPDATE_SHIFT) - 1;
	note_order(EV_ATOMIC_RMW, order);
	announce_access(EV_ATOMIC_RMW, (uint64_t)address, size, site, order);
}

void __inspect_atomic_cas(void *address, uint64_t size, uint32_t site, uint32_t order, uint64_t expected,
			  uint64_t wanted)
{
	if (is_alone()) {
		check_access(EV_ATOMIC_CAS, (uint64_t)address, size, site);
		note_state(EV_ATOMIC_CAS, (uint64_t)address, size, site);
		return;
	}
	self()->expected = expected;
	self()->wanted = wanted;
	self()->failure_order = (uint8_t)(order >> FAILURE_ORDER_SHIFT);
	order &= (1u << FAILURE_ORDER_SHIFT) - 1;
	touch(address);
	note_order(EV_ATOMIC_CAS, order);
	announce_access(EV_ATOMIC_CAS, (uint64_t)address, size, site, order);
}

void __inspect_fence(uint32_t site, uint32_t order)
{
	if (is_alone())
		return;
	struct op op = {.kind = EV_FENCE, .order = (uint8_t)order, .site = site};
	self()->fenced |= order_releases(order) && !rt->trial.active;
	local_event(&op);
}

static void copy_through(void *to, void *from, uint64_t size, uint32_t site, char *buffer)
{
	announce_access(EV_READ, (uint64_t)from, size, site, ORDER_PLAIN);
	memcpy(buffer, from, size);
	if (is_stateful())
		state_saw(buffer, size);
	announce_access(EV_WRITE, (uint64_t)to, size, site, ORDER_PLAIN);
	memcpy(to, buffer, size);
}

static void copy_on_stack(void *to, void *from, uint64_t size, uint32_t site)
{
	char buffer[size];

	copy_through(to, from, size, site, buffer);
}

static void copy_through_mapping(void *to, void *from, uint64_t size, uint32_t site)
{
	struct temporary buffer = temporary_map(size);

	copy_through(to, from, size, site, buffer.data);
	temporary_release(&buffer);
}

void __inspect_copy(void *to, void *from, uint64_t size, uint32_t site)
{
	rt->current_site = site; /* of a fault in the copy */
	if (!size)
		return;
	if (is_alone()) {
		check_access(EV_READ, (uint64_t)from, size, site);
		check_access(EV_WRITE, (uint64_t)to, size, site);
		note_state(EV_WRITE, (uint64_t)to, size, site);
		memmove(to, from, size);
	} else if (size <= TEMPORARY_ON_STACK) {
		copy_on_stack(to, from, size, site);
	} else {
		copy_through_mapping(to, from, size, site);
	}
}

void __inspect_set(void *to, uint64_t size, uint32_t site)
{
	announce_access(EV_WRITE, (uint64_t)to, size, site, ORDER_PLAIN);
}

void __inspect_refuse(const char *what, uint32_t site)
{
	rt->current_site = site;
	anomaly(EV_REFUSED, what);
}
