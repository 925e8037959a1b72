/*
 * From the start of the process to the first execution: the program becomes the
 * zygote, which forks executors (wire/channel.h), or runs by itself when no
 * explorer started it.
 */
#define _GNU_SOURCE
#include "runtime/arch/arch.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/text.h"
#include "runtime/core/thread.h"
#include "runtime/cxx/cxx.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"
#include "runtime/process/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

uint32_t runtime_is_mapped;

static void *map_at(uint64_t address, uint64_t size, int flags, int fd)
{
	long result = SYS6(SYS_mmap, address, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, fd, 0);

	if (result != (long)address) {
		text_write("inspect: cannot map memory at its fixed address\n");
		SYS1(SYS_exit_group, 4);
	}
	return (void *)result;
}

void runtime_map(void)
{
	if (runtime_is_mapped)
		return;
	runtime_is_mapped = 1;
	map_at(RUNTIME_ADDRESS, sizeof *rt, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	map_at(HEAP_ADDRESS, MAX_THREADS * HEAP_SIZE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	map_at(SHADOW_ADDRESS, MAX_THREADS * HEAP_SIZE / 8, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

void __inspect_resolver(void)
{
	runtime_map();
}

/* Before all constructors, the program's instrumented ones included. */
__attribute__((section(".preinit_array"), used)) static void (*const map_first)(void) = runtime_map;

static void *libc_function(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		anomaly(EV_REFUSED, "the C library lacks a function that is needed");
	return function;
}

/*
 * The number of the channel's descriptor, or -1; the variable leaves the environment.  No getenv() here: a program that has
 * native objects may have a function of that name.
 */
static int take_channel_number(void)
{
	size_t length = strlen(CHANNEL_VARIABLE);
	char **at = __environ;
	int number = 0;

	while (*at && strncmp(*at, CHANNEL_VARIABLE "=", length + 1))
		at++;
	if (!*at)
		return -1;
	for (const char *digit = *at + length + 1; *digit; digit++)
		number = 10 * number + (*digit - '0');
	do
		at[0] = at[1];
	while (*at++);
	return number;
}

static void attach_channel(void)
{
	int number = take_channel_number();

	if (number < 0) {
		rt->standalone = true;
		rt->channel =
			map_at(CHANNEL_ADDRESS, sizeof *rt->channel, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
		rt->channel->nnames = 1;
		rt->channel->modes = (struct modes){.timeouts = TIMEOUTS_LAST_RESORT, .nondet_high = -1};
		return;
	}
	rt->channel = map_at(CHANNEL_ADDRESS, sizeof *rt->channel, MAP_SHARED, number);
	rt->channel->program_layout = CHANNEL_LAYOUT;
	if (rt->channel->magic != CHANNEL_MAGIC || rt->channel->layout != CHANNEL_LAYOUT)
		SYS1(SYS_exit_group, 2); /* nothing else in it can be relied on */
	SYS1(SYS_close, number);
	guest_arrive();
}

static size_t size_of_strings(char **strings)
{
	size_t size = sizeof *strings;

	for (; *strings; strings++)
		size += sizeof *strings + strlen(*strings) + 1;
	return size;
}

static char **copy_strings(char **strings, uint64_t address)
{
	size_t n = 0, size = (size_of_strings(strings) + PAGE - 1) & ~(PAGE - 1);
	char **copy = map_at(address, size, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	while (strings[n])
		n++;
	char *text = (char *)&copy[n + 1];
	for (size_t i = 0; i < n; i++) {
		copy[i] = text;
		text = stpcpy(text, strings[i]) + 1;
	}
	return copy;
}

/*
 * The arguments and the environment live on the kernel's stack, which is not rolled
 * back.  Their copies have addresses of their own: how long they are must not move what
 * the program allocates.
 */
static void copy_arguments(int argc, char **argv)
{
	rt->beginning.argc = argc;
	rt->beginning.argv = copy_strings(argv, ARGUMENTS_ADDRESS);
	environ = copy_strings(environ, ENVIRONMENT_ADDRESS);
	rt->beginning.envp = environ;
}

static void capture_output(void)
{
	SYS2(SYS_dup2, rt->channel->stdout_fd, 1);
	SYS2(SYS_dup2, rt->channel->stderr_fd, 2);
	SYS1(SYS_close, rt->channel->stdout_fd);
	SYS1(SYS_close, rt->channel->stderr_fd);
}

/* --- the protocol --- */

void wait_for_request(void)
{
	uint32_t done = rt->channel->response;
	struct waiting_turn turn = patience_begin(&rt->executor.patience, rt->channel, rt->channel->explorer_core);

	while (turn.look++ < turn.looks) {
		if (__atomic_load_n(&rt->channel->request, __ATOMIC_ACQUIRE) != done || rt->channel->quit) {
			patience_learn(&rt->executor.patience, rt->channel, &turn, true);
			return;
		}
		if (patience_yields(&turn))
			SYS0(SYS_sched_yield);
		else
			arch_pause();
	}
	patience_learn(&rt->executor.patience, rt->channel, &turn, false);
	while (__atomic_load_n(&rt->channel->request, __ATOMIC_ACQUIRE) == done && !rt->channel->quit) {
		__atomic_store_n(&rt->channel->executor_sleeps, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&rt->channel->request, __ATOMIC_SEQ_CST) == done && !rt->channel->quit)
			SYS4(SYS_futex, &rt->channel->request, FUTEX_WAIT, done, 0);
		__atomic_store_n(&rt->channel->executor_sleeps, 0, __ATOMIC_SEQ_CST);
	}
}

static void respond(void)
{
	__atomic_store_n(&rt->channel->response, rt->channel->request, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&rt->channel->explorer_sleeps, __ATOMIC_SEQ_CST))
		SYS3(SYS_futex, &rt->channel->response, FUTEX_WAKE, 1);
}

/* How much the program has written; the files are emptied for the next execution. */
static void measure_output(void)
{
	the_trace()->stdout_size = the_trace()->stderr_size = 0;
	if (!rt->system.wrote)
		return;
	rt->system.wrote = false;
	long out = SYS3(SYS_lseek, 1, 0, SEEK_END), err = SYS3(SYS_lseek, 2, 0, SEEK_END);
	the_trace()->stdout_size = out > 0 ? (uint32_t)out : 0;
	the_trace()->stderr_size = err > 0 ? (uint32_t)err : 0;
}

static void reset_kernel_state(void)
{
	if (rt->system.stdin_moved)
		SYS3(SYS_lseek, 0, rt->executor.stdin_offset, SEEK_SET);
	rt->system.stdin_moved = false;
	descriptors_rewind();
}

static void empty_output(void)
{
	if (the_trace()->stdout_size)
		SYS2(SYS_ftruncate, 1, 0);
	if (the_trace()->stderr_size)
		SYS2(SYS_ftruncate, 2, 0);
}

void begin_trace(void)
{
	rt->channel->executor_core = core_now();
	if (!resume_point_put_back_shared()) {
		empty_output();
		clear_trace();
	}
	__atomic_store_n(&the_trace()->nevents, rt->nevents, __ATOMIC_RELEASE);
}

static void one_execution(void)
{
	if (rt->channel->profiling)
		rt->executor.run_began = ticks_now();
	take_plan();
	if (!resume_point_use())
		begin_execution();
	begin_trace();
	resume_point_look_ahead(rt->nevents);
	continue_execution();
}

static void end_one_execution(void)
{
	measure_output();
	reset_kernel_state();
}

/* The reset that began at `start` has ended: has the next request been waiting for it? */
static void profile_reset(uint64_t start)
{
	struct profile *profile = &rt->channel->profile;
	uint64_t now = ticks_now();

	span_add(&profile->reset, now - start);
	if (__atomic_load_n(&rt->channel->request, __ATOMIC_ACQUIRE) != rt->channel->response &&
	    profile->requested < now)
		profile->late += now - (profile->requested > start ? profile->requested : start);
}

static void executor_begin(long zygote)
{
	SYS2(SYS_prctl, PR_SET_PDEATHSIG, 9);
	if (SYS0(SYS_getppid) != zygote)
		SYS1(SYS_exit_group, 0); /* it died before that took effect: nobody would ever end us */
	rt->channel->executor_pid = (int32_t)SYS0(SYS_getpid);
	syscalls_install();
}

static void executor_loop(long zygote) __attribute__((noreturn));
static void executor_loop(long zygote)
{
	executor_begin(zygote);
	snapshot_protect();
	for (bool goes_on = false;;) { /* the guest has made the next plan */
		if (goes_on || !ahead_run()) {
			if (!goes_on)
				wait_for_request();
			if (rt->channel->quit)
				SYS1(SYS_exit_group, 0);
			one_execution();
		}
		end_one_execution();
		uint64_t end = rt->channel->profiling ? ticks_now() : 0;
		if (rt->channel->profiling)
			span_add(&rt->channel->profile.run, end - rt->executor.run_began);
		if (rt->system.kernel_changed)
			SYS1(SYS_exit_group, EXIT_RENEW); /* the zygote responds, and forks the next one */
		goes_on = guest_goes_on();
		if (!goes_on)
			respond();
		end = rt->channel->profiling ? ticks_now() : 0;
		resume_point_rewind();
		if (rt->channel->profiling)
			profile_reset(end);
	}
}

/* What the execution that the executor died in has left outside its process. */
static void clean_up(void)
{
	rt->system.wrote = true; /* nobody knows */
	measure_output();
	SYS3(SYS_lseek, 0, rt->executor.stdin_offset, SEEK_SET);
	rt->system.flags_changed = true;
	descriptors_rewind();
}

static void make_more_donors(void)
{
	donors_make(donors_wanted());
	if (rt->channel->isolation == ISOLATION_SNAPSHOT)
		snapshot_add_stacks();
	clean_up();
}

/*
 * Wait for the executor's death; if it died in an execution, answer in its place.
 * `request` is the only one it may have served, or 0 for any.
 */
static void bury_executor(long pid, uint32_t request)
{
	int status = 0;

	while (SYS4(SYS_wait4, pid, &status, 0, 0) == -EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BROKEN) {
		rt->channel->zygote = ZYGOTE_FAILED;
		SYS1(SYS_exit_group, EXIT_BROKEN);
	}
	if (rt->channel->quit || rt->channel->response == (request ? request : rt->channel->request))
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONORS) {
		make_more_donors();
		the_trace()->ending = ENDING_AGAIN;
		respond();
		return;
	}
	if (the_trace()->ending == ENDING_NONE) {
		the_trace()->ending = ENDING_KILLED;
		the_trace()->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		the_trace()->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	}
	clean_up();
	respond();
}

static void zygote_loop(void) __attribute__((noreturn));
static void zygote_loop(void)
{
	long self = SYS0(SYS_getpid);

	while (!rt->channel->quit) {
		if (rt->channel->isolation == ISOLATION_FORK)
			wait_for_request();
		if (rt->channel->quit)
			break;
		uint32_t request = rt->channel->isolation == ISOLATION_FORK ? rt->channel->request : 0;
		long pid = SYS0(SYS_fork);
		if (pid == 0 && rt->channel->isolation == ISOLATION_FORK) {
			executor_begin(self);
			one_execution();
			end_one_execution();
			respond();
			SYS1(SYS_exit_group, 0);
		}
		if (pid == 0)
			executor_loop(self);
		if (pid < 0) {
			text_copy(the_trace()->message, MAX_MESSAGE, "fork failed");
			the_trace()->ending = ENDING_FAILED;
			respond();
			break;
		}
		bury_executor(pid, request);
	}
	clean_up();
	SYS1(SYS_exit_group, 0);
	__builtin_unreachable();
}

int main(int argc, char **argv)
{
	attach_channel();
	rt->current_site = 0; /* constructors have run: what follows is not theirs */
	arch_init();
	rt->library.exit = libc_function("exit");
	rt->library.fflush = libc_function("fflush");
	rt->library.pthread_create = libc_function("pthread_create");
	/* there in programs that can throw */
	*(void **)&rt->library.unwind_forced = dlsym(RTLD_DEFAULT, "_Unwind_ForcedUnwind");
	*(void **)&rt->library.unwind_cfa = dlsym(RTLD_DEFAULT, "_Unwind_GetCFA");
	originals_prepare();
	heap_prepare();
	install_fault_handlers();
	donors_make(rt->standalone ? MAX_THREADS : FIRST_DONORS);
	prepare_cxx();
	copy_arguments(argc, argv);
	rt->beginning.exit_handlers = rt->exit.handlers;
	rt->beginning.keys = rt->sync.keys;
	rt->beginning.specific = rt->threads[0].sync.specific;
	rt->beginning.nspecific = rt->threads[0].sync.nspecific;
	if (!rt->standalone)
		capture_output();
	descriptors_prepare();
	if (rt->standalone) {
		take_plan();
		clear_trace();
		begin_execution();
		rt->resume_points.next = UINT32_MAX;
		continue_execution();
		return 0;
	}
	arch_forget_rseq(arch_thread_pointer());
	rt->phase = PHASE_IDLE;
	rt->executor.patience.spin = rt->channel->spin;
	long offset = SYS3(SYS_lseek, 0, 0, SEEK_CUR);
	rt->executor.stdin_offset = offset > 0 ? offset : 0;
	if (rt->channel->isolation == ISOLATION_SNAPSHOT)
		snapshot_take();
	rt->channel->zygote = ZYGOTE_READY;
	SYS3(SYS_futex, &rt->channel->zygote, FUTEX_WAKE, 1);
	zygote_loop();
}
