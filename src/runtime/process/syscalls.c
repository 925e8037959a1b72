/*
 * System calls of the program.  A seccomp filter turns all but a few into SIGSYS,
 * wherever they are made, also deep inside libc; the handler decides by the table
 * in syscalls.def.  The runtime's own calls pass by the address of their one
 * instruction.
 */
#define _GNU_SOURCE
#include "runtime/arch/arch.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/process/journal.h"
#include "runtime/process/process.h"
#include "runtime/process/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

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
#include "wire/syscalls.def"
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
	if (rt->channel->input != INPUT_FILE) {
		the_trace()->running = rt->current;
		the_trace()->site = rt->current_site;
		the_trace()->ending = ENDING_INPUT;
		SYS1(SYS_exit_group, 0);
	}
	rt->system.stdin_moved = true;
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

static bool opens_for_change(long flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
}

/* Does the call change what other threads may look at, in another way than by the contents of a file? */
static bool changes_state(long number, const long a[6])
{
	switch (number) {
	case SYS_open: return opens_for_change(a[1]);
	case SYS_openat: return opens_for_change(a[2]);
	case SYS_creat:
	case SYS_truncate:
	case SYS_unlink:
	case SYS_unlinkat:
	case SYS_rename:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_mkdir:
	case SYS_mkdirat:
	case SYS_rmdir:
	case SYS_link:
	case SYS_linkat:
	case SYS_symlink:
	case SYS_symlinkat:
	case SYS_chmod:
	case SYS_fchmod:
	case SYS_fchmodat:
	case SYS_chdir:
	case SYS_fchdir:
	case SYS_umask: return true;
	}
	return false;
}

static bool writes_to_file(long number)
{
	return number == SYS_write || number == SYS_writev || number == SYS_pwrite64 || number == SYS_ftruncate;
}

/* Nobody else may run now, so what nobody has announced must not matter to anybody. */
static const char *why_refused(long number, const long a[6])
{
	bool alone = rt->phase != PHASE_RUN || rt->nthreads < 2;

	if (writes_to_file(number) && descriptor_is_inherited((int)a[0]) && descriptor_is_file((int)a[0]))
		return "writing to a file that was open before main began";
	if ((writes_to_file(number) && !write_is_announced((int)a[0])) ||
	    (!alone && !self()->system.calls && changes_state(number, a)))
		return "changing files in a function of a library that nothing is known about";
	return mapping_refused(number, a);
}

/* A call that leaves something behind: in the kernel, which the process takes with it, or in files. */
static void change_state(void *context, long number, long a[6])
{
	struct journal_mark mark;
	const char *why = why_refused(number, a);

	if (!why)
		why = journal_note(&mark, number, a);
	if (why) {
		refuse_in_handler(context, why, " is not supported");
		return;
	}
	rt->system.kernel_changed = true;
	mapping_place(number, a);
	long result = call(number, a);
	journal_settle(&mark, result);
	descriptors_note(number, a, result);
	arch_context_set_result(context, result);
}

static bool starts_with(const char *text, const char *start)
{
	while (*start && *text == *start)
		text++, start++;
	return !*start;
}

static void special_write(void *context, long number, const long a[6])
{
	const char *why = why_refused(number, a);

	if (why) {
		refuse_in_handler(context, why, " is not supported");
		return;
	}
	long result = call(number, a);
	if (a[0] != 1 && a[0] != 2) {
		rt->system.kernel_changed = true;
	} else {
		rt->system.wrote = true;
		rt->system.written += result > 0 ? (uint64_t)result : 0;
	}
	if (rt->system.written > MAX_OUTPUT)
		refuse_in_handler(context, "writing more than 64 MiB in one execution", " is not supported");
	else
		arch_context_set_result(context, result);
}

static void special_open(void *context, long number, long a[6])
{
	const char *path = (const char *)(number == SYS_open ? a[0] : a[1]);

	if (path && (starts_with(path, "/dev/urandom") || starts_with(path, "/dev/random"))) {
		refuse_in_handler(context, "random data, which no second execution gets again,", " is not supported");
		return;
	}
	change_state(context, number, a);
}

static void special_kill(void *context, int signal);

/* A signal that came while it was blocked is delivered when it no longer is. */
static bool deliver_pending(void *context)
{
	uint64_t due = rt->signals.pending & ~self()->system.signal_mask;

	if (!due)
		return false;
	rt->signals.pending &= ~(due & -due);
	special_kill(context, __builtin_ctzll(due) + 1);
	return true;
}

