/*
 * From the start of the process to the first execution: the program becomes the
 * zygote, which forks executors (wire/channel.h), or runs by itself when no
 * explorer started it.
 */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"

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

#include "runtime/arch/arch.h"
#include "runtime/process/system.h"

#define channel (rt->channel)

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
		channel = map_at(CHANNEL_ADDRESS, sizeof *channel, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
		channel->nnames = 1;
		channel->modes = (struct modes){.timeouts = TIMEOUTS_LAST_RESORT, .nondet_high = -1};
		return;
	}
	channel = map_at(CHANNEL_ADDRESS, sizeof *channel, MAP_SHARED, number);
	channel->program_layout = CHANNEL_LAYOUT;
	if (channel->magic != CHANNEL_MAGIC || channel->layout != CHANNEL_LAYOUT)
		SYS1(SYS_exit_group, 2); /* nothing else in it can be relied on */
	SYS1(SYS_close, number);
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
	rt->argc = argc;
	rt->argv = copy_strings(argv, ARGUMENTS_ADDRESS);
	environ = copy_strings(environ, ENVIRONMENT_ADDRESS);
	rt->envp = environ;
}

static void capture_output(void)
{
	SYS2(SYS_dup2, channel->stdout_fd, 1);
	SYS2(SYS_dup2, channel->stderr_fd, 2);
	SYS1(SYS_close, channel->stdout_fd);
	SYS1(SYS_close, channel->stderr_fd);
}

/* --- the protocol --- */

void wait_for_request(void)
{
	uint32_t done = channel->response;
	struct waiting_turn turn = patience_begin(&rt->patience, channel, channel->explorer_core);

	while (turn.look++ < turn.looks) {
		if (__atomic_load_n(&channel->request, __ATOMIC_ACQUIRE) != done || channel->quit) {
			patience_learn(&rt->patience, channel, &turn, true);
			return;
		}
		if (patience_yields(&turn))
			SYS0(SYS_sched_yield);
		else
			arch_pause();
	}
	patience_learn(&rt->patience, channel, &turn, false);
	while (__atomic_load_n(&channel->request, __ATOMIC_ACQUIRE) == done && !channel->quit) {
		__atomic_store_n(&channel->executor_sleeps, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&channel->request, __ATOMIC_SEQ_CST) == done && !channel->quit)
			SYS4(SYS_futex, &channel->request, FUTEX_WAIT, done, 0);
		__atomic_store_n(&channel->executor_sleeps, 0, __ATOMIC_SEQ_CST);
	}
}

static void respond(void)
{
	__atomic_store_n(&channel->response, channel->request, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&channel->explorer_sleeps, __ATOMIC_SEQ_CST))
		SYS3(SYS_futex, &channel->response, FUTEX_WAKE, 1);
}

/* How much the program has written; the files are emptied for the next execution. */
static void measure_output(void)
{
	channel->trace.stdout_size = channel->trace.stderr_size = 0;
	if (!rt->wrote)
		return;
	rt->wrote = false;
	long out = SYS3(SYS_lseek, 1, 0, SEEK_END), err = SYS3(SYS_lseek, 2, 0, SEEK_END);
	channel->trace.stdout_size = out > 0 ? (uint32_t)out : 0;
	channel->trace.stderr_size = err > 0 ? (uint32_t)err : 0;
}

static void reset_kernel_state(void)
{
	if (rt->stdin_moved)
		SYS3(SYS_lseek, 0, rt->stdin_offset, SEEK_SET);
	rt->stdin_moved = false;
	descriptors_rewind();
}

static void empty_output(void)
{
	if (channel->trace.stdout_size)
		SYS2(SYS_ftruncate, 1, 0);
	if (channel->trace.stderr_size)
		SYS2(SYS_ftruncate, 2, 0);
}

void begin_trace(void)
{
	channel->executor_core = core_now();
	if (!checkpoint_put_back_shared()) {
		empty_output();
		clear_trace();
	}
	__atomic_store_n(&channel->trace.nevents, rt->nevents, __ATOMIC_RELEASE);
}

static void one_execution(void)
{
	if (channel->profiling)
		rt->run_began = ticks_now();
	take_plan();
	if (!checkpoint_resume())
		begin_execution();
	begin_trace();
	checkpoint_look_ahead(rt->nevents);
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
	struct profile *profile = &channel->profile;
	uint64_t now = ticks_now();

	span_add(&profile->reset, now - start);
	if (__atomic_load_n(&channel->request, __ATOMIC_ACQUIRE) != channel->response && profile->requested < now)
		profile->late += now - (profile->requested > start ? profile->requested : start);
}

static void executor_begin(long zygote)
{
	SYS2(SYS_prctl, PR_SET_PDEATHSIG, 9);
	if (SYS0(SYS_getppid) != zygote)
		SYS1(SYS_exit_group, 0); /* it died before that took effect: nobody would ever end us */
	channel->executor_pid = (int32_t)SYS0(SYS_getpid);
	syscalls_install();
}

