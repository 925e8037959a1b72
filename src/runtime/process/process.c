/*
 * The end of the process, in all its ways.  Each is a visible operation that
 * conflicts with whatever the other threads would do next, a crash as well: the
 * faulting thread is parked on an emergency stack and crashes when it is its turn.
 *
 * This is the only file that calls into libc during an execution: exit() runs the
 * program's handlers and fflush() writes what stdio still holds.
 */
#define _GNU_SOURCE
#include "runtime/arch/arch.h"
#include "runtime/await/await.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"
#include "runtime/state/state.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The running thread's turn to end the process; the others are frozen from here on. */
static void exit_point(int status)
{
	struct op op = make_op(EV_PROCESS_EXIT, NULL);
	struct event *event = point(&op);

	need_plan();
	if (event)
		event->value = (uint64_t)(status & 0xff);
	the_trace()->exit_status = status & 0xff;
	rt->phase = PHASE_EXIT;
}

/*
 * Registered before all others, constructors' and the loader's included, so that it runs after them; and for no library and
 * not for the program, whose handlers run before functions that are marked as destructors with a priority.
 */
static void last_exit_handler(void *argument)
{
	(void)argument;
	if (!runtime_is_mapped || (rt->phase != PHASE_RUN && rt->phase != PHASE_START))
		return;
	if (is_stateful())
		state_private(EV_PROCESS_EXIT); /* it has looked for them before, and found none */
	run_exit_handlers();
	if (rt->phase != PHASE_RUN)
		return;
	exit_point(self()->fault.exit_status);
	rt->library.fflush(NULL);
	leaks_find();
	end_execution(ENDING_EXIT);
}

static void install_last_handler(void)
{
	int __cxa_atexit(void (*)(void *), void *, void *);

	if (__cxa_atexit(last_exit_handler, NULL, NULL))
		text_write("inspect: atexit failed\n");
}

__attribute__((section(".preinit_array"), used)) static void (*const install_first)(void) = install_last_handler;

void _exit(int status)
{
	if (rt->phase == PHASE_RUN) {
		exit_point(status);
		end_execution(ENDING_EXIT);
	}
	SYS1(SYS_exit_group, status);
	__builtin_unreachable();
}

void _Exit(int status)
{
	_exit(status);
}

void quick_exit(int status)
{
	if (rt->phase == PHASE_RUN)
		anomaly(EV_REFUSED, "quick_exit is not supported");
	_exit(status);
}

/* --- failed assertions --- */

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
	char number[24] = "";

	text_append_number(number, sizeof number, line);
	message_set(self()->message, file, ":", number, ": ", function ? function : "?", ": assertion `", condition,
		    "' failed", NULL);
	char message[MAX_MESSAGE];
	text_copy(message, sizeof message, self()->message);
	anomaly(EV_ASSERT_FAIL, message);
}

void __assert(const char *condition, const char *file, int line)
{
	__assert_fail(condition, file, (unsigned)line, NULL);
}

void abort(void)
{
	anomaly(EV_ABORT, "abort() was called");
}

/* --- faults --- */

static uint64_t emergency_stack(void)
{
	return rt->memory.stack_low + PAGE + EMERGENCY_SIZE;
}

/* Where a faulting thread goes on, on its emergency stack. */
static void crash_landing(void)
{
	meet_anomaly(EV_CRASH);
}

void crash_in_handler(void *context, int signal)
{
	struct thread *thread = self();

	thread->fault.signal = signal;
	thread->fault.address = thread->fault.pc = 0;
	text_copy(thread->message, MAX_MESSAGE, "killed by a signal");
	arch_context_redirect(context, crash_landing, emergency_stack());
}

static void refusal_landing(void)
{
	meet_anomaly(EV_REFUSED);
}

static void ahead_landing(void)
{
	ahead_give_up();
}