/* Each thread has a mask of its own, so the kernel is not asked. */
static void special_sigmask(void *context, const long a[6])
{
	uint64_t *mask = &self()->system.signal_mask, old = *mask;

	if (a[1]) {
		uint64_t set = *(const uint64_t *)a[1];
		if (a[0] == SIG_BLOCK)
			*mask |= set;
		else if (a[0] == SIG_UNBLOCK)
			*mask &= ~set;
		else if (a[0] == SIG_SETMASK)
			*mask = set;
		else {
			arch_context_set_result(context, -EINVAL);
			return;
		}
		for (int i = 1; i < 32; i++)
			if (is_own_signal(i))
				*mask &= ~(1ull << (i - 1));
	}
	if (a[2])
		*(uint64_t *)a[2] = old;
	arch_context_set_result(context, 0);
	deliver_pending(context);
}

static void special_sigaction(void *context, const long a[6])
{
	if (a[1] && is_own_signal(a[0])) {
		refuse_in_handler(context, "a handler for a signal that reports crashes", " is not supported");
		return;
	}
	rt->system.kernel_changed |= a[1] != 0;
	arch_context_set_result(context, call(SYS_rt_sigaction, a));
}

static bool is_harmless_by_default(int signal)
{
	return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

static bool stops_by_default(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void leave_pending(void *context, int signal)
{
	rt->signals.pending |= 1ull << (signal - 1);
	arch_context_set_result(context, 0);
}

/* A signal to the process itself: its default action is an end like any other. */
static void special_kill(void *context, int signal)
{
	struct {
		void *handler;
		uint64_t flags;
		void *restorer;
		uint64_t mask;
	} action = {0};
	uint64_t blocked = rt->signals.target >= 0 ? rt->threads[rt->signals.target].system.signal_mask
						   : self()->system.signal_mask;

	if (signal < 0 || signal > 64) {
		arch_context_set_result(context, -EINVAL);
		return;
	}
	if (signal)
		SYS4(SYS_rt_sigaction, signal, 0, &action, 8);
	if (!signal || action.handler == (void *)SIG_IGN ||
	    (action.handler == (void *)SIG_DFL && is_harmless_by_default(signal)))
		arch_context_set_result(context, 0);
	else if (blocked >> (signal - 1) & 1)
		leave_pending(context, signal);
	else if (stops_by_default(signal))
		refuse_in_handler(context, "a signal that stops the process", " is not supported");
	else if (action.handler == (void *)SIG_DFL || is_own_signal(signal))
		crash_in_handler(context, signal);
	else
		refuse_in_handler(context, "sending a signal to a handler of the program", " is not supported");
}

enum { PROGRAM_PID = 1000, PARENT_PID = 1 };

static void call_special(void *context, const struct rule *rule, long a[6])
{
	long result = 0;

	switch (rule->number) {
	case SYS_write:
	case SYS_writev: special_write(context, rule->number, a); return;
	case SYS_open:
	case SYS_openat: special_open(context, rule->number, a); return;
	case SYS_rt_sigprocmask: special_sigmask(context, a); return;
	case SYS_rt_sigaction: special_sigaction(context, a); return;
	case SYS_exit_group: exit_in_handler(context, (int)a[0]); return;
	case SYS_tgkill: special_kill(context, (int)a[2]); return;
	case SYS_tkill: special_kill(context, (int)a[1]); return;
	case SYS_kill:
		if (a[0] == PROGRAM_PID || a[0] == 0)
			special_kill(context, (int)a[1]);
		else
			refuse_in_handler(context, "a signal to another process", " is not supported");
		return;
	case SYS_futex:
		if ((a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE)
			break;
		refuse_in_handler(context, "waiting for a lock inside the C library that another thread holds",
				  " is not supported");
		return;
	case SYS_read:
		note_read(a[0]);
		result = call(SYS_read, a);
		break;
	case SYS_lseek:
		rt->system.stdin_moved |= a[0] == 0;
		result = call(SYS_lseek, a);
		break;
	case SYS_prlimit64:
		rt->system.kernel_changed |= a[2] != 0;
		result = call(SYS_prlimit64, a);
		break;
	case SYS_getpid: result = PROGRAM_PID; break;
	case SYS_getppid: result = PARENT_PID; break;
	case SYS_gettid: result = PROGRAM_PID + (long)rt->current; break;
	}
	arch_context_set_result(context, result);
}

static void on_syscall(int signal, siginfo_t *info, void *context)
{
	long number, a[6];

	(void)signal, (void)info;
	arch_context_syscall(context, &number, a);
	const struct rule *rule = find_rule(number);
	if (!need_plan_in_handler(context))
		return;
	if (!rule || rule->policy == REFUSE) {
		refuse_call(context, number, rule);
		return;
	}
	if (rule->argument >= 0 && a[rule->argument])
		snapshot_touch((void *)a[rule->argument],
			       rule->size >= 0 ? (uint64_t)rule->size : (uint64_t)a[-rule->size]);
	note_call(number, a);
	switch (rule->policy) {
	case SPECIAL: call_special(context, rule, a); return;
	case ZERO: arch_context_set_result(context, 0); return;
	case STATE: change_state(context, number, a); return;
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
