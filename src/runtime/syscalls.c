/*
 * System calls of the program.  A seccomp filter turns all but a few into SIGSYS,
 * wherever they are made, also deep inside libc; the handler decides by the table
 * in syscalls.def.  The runtime's own calls pass by the address of their one
 * instruction.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"

enum policy { PASS, STATE, ZERO, SPECIAL, REFUSE };

struct rule {
	int16_t number;
	uint8_t policy;
	int8_t argument;
	int32_t size;
	const char *name;
};

static const struct rule rules[] = {
#define SYSCALL(name, policy, argument, size) {SYS_##name, policy, argument, size, #name},
#include "runtime/syscalls.def"
#undef SYSCALL
};

static const struct rule *find_rule(long number)
{
	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].number == number)
			return &rules[i];
	return NULL;
}

static void refuse_call(void *context, long number, const struct rule *rule)
{
	char name[64] = "system call ";

	if (rule)
		text_append(name, sizeof name, rule->name);
	else
		text_append_number(name, sizeof name, (uint64_t)number);
	refuse_in_handler(context, name, " is not supported");
}

/* Reading standard input can be repeated only if it is a file. */
static void note_read(long fd)
{
	if (fd != 0)
		return;
	if (rt->channel->stdin_refused) {
		rt->channel->trace.running = rt->current;
		rt->channel->trace.site = rt->current_site;
		rt->channel->trace.ending = ENDING_INPUT;
		SYS1(SYS_exit_group, 0);
	}
	rt->stdin_moved = true;
}

static bool is_own_signal(long signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT ||
	       signal == SIGTRAP || signal == SIGSYS || signal == WATCHDOG_SIGNAL;
}

static long call(long number, const long a[6])
{
	return arch_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void special(void *context, const struct rule *rule, const long a[6])
{
	long result = 0;

	switch (rule->number) {
	case SYS_write:
	case SYS_writev:
		if (a[0] == 1 || a[0] == 2)
			rt->wrote = true;
		else
			rt->kernel_changed = true;
		result = call(rule->number, a);
		break;
	case SYS_read:
		note_read(a[0]);
		result = call(SYS_read, a);
		break;
	case SYS_lseek:
		if (a[0] == 0)
			rt->stdin_moved = true;
		result = call(SYS_lseek, a);
		break;
	case SYS_exit_group: exit_in_handler(context, (int)a[0]); return;
	case SYS_getpid: result = 1000; break;
	case SYS_getppid: result = 1; break;
	case SYS_gettid: result = 1000 + (long)rt->current; break;
	case SYS_futex:
		if ((a[1] & FUTEX_CMD_MASK) != FUTEX_WAKE) {
			refuse_in_handler(context, "waiting for a lock inside the C library that another thread holds",
					  " is not supported");
			return;
		}
		break;
	case SYS_rt_sigaction:
		if (a[1] && is_own_signal(a[0])) {
			refuse_in_handler(context, "a handler for a signal that reports crashes", " is not supported");
			return;
		}
		rt->kernel_changed |= a[1] != 0;
		result = call(SYS_rt_sigaction, a);
		break;
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill: /* to the process itself: there is no other */
		result = SYS2(SYS_kill, SYS0(SYS_getpid), rule->number == SYS_tgkill ? a[2] : a[1]);
		break;
	}
	arch_context_set_result(context, result);
}

static void on_syscall(int signal, siginfo_t *info, void *context)
{
	long number, a[6];

	(void)signal, (void)info;
	arch_context_syscall(context, &number, a);
	const struct rule *rule = find_rule(number);
	if (!rule || rule->policy == REFUSE) {
		refuse_call(context, number, rule);
		return;
	}
	if (rule->argument >= 0 && a[rule->argument])
		snapshot_touch((void *)a[rule->argument],
			       rule->size >= 0 ? (uint64_t)rule->size : (uint64_t)a[-rule->size]);
	switch (rule->policy) {
	case SPECIAL: special(context, rule, a); return;
	case ZERO: arch_context_set_result(context, 0); return;
	case STATE: rt->kernel_changed = true; break;
	}
	arch_context_set_result(context, call(number, a));
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_HIGH(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field) + 4)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, skip)
#define IF(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), skip, 0)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define TRAP BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)

void syscalls_install(void)
{
	uint64_t own = arch_syscall_end();
	struct sock_filter filter[] = {
		LOAD(arch),
		IF(arch_audit(), 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		LOAD(instruction_pointer),
		UNLESS(own, 3),
		LOAD_HIGH(instruction_pointer),
		UNLESS(own >> 32, 1),
		ALLOW,
		LOAD(nr),
		UNLESS(SYS_rt_sigreturn, 1),
		ALLOW,
		TRAP,
	};
	struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
	struct sigaction action = {.sa_sigaction = on_syscall, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	sigaction(SIGSYS, &action, NULL);
	if (SYS6(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0) ||
	    SYS3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		fail_execution("the kernel does not allow a seccomp filter");
}
