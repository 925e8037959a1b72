/*
 * Memory that the program maps.  Each thread maps it in a part of the address space of its own, one piece after the other, so
 * that addresses depend on what the thread itself has done.  To unmap it, to map something else there, to move or to
 * protect it is an operation on all of it, as free() is on a block: who accesses it afterwards crashes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "common/invariant.h"
#include "runtime/core/runtime.h"
#include "runtime/memory/memory.h"
#include "runtime/process/system.h"
#include "runtime/state/state.h"

static uint64_t whole_pages(uint64_t size)
{
	return (size + PAGE - 1) & ~(PAGE - 1);
}

static void takes_away(enum event_kind kind, const void *start, uint64_t size)
{
	rt->memory.took_away = true;
	state_settle();
	announce_range(kind, (uint64_t)start & ~(PAGE - 1), whole_pages(size));
}

/*
 * Where limits are set, how much is mapped decides whether more can be.  Elsewhere mappings of different threads have
 * nothing to do with each other.
 */
static struct reach of_size(void)
{
	bool counts = rt->channel->features & FEATURE_LIMITS;

	return counts ? REACH(SYSTEM_BIT(SYSTEM_LIMITS), SYSTEM_BIT(SYSTEM_MAPPINGS)) : REACH(0, 0);
}

static long resize(enum system_call call, long number, const long a[6])
{
	SYSTEM_BEGIN(call, of_size());
	long result = system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	SYSTEM_END(false);
	return result;
}

void *mmap(void *start, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (flags & MAP_FIXED)
		takes_away(EV_UNMAP, start, size);
	if (flags & MAP_FIXED_NOREPLACE && flags & MAP_ANONYMOUS) { /* who comes first has it */
		SYSTEM_BEGIN(CALL_mmap, ((struct reach){.changes = SYSTEM_BIT(SYSTEM_MAPPINGS)}));
		long result = system_call(SYS_mmap, (long)start, (long)size, protection, flags, fd, offset);
		SYSTEM_END(result >= 0 || result < -4095);
		return (void *)with_errno(result);
	}
	if (flags & MAP_ANONYMOUS)
		return (void *)with_errno(
			resize(CALL_mmap, SYS_mmap, (long[6]){(long)start, (long)size, protection, flags, fd, offset}));
	SYSTEM_BEGIN(CALL_mmap, REACH(descriptor_slot(fd) | descriptor_file(fd) | of_size().looks, of_size().changes));
	long result = system_call(SYS_mmap, (long)start, (long)size, protection, flags, fd, offset);
	SYSTEM_END(true);
	return (void *)with_errno(result);
}

void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap"), visibility("default")));

int munmap(void *start, size_t size)
{
	takes_away(EV_UNMAP, start, size);
	return (int)with_errno(resize(CALL_munmap, SYS_munmap, (long[6]){(long)start, (long)size}));
}

void *mremap(void *start, size_t size, size_t new_size, int flags, ...)
{
	va_list arguments;

	va_start(arguments, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
	va_end(arguments);
	if (to)
		takes_away(EV_UNMAP, to, new_size);
	takes_away(EV_UNMAP, start, size);
	return (void *)with_errno(
		resize(CALL_mremap, SYS_mremap, (long[6]){(long)start, (long)size, (long)new_size, flags, (long)to}));
}

int mprotect(void *start, size_t size, int protection)
{
	takes_away(EV_PROTECT, start, size);
	return (int)with_errno(system_call(SYS_mprotect, (long)start, (long)size, protection, 0, 0, 0));
}

/* Most advice changes nothing that a program could see; some takes the contents away. */
int madvise(void *start, size_t size, int advice)
{
	switch (advice) {
	case MADV_DONTNEED:
	case MADV_REMOVE:
	case MADV_WIPEONFORK:
	case MADV_DONTFORK:
		takes_away(EV_UNMAP, start, size);
		return (int)with_errno(system_call(SYS_madvise, (long)start, (long)size, advice, 0, 0, 0));
	}
	return 0;
}

/* --- the end of the data segment, which is one for all threads --- */

static long move_break(long to)
{
	state_settle();
	long now = system_call(SYS_brk, to, 0, 0, 0, 0, 0);

	return now == to ? 0 : -ENOMEM;
}

void *sbrk(intptr_t increment)
{
	uint64_t bit = SYSTEM_BIT(SYSTEM_BREAK);

	SYSTEM_BEGIN(CALL_sbrk, REACH(increment ? 0 : bit, (increment ? bit : 0) | of_size().changes));
	long now = system_call(SYS_brk, 0, 0, 0, 0, 0, 0), error = increment ? move_break(now + increment) : 0;
	SYSTEM_END(increment && !error);
	return (void *)with_errno(error ? error : now);
}

int brk(void *end)
{
	SYSTEM_BEGIN(CALL_brk, REACH(0, SYSTEM_BIT(SYSTEM_BREAK) | of_size().changes));
	long error = move_break((long)end);
	SYSTEM_END(!error);
	return (int)with_errno(error);
}

/* --- in the handler --- */

static uint64_t take_room(uint64_t size)
{
	uint64_t *next = &self()->system.next_mapping, end = MAPPINGS_ADDRESS + (rt->current + 1) * MAPPINGS_SIZE;

	if (!*next)
		*next = MAPPINGS_ADDRESS + rt->current * MAPPINGS_SIZE;
	invariant(*next <= end);
	if (whole_pages(size) + PAGE > end - *next)
		return 0;
	uint64_t start = *next;
	*next += whole_pages(size) + PAGE; /* what is written beyond it is found */
	return start;
}

void mapping_place(long number, long a[6])
{
	if (number == SYS_mmap && !(a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE))) {
		uint64_t start = take_room((uint64_t)a[1]);
		a[0] = start ? (long)start : a[0];
		a[3] |= start ? MAP_FIXED_NOREPLACE : 0;
	}
	if (number == SYS_mremap && a[2] > a[1] && (a[3] & MREMAP_MAYMOVE) && !(a[3] & MREMAP_FIXED)) {
		uint64_t start = take_room((uint64_t)a[2]);
		a[4] = start ? (long)start : a[4];
		a[3] |= start ? MREMAP_FIXED : 0;
	}
}

const char *mapping_refused(long number, const long a[6])
{
	bool of_file = number == SYS_mmap && !(a[3] & MAP_ANONYMOUS);

	if (of_file && (a[3] & MAP_TYPE) != MAP_PRIVATE &&
	    (a[2] & PROT_WRITE || (SYS3(SYS_fcntl, a[4], F_GETFL, 0) & O_ACCMODE) == O_RDWR))
		return "a shared mapping of a file that can be written";
	if (number == SYS_madvise && (uint64_t)a[0] - MAPPINGS_ADDRESS >= MAX_THREADS * MAPPINGS_SIZE)
		return "system call madvise that changes memory, but of memory that the program has mapped,";
	if (number == SYS_mprotect && (uint64_t)a[0] - MAPPINGS_ADDRESS >= MAX_THREADS * MAPPINGS_SIZE)
		return "system call mprotect, but of memory that the program has mapped,";
	return NULL;
}
