#define _GNU_SOURCE
#include "runtime/arch/arch.h"
#include "runtime/core/runtime.h"

#include <asm/prctl.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define HWCAP2_FSGSBASE 2
#define PAGE_FAULT_WRITE 2

/* clang-format off */
__asm__(
	".text\n"
	".globl arch_syscall\n.hidden arch_syscall\n.type arch_syscall,@function\n"
	"arch_syscall:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	mov %r9, %r8\n"
	"	mov 8(%rsp), %r9\n"
	"	syscall\n"
	".globl arch_syscall_landing\n.hidden arch_syscall_landing\n"
	"arch_syscall_landing:\n"
	"	ret\n"
	".size arch_syscall, .-arch_syscall\n"

	/* save, to, thread pointer; both variants differ in how they set FS */
	".macro SAVE_FIBER\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	sub $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	fnstsw 6(%rsp)\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	".endm\n"
	".macro RESTORE_FIBER\n"
	"	ldmxcsr (%rsp)\n"
	/* the x87 exception flags, which few programs raise: to set them takes a whole environment */
	"	fnstsw %ax\n"
	"	xor 6(%rsp), %ax\n"
	"	test $0x3f, %al\n"
	"	jz 1f\n"
	"	sub $32, %rsp\n"
	"	fnstenv (%rsp)\n"
	"	and $0x3f, %eax\n"
	"	xor %ax, 4(%rsp)\n"
	"	fldenv (%rsp)\n"
	"	add $32, %rsp\n"
	"1:\n"
	"	fldcw 4(%rsp)\n"
	"	add $8, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".endm\n"
	".globl switch_fsgsbase\n.hidden switch_fsgsbase\n.type switch_fsgsbase,@function\n"
	"switch_fsgsbase:\n"
	"	SAVE_FIBER\n"
	"	wrfsbase %rdx\n"
	"	RESTORE_FIBER\n"
	".size switch_fsgsbase, .-switch_fsgsbase\n"
	".globl switch_prctl\n.hidden switch_prctl\n.type switch_prctl,@function\n"
	"switch_prctl:\n"
	"	SAVE_FIBER\n"
	"	push %rdx\n"
	"	sub $8, %rsp\n"
	"	push $0\n"
	"	mov $158, %edi\n" /* SYS_arch_prctl(ARCH_SET_FS, thread pointer) */
	"	mov $0x1002, %esi\n"
	"	call arch_syscall\n"
	"	add $24, %rsp\n"
	"	RESTORE_FIBER\n"
	".size switch_prctl, .-switch_prctl\n"

	/* see arch.h; the stack is put back from below it */
	".globl arch_mark\n.hidden arch_mark\n.type arch_mark,@function\n"
	"arch_mark:\n"
	"	mov %rbx, (%rdi)\n	mov %rbp, 8(%rdi)\n	mov %r12, 16(%rdi)\n"
	"	mov %r13, 24(%rdi)\n	mov %r14, 32(%rdi)\n	mov %r15, 40(%rdi)\n"
	"	lea 8(%rsp), %rax\n	mov %rax, 48(%rdi)\n"
	"	mov (%rsp), %rax\n	mov %rax, 56(%rdi)\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	".size arch_mark, .-arch_mark\n"
	".globl arch_return\n.hidden arch_return\n.type arch_return,@function\n"
	"arch_return:\n"
	"	mov %rdi, %rbx\n"
	"	mov 48(%rbx), %rsp\n"
	"	sub $512, %rsp\n"
	"	and $-16, %rsp\n"
	"	call put_back_stack\n"
	"	mov %rbx, %rdi\n"
	"	mov (%rdi), %rbx\n	mov 8(%rdi), %rbp\n	mov 16(%rdi), %r12\n"
	"	mov 24(%rdi), %r13\n	mov 32(%rdi), %r14\n	mov 40(%rdi), %r15\n"
	"	mov 48(%rdi), %rsp\n"
	"	mov $1, %eax\n"
	"	jmp *56(%rdi)\n"
	".size arch_return, .-arch_return\n"

	/* functions that must know the state of their caller: see STATEFUL() in arch.h */
	".macro STATEFUL name\n"
	".globl \\name\n.type \\name,@function\n"
	"\\name:\n"
	"	push %rdi\n	push %rsi\n	push %rdx\n	push %rcx\n	push %r8\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, %rdi\n"
	"	call note_state\n"
	"	add $48, %rsp\n"
	"	pop %r8\n	pop %rcx\n	pop %rdx\n	pop %rsi\n	pop %rdi\n"
	".hidden \\name\\()_model\n"
	"	jmp \\name\\()_model\n"
	".size \\name, .-\\name\n"
	".endm\n"
	"STATEFUL pthread_cond_wait\n"
	"STATEFUL pthread_cond_timedwait\n"
	"STATEFUL pthread_cond_clockwait\n"
	"STATEFUL pthread_mutex_timedlock\n"
	"STATEFUL pthread_mutex_clocklock\n"
	"STATEFUL pthread_rwlock_timedrdlock\n"
	"STATEFUL pthread_rwlock_timedwrlock\n"
	"STATEFUL pthread_rwlock_clockrdlock\n"
	"STATEFUL pthread_rwlock_clockwrlock\n"
	"STATEFUL sem_timedwait\n"
	"STATEFUL sem_clockwait\n"
	"STATEFUL pthread_timedjoin_np\n"
	"STATEFUL pthread_clockjoin_np\n"

	/* first code of a fiber: no caller, so that unwinding ends here */
	".globl fiber_start\n.hidden fiber_start\n.type fiber_start,@function\n"
	"fiber_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	xor %ebp, %ebp\n"
	"	call fiber_main\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size fiber_start, .-fiber_start\n"
);
/* clang-format on */

