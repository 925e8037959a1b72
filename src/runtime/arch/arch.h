/*
 * All that depends on the processor, in one place: switching fibers, raw system
 * calls, reading a signal's context, leaving the kernel.  x86-64 is in
 * arch/x86_64.c; another processor needs its own file with these functions.
 */
#ifndef INSPECT_RUNTIME_ARCH_ARCH_H
#define INSPECT_RUNTIME_ARCH_ARCH_H

#include <stdbool.h>
#include <stdint.h>

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

#define PAGE 4096ull

/* What is known of the processor. */
struct arch {
	bool has_fsgsbase; /* it can switch thread pointers without a system call */
};

/*
 * A system call that goes straight to the kernel and returns -errno.  All calls
 * of the runtime go through this one instruction: the seccomp filter lets it
 * pass by its address, arch_syscall_end().
 */
long arch_syscall(long number, long a, long b, long c, long d, long e, long f);
uint64_t arch_syscall_end(void);
/* A system call of the program, made for it: the filter sees it as such. */
long arch_filtered_syscall(long number, const long a[6]);

#define SYS0(n) arch_syscall(n, 0, 0, 0, 0, 0, 0)
#define SYS1(n, a) arch_syscall(n, (long)(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b) arch_syscall(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) arch_syscall(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) arch_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS6(n, a, b, c, d, e, f) arch_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* The thread pointer of the running fiber: what makes TLS, errno and the canary its own. */
uint64_t arch_thread_pointer(void);

/*
 * Save the running fiber into *save and continue another one, which was saved
 * there or made by arch_new_fiber().  Callee-saved registers and floating point
 * control words belong to the fiber.
 */
void arch_switch(uint64_t *save, uint64_t to, uint64_t thread_pointer);

/* A fiber that will call fiber_main() on a stack that ends at `top`. */
uint64_t arch_new_fiber(uint64_t top);
void fiber_main(void) __attribute__((noreturn)); /* thread.c */

/*
 * A place to come back to: the first call of arch_mark() returns 0; arch_return() makes it
 * return once more, with 1, after put_back_stack() has restored the stack above the mark.
 */
struct arch_mark {
	uint64_t registers[6];
	uint64_t sp, pc;
};

int arch_mark(struct arch_mark *mark) __attribute__((returns_twice));
void arch_return(const struct arch_mark *mark) __attribute__((noreturn));
void put_back_stack(void); /* await.c */

/*
 * A function that must know what its caller knows by itself is defined as STATEFUL(name); code
 * for `name` puts a hash of the caller's registers and stack into the thread's caller_state first.
 */
#define STATEFUL(name) name##_model

/* Can the processor switch thread pointers without a system call?  Call once, first. */
void arch_init(void);

/* End the calling kernel thread so that nothing of it remains but its memory. */
void arch_leave_kernel(uint64_t thread_pointer) __attribute__((noreturn));
/* Make the kernel forget the restartable-sequence area inside the thread's TLS. */
void arch_forget_rseq(uint64_t thread_pointer);

/* A signal's context. */
uint64_t arch_context_pc(void *context);
bool arch_context_is_write_fault(void *context);
/* Continue at `function` on the given stack when the handler returns. */
void arch_context_redirect(void *context, void (*function)(void), uint64_t stack_top);
/* Inside SIGSYS: the call's arguments, and its result for the interrupted code. */
void arch_context_syscall(void *context, long *number, long arguments[6]);
void arch_context_set_result(void *context, long result);

/* The AUDIT_ARCH_ value for the seccomp filter. */
uint32_t arch_audit(void);

static inline void arch_pause(void)
{
	__builtin_ia32_pause();
}

#pragma GCC visibility pop

#endif
