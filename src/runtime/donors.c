/*
 * Donors: real threads that are created once, before the snapshot, and give their
 * stack, TLS block and thread descriptor to a program thread.  They then leave the
 * kernel without a trace, so that the process is single-threaded and can fork.
 *
 * Each stack, from low to high: a page that may not be touched, an emergency stack
 * (process.c), another such page, the fiber's stack, glibc's TLS block and
 * descriptor.  Thread 0, main, has a stack here but keeps its own TLS block.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"

static uint64_t stack_of(unsigned thread)
{
	return STACK_ADDRESS + thread * STACK_SIZE;
}

static void *donor(void *argument)
{
	unsigned thread = (unsigned)(uint64_t)argument;

	rt->donor_pointer[thread] = arch_thread_pointer();
	rt->donor_top[thread] = ((uint64_t)__builtin_frame_address(0) - 1024) & ~63ull;
	arch_leave_kernel(rt->donor_pointer[thread]);
}

static void fail(const char *what)
{
	text_copy(rt->channel->trace.message, MAX_MESSAGE, what);
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
	if (rt->libc_pthread_create(&handle, &attributes, donor, (void *)(uint64_t)thread))
		fail("cannot create the program's threads");
	pthread_attr_destroy(&attributes);
}

void donors_make(void)
{
	sigset_t all, before;
	struct timespec moment = {.tv_nsec = 20000};

	if (mmap((void *)STACK_ADDRESS, MAX_THREADS * STACK_SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0) != (void *)STACK_ADDRESS)
		fail("cannot map the program's stacks");
	rt->donor_pointer[0] = arch_thread_pointer();
	rt->donor_top[0] = stack_of(1) - 64;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (unsigned i = 1; i < MAX_THREADS; i++)
		make_donor(i);
	while (__atomic_load_n(&rt->donors_ready, __ATOMIC_SEQ_CST) != MAX_THREADS - 1)
		SYS2(SYS_nanosleep, &moment, 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		/* what the donor left below the fiber's stack goes away */
		uint64_t low = stack_of(i) + PAGE, high = rt->donor_top[i] & ~(PAGE - 1);
		madvise((void *)low, high - low, MADV_DONTNEED);
		mprotect((void *)stack_of(i), PAGE, PROT_NONE);
		mprotect((void *)(stack_of(i) + PAGE + EMERGENCY_SIZE), PAGE, PROT_NONE);
	}
}