static void executor_loop(long zygote) __attribute__((noreturn));
static void executor_loop(long zygote)
{
	executor_begin(zygote);
	snapshot_protect();
	for (;;) {
		if (!ahead_run()) {
			wait_for_request();
			if (channel->quit)
				SYS1(SYS_exit_group, 0);
			one_execution();
		}
		end_one_execution();
		uint64_t end = channel->profiling ? ticks_now() : 0;
		if (channel->profiling)
			span_add(&channel->profile.run, end - rt->run_began);
		if (rt->kernel_changed)
			SYS1(SYS_exit_group, EXIT_RENEW); /* the zygote responds, and forks the next one */
		respond();
		checkpoint_rewind();
		if (channel->profiling)
			profile_reset(end);
	}
}

/* What the execution that the executor died in has left outside its process. */
static void clean_up(void)
{
	rt->wrote = true; /* nobody knows */
	measure_output();
	SYS3(SYS_lseek, 0, rt->stdin_offset, SEEK_SET);
	rt->flags_changed = true;
	descriptors_rewind();
}

static void make_more_donors(void)
{
	donors_make(donors_wanted());
	if (channel->isolation == ISOLATION_SNAPSHOT)
		snapshot_add_stacks();
	clean_up();
}

/*
 * Wait for the executor's death; if it died in an execution, answer in its place.
 * `request` is the only one it may have served, or 0 for any.
 */
static void bury(long pid, uint32_t request)
{
	int status = 0;

	while (SYS4(SYS_wait4, pid, &status, 0, 0) == -EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BROKEN) {
		channel->zygote = ZYGOTE_FAILED;
		SYS1(SYS_exit_group, EXIT_BROKEN);
	}
	if (channel->quit || channel->response == (request ? request : channel->request))
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONORS) {
		make_more_donors();
		channel->trace.ending = ENDING_AGAIN;
		respond();
		return;
	}
	if (channel->trace.ending == ENDING_NONE) {
		channel->trace.ending = ENDING_KILLED;
		channel->trace.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		channel->trace.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	}
	clean_up();
	respond();
}

static void zygote_loop(void) __attribute__((noreturn));
static void zygote_loop(void)
{
	long self = SYS0(SYS_getpid);

	while (!channel->quit) {
		if (channel->isolation == ISOLATION_FORK)
			wait_for_request();
		if (channel->quit)
			break;
		uint32_t request = channel->isolation == ISOLATION_FORK ? channel->request : 0;
		long pid = SYS0(SYS_fork);
		if (pid == 0 && channel->isolation == ISOLATION_FORK) {
			executor_begin(self);
			one_execution();
			end_one_execution();
			respond();
			SYS1(SYS_exit_group, 0);
		}
		if (pid == 0)
			executor_loop(self);
		if (pid < 0) {
			text_copy(channel->trace.message, MAX_MESSAGE, "fork failed");
			channel->trace.ending = ENDING_FAILED;
			respond();
			break;
		}
		bury(pid, request);
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
	rt->libc_exit = libc_function("exit");
	rt->libc_fflush = libc_function("fflush");
	rt->libc_pthread_create = libc_function("pthread_create");
	/* there in programs that can throw */
	*(void **)&rt->unwind_forced = dlsym(RTLD_DEFAULT, "_Unwind_ForcedUnwind");
	*(void **)&rt->unwind_cfa = dlsym(RTLD_DEFAULT, "_Unwind_GetCFA");
	originals_prepare();
	heap_prepare();
	install_fault_handlers();
	donors_make(rt->standalone ? MAX_THREADS : FIRST_DONORS);
	prepare_cxx();
	copy_arguments(argc, argv);
	rt->start_exit_handlers = rt->exit_handlers;
	rt->start_keys = rt->keys;
	rt->start_specific = rt->threads[0].specific;
	rt->start_nspecific = rt->threads[0].nspecific;
	if (!rt->standalone)
		capture_output();
	descriptors_prepare();
	if (rt->standalone) {
		take_plan();
		clear_trace();
		begin_execution();
		rt->next_checkpoint = UINT32_MAX;
		continue_execution();
		return 0;
	}
	arch_forget_rseq(arch_thread_pointer());
	rt->phase = PHASE_IDLE;
	rt->patience.spin = channel->spin;
	long offset = SYS3(SYS_lseek, 0, 0, SEEK_CUR);
	rt->stdin_offset = offset > 0 ? offset : 0;
	if (channel->isolation == ISOLATION_SNAPSHOT)
		snapshot_take();
	channel->zygote = ZYGOTE_READY;
	SYS3(SYS_futex, &channel->zygote, FUTEX_WAKE, 1);
	zygote_loop();
}