extern char arch_syscall_landing[], fiber_start[];
void switch_fsgsbase(uint64_t *save, uint64_t to, uint64_t thread_pointer);
void switch_prctl(uint64_t *save, uint64_t to, uint64_t thread_pointer);

enum { SAVED_REGISTERS = 6, SAVED_ARGUMENTS = 5 };

static uint64_t hash_words(uint64_t hash, const uint64_t *low, const uint64_t *high)
{
	for (; low < high; low++) {
		hash = (hash ^ *low) * 0xff51afd7ed558ccdull;
		hash ^= hash >> 29;
	}
	return hash;
}

/* The registers that hold the caller's variables, its arguments (which do not matter), its stack. */
void note_state(const uint64_t *saved) __attribute__((visibility("hidden")));
void note_state(const uint64_t *saved)
{
	const uint64_t *top = (const uint64_t *)(rt->donors.top[rt->current] & ~7ull);

	if (rt->phase != PHASE_RUN)
		return;
	self()->caller_state = hash_words(hash_words(0, saved, saved + SAVED_REGISTERS),
					  saved + SAVED_REGISTERS + SAVED_ARGUMENTS, top);
}

uint64_t arch_syscall_end(void)
{
	return (uint64_t)arch_syscall_landing;
}

long arch_filtered_syscall(long number, const long a[6])
{
	register long d __asm__("r10") = a[3], e __asm__("r8") = a[4], f __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(d), "r"(e), "r"(f)
			 : "rcx", "r11", "memory");
	return result;
}

uint64_t arch_thread_pointer(void)
{
	uint64_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

void arch_init(void)
{
	rt->arch.has_fsgsbase = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
}

void arch_switch(uint64_t *save, uint64_t to, uint64_t thread_pointer)
{
	if (rt->arch.has_fsgsbase)
		switch_fsgsbase(save, to, thread_pointer);
	else
		switch_prctl(save, to, thread_pointer);
}

/* mxcsr, x87 control word and status word: a new thread has its creator's. */
static uint64_t floating_point_words(void)
{
	uint32_t mxcsr;
	uint16_t control, status;

	__asm__ volatile("stmxcsr %0\n	fnstcw %1\n	fnstsw %2" : "=m"(mxcsr), "=m"(control), "=m"(status));
	return mxcsr | (uint64_t)control << 32 | (uint64_t)status << 48;
}

uint64_t arch_new_fiber(uint64_t top)
{
	uint64_t *sp = (uint64_t *)(top & ~63ull);

	*--sp = 0; /* keeps rsp 16-byte aligned before the first call */
	*--sp = 0;
	*--sp = (uint64_t)fiber_start;
	for (int i = 0; i < 6; i++)
		*--sp = 0;
	*--sp = floating_point_words();
	return (uint64_t)sp;
}

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

void arch_forget_rseq(uint64_t thread_pointer)
{
	enum { AREA = 32, UNREGISTER = 1, SIGNATURE = 0x53053053 };

	if (&__rseq_size && __rseq_size)
		SYS4(SYS_rseq, thread_pointer + __rseq_offset, AREA, UNREGISTER, SIGNATURE);
}

void arch_leave_kernel(uint64_t thread_pointer)
{
	SYS1(SYS_set_tid_address, 0);
	arch_forget_rseq(thread_pointer);
	SYS2(SYS_set_robust_list, 0, 24);
	__atomic_add_fetch(&rt->donors.ready, 1, __ATOMIC_SEQ_CST);
	/* from here on the stack may be taken over by a fiber: registers only */
	__asm__ volatile("syscall" ::"a"(SYS_exit), "D"(0) : "memory");
	__builtin_unreachable();
}

static greg_t *registers(void *context)
{
	return ((ucontext_t *)context)->uc_mcontext.gregs;
}

uint64_t arch_context_pc(void *context)
{
	return (uint64_t)registers(context)[REG_RIP];
}

bool arch_context_is_write_fault(void *context)
{
	return (registers(context)[REG_ERR] & PAGE_FAULT_WRITE) != 0;
}

void arch_context_redirect(void *context, void (*function)(void), uint64_t stack_top)
{
	registers(context)[REG_RIP] = (greg_t)(uint64_t)function;
	registers(context)[REG_RSP] = (greg_t)((stack_top & ~15ull) - 8); /* as after a call */
	registers(context)[REG_RBP] = 0;
}

void arch_context_syscall(void *context, long *number, long arguments[6])
{
	static const int order[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

	*number = registers(context)[REG_RAX];
	for (int i = 0; i < 6; i++)
		arguments[i] = registers(context)[order[i]];
}

void arch_context_set_result(void *context, long result)
{
	registers(context)[REG_RAX] = result;
}

uint32_t arch_audit(void)
{
	return AUDIT_ARCH_X86_64;
}