bool need_plan_in_handler(void *context)
{
	if (!rt->course.ahead || ahead_suits())
		return true;
	arch_context_redirect(context, ahead_landing, emergency_stack());
	return false;
}

static void exit_landing(void)
{
	_exit(self()->fault.exit_status);
}

void exit_in_handler(void *context, int status)
{
	self()->fault.exit_status = status;
	arch_context_redirect(context, exit_landing, emergency_stack());
}

void refuse_in_handler(void *context, const char *first, const char *second)
{
	message_set(self()->message, first, second, NULL);
	self()->fault.signal = 0;
	arch_context_redirect(context, refusal_landing, emergency_stack());
}

static void die_outside_execution(int signal)
{
	char number[24] = "";

	text_append_number(number, sizeof number, (uint64_t)signal);
	message_set(the_trace()->message, "signal ", number,
		    rt->phase == PHASE_START ? " before main was reached" : " outside the program", NULL);
	text_write("inspect: ");
	text_write(the_trace()->message);
	text_write("\n");
	rt->channel->zygote = ZYGOTE_FAILED;
	SYS1(SYS_exit_group, EXIT_FAULT);
}

/* The runtime reads and writes where the program's pointers point: then it is the caller's fault. */
static bool is_in_runtime(uint64_t pc)
{
	extern const uint8_t __start_inspect_runtime[], __stop_inspect_runtime[];

	return pc >= (uint64_t)__start_inspect_runtime && pc < (uint64_t)__stop_inspect_runtime;
}

/*
 * Is it the access that was announced last, whose site is known?  The debug information of the
 * instruction may name a later line: the compiler does a load where its value is used.
 */
static bool is_announced(uint64_t address)
{
	const struct event *last = &the_trace()->events[rt->nevents - 1];

	return rt->nevents && last->thread == rt->current && event_table[last->op.kind].object_class == OBJECT_MEMORY &&
	       last->op.site == rt->current_site && address - last->op.object < last->op.size;
}

/* It will do the same for good when it is its turn. */
static void trial_landing(void)
{
	trial_end(false);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	uint64_t address = (uint64_t)info->si_addr;

	if (signal == SIGSEGV && arch_context_is_write_fault(context) && snapshot_fault(address))
		return;
	if (rt->phase == PHASE_START || rt->phase == PHASE_IDLE) {
		die_outside_execution(signal);
		return;
	}
	if (rt->trial.active) {
		arch_context_redirect(context, trial_landing, emergency_stack());
		return;
	}
	struct thread *thread = self();
	thread->fault.signal = signal;
	thread->fault.address = info->si_code > 0 ? address : 0;
	uint64_t pc = arch_context_pc(context);
	thread->fault.pc = rt->memory.touching || is_in_runtime(pc) || is_announced(address) ? 0 : pc;
	char number[24] = "";
	text_append_number(number, sizeof number, (uint64_t)signal);
	message_set(thread->message, "crash with signal ", number, NULL);
	rt->memory.touching = false;
	arch_context_redirect(context, crash_landing, emergency_stack());
}

/* The explorer's watchdog asks where we are: answer and die. */
static void on_watchdog(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	if (rt->phase == PHASE_IDLE || rt->phase == PHASE_START || rt->course.ahead)
		return;
	the_trace()->running = rt->current;
	the_trace()->site = rt->current_site;
	uint64_t pc = arch_context_pc(context);
	the_trace()->fault_pc = is_in_runtime(pc) ? 0 : pc;
	the_trace()->ending = ENDING_HANG;
	SYS1(SYS_exit_group, EXIT_HANG);
}

void install_fault_handlers(void)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	stack_t stack = {.ss_sp = rt->signal_stack, .ss_size = sizeof rt->signal_stack};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	sigaltstack(&stack, NULL);
	for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++)
		sigaction(faults[i], &action, NULL);
	action.sa_sigaction = on_watchdog;
	sigaction(WATCHDOG_SIGNAL, &action, NULL);
}
