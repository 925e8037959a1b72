/*
 * Donors: real threads that are created once, before the snapshot, and give their
 * stack, TLS block and thread descriptor to a program thread.  They then leave the
 * kernel without a trace, so that the process is single-threaded and can fork.
 *
 * Each stack, from low to high: a page that may not be touched, an emergency stack
 * (process.c), another such page, the fiber's stack, glibc's TLS block and
 * descriptor.  Thread 0, main, has a stack here but keeps its own TLS block.
 *
 * Few programs have many threads, and what is made for each costs time at the start and in every
 * fork.  So there are FIRST_DONORS at first; an executor that needs more ends, and the zygote
 * makes them and has the execution run once more by another.  Nothing in the program's address
 * space may tell how many there are: what glibc allocates for the first ones is in main's arena,
 * for each of the others in its own.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/runtime.h"
#include "runtime/core/text.h"
#include "runtime/core/thread.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static uint64_t stack_of(unsigned thread)
{
	return STACK_ADDRESS + thread * STACK_SIZE;
}

static void *donor(void *argument)
{
	unsigned thread = (unsigned)(uint64_t)argument;

	rt->donors.pointer[thread] = arch_thread_pointer();
	rt->donors.top[thread] = ((uint64_t)__builtin_frame_address(0) - 1024) & ~63ull;
	arch_leave_kernel(rt->donors.pointer[thread]);
}

static void fail(const char *what)
{
	text_copy(the_trace()->message, MAX_MESSAGE, what);
	rt->channel->zygote = ZYGOTE_FAILED;
	SYS3(SYS_futex, &rt->channel->zygote, 1 /* FUTEX_WAKE */, 1);
	text_write("inspect: ");
	text_write(what);
	text_write("\n");
	SYS1(SYS_exit_group, 4);
}

static void make_donor(unsigned thread)
{
	pthread_attr_t attributes;
	pthread_t handle;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, (void *)(stack_of(thread) + PAGE), STACK_SIZE - PAGE);
	rt->current = thread < FIRST_DONORS ? 0 : thread;
	if (rt->library.pthread_create(&handle, &attributes, donor, (void *)(uint64_t)thread))
		fail("cannot create the program's threads");
	rt->current = 0;
	pthread_attr_destroy(&attributes);
}

static void map_stacks(void)
{
	if (SYS6(SYS_mmap, STACK_ADDRESS, MAX_THREADS * STACK_SIZE, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0) != (long)STACK_ADDRESS)
		fail("cannot map the program's stacks");
	rt->donors.pointer[0] = arch_thread_pointer();
	rt->donors.top[0] = stack_of(1) - 64;
}

/* Real threads for these numbers, but not for main, which is one; when all have left the kernel, their stacks are as good as new. */
static void make_donors(unsigned first, unsigned end)
{
	uint64_t all = UINT64_MAX, before;
	struct timespec moment = {.tv_nsec = 20000};

	if (SYS3(SYS_mprotect, stack_of(first), (end - first) * STACK_SIZE, PROT_READ | PROT_WRITE))
		fail("cannot map the program's stacks");
	SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
	for (unsigned i = first ? first : 1; i < end; i++)
		make_donor(i);
	while (__atomic_load_n(&rt->donors.ready, __ATOMIC_SEQ_CST) != end - 1)
		SYS2(SYS_nanosleep, &moment, 0);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, sizeof before);
}

/* What the donor left below the fiber's stack goes away, and the pages around the emergency stack may not be touched. */
static void prepare_stack(unsigned thread)
{
	uint64_t low = stack_of(thread) + PAGE, high = rt->donors.top[thread] & ~(PAGE - 1);

	SYS3(SYS_madvise, low, high - low, MADV_DONTNEED);
	SYS3(SYS_mprotect, stack_of(thread), PAGE, PROT_NONE);
	SYS3(SYS_mprotect, stack_of(thread) + PAGE + EMERGENCY_SIZE, PAGE, PROT_NONE);
}

void donors_make(unsigned count)
{
	unsigned first = rt->donors.count;

	invariant(first <= count && count <= MAX_THREADS);
	if (!first)
		map_stacks();
	make_donors(first, count);
	for (unsigned i = first; i < count; i++)
		prepare_stack(i);
	rt->donors.count = count;
}

unsigned donors_wanted(void)
{
	unsigned count = rt->donors.count;

	invariant(count && rt->channel->nnames <= MAX_THREADS);
	while (count < rt->channel->nnames)
		count *= 2;
	return count < MAX_THREADS ? count : MAX_THREADS;
}
