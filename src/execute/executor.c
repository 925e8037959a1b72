#define _GNU_SOURCE
#include "execute/executor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "execute/guest.h"
#include "execute/input.h"
#include "execute/journal.h"

enum { BETWEEN_LOOKS = 8 }; /* of a watcher: what it looks at is being written */
enum { SPIN = 40000 }; /* a few times as long as a long execution and its analysis take */

#define START_SECONDS 30.0
#define LOOK_NANOSECONDS 50000000 /* how often a waiting explorer looks around */
#define END_SECONDS 0.5 /* for the zygote to go by itself */

static struct executor *running; /* for the clean-up when the command dies */

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What enum executor_state says of each. */
static void assert_state(const struct executor *executor, enum executor_state state)
{
	const struct channel *channel = executor->channel;

	invariant(executor->state == state);
	invariant((state == EXECUTOR_NONE) == !channel);
	if (state == EXECUTOR_NONE)
		invariant(!executor->pid && !executor->taken);
	if (state == EXECUTOR_READY) {
		invariant(executor->pid > 0 && channel->zygote == ZYGOTE_READY);
		invariant(channel->response == channel->request);
	}
	if (channel)
		invariant(executor->ntaken <= executor->taken_size && channel->nnames &&
			  channel->nnames <= MAX_THREADS);
}

static int make_memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		failure("cannot create memory for the program: %s", strerror(errno));
	return fd;
}

static void make_channel(struct executor *executor, const struct run_options *options)
{
	struct channel *channel;

	executor->channel_fd = make_memory_file("inspect-channel");
	executor->stdout_fd = make_memory_file("inspect-stdout");
	executor->stderr_fd = make_memory_file("inspect-stderr");
	fcntl(executor->stdout_fd, F_SETFL, O_APPEND);
	fcntl(executor->stderr_fd, F_SETFL, O_APPEND);
	if (ftruncate(executor->channel_fd, sizeof *channel))
		failure("cannot create memory for the program: %s", strerror(errno));
	/* a guest looks for it where the program has it */
	void *place = options->guest ? (void *)CHANNEL_ADDRESS : NULL;
	channel = mmap(place, sizeof *channel, PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED_NOREPLACE : 0),
		       executor->channel_fd, 0);
	if (channel == MAP_FAILED || (place && channel != place))
		failure("cannot map memory for the program: %s", strerror(errno));
	channel->magic = CHANNEL_MAGIC;
	channel->layout = CHANNEL_LAYOUT;
	channel->isolation = options->isolation;
	channel->max_steps = options->max_steps;
	channel->modes = options->modes;
	channel->profiling = options->profile;
	/* the oracle is not to depend on what is thought private */
	channel->seed = options->seed;
	channel->no_awaits = options->no_awaits;
	channel->all_shared = options->all_visible;
	channel->leaks = options->leaks;
	channel->stateful = options->stateful;
	channel->exact_states = options->exact_states;
	channel->one_core = cores_count() == 1;
	channel->spin = SPIN;
	channel->stdout_fd = executor->stdout_fd;
	channel->stderr_fd = executor->stderr_fd;
	channel->nnames = 1;
	if (options->guest)
		guest_invite(&channel->guest);
	executor->channel = channel;
	executor->patience.spin = channel->spin;
}

static void child_exec(const struct executor *executor, const struct run_options *options, int report)
{
	char number[16];

	if (options->environment) {
		environ = options->environment;
		close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
	}
	setpgid(0, 0); /* the terminal's Ctrl-C is for the explorer alone */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != executor->explorer_pid)
		_exit(125); /* it died before that took effect */
	if (executor->channel->input == INPUT_FILE)
		executor->channel->input = input_make_own();
	if (executor->channel->input != INPUT_FILE) {
		int null = open("/dev/null", O_RDONLY);
		dup2(null, STDIN_FILENO);
		close(null);
	}
	guest_bring(&executor->channel->guest);
	fcntl(executor->channel_fd, F_SETFD, 0);
	fcntl(executor->stdout_fd, F_SETFD, 0);
	fcntl(executor->stderr_fd, F_SETFD, 0);
	snprintf(number, sizeof number, "%d", executor->channel_fd);
	setenv(CHANNEL_VARIABLE, number, 1);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	execv(options->program, options->argv);
	int error = errno;
	if (write(report, &error, sizeof error) < 0)
		_exit(126);
	_exit(127);
}

static void await_zygote(struct executor *executor, const char *program)
{
	struct channel *channel = executor->channel;
	double deadline = seconds_now() + START_SECONDS;
	struct timespec look = {.tv_nsec = LOOK_NANOSECONDS};

	while (__atomic_load_n(&channel->zygote, __ATOMIC_ACQUIRE) == ZYGOTE_STARTING) {
		syscall(SYS_futex, &channel->zygote, FUTEX_WAIT, ZYGOTE_STARTING, &look, NULL, 0);
		if (waitpid(executor->pid, NULL, WNOHANG) == executor->pid) {
			executor->pid = 0;
			if (channel->zygote != ZYGOTE_STARTING || channel->program_layout)
				break;
			die("%s ended before its main function: is it built with `inspect cc` of this version?",
			    program);
		}
		if (stop_due())
			return; /* EXECUTOR_LEFT */
		if (seconds_now() > deadline)
			die("%s does not reach its main function within %.0f s", program, START_SECONDS);
	}
	if (channel->zygote == ZYGOTE_READY) {
		executor->state = EXECUTOR_READY;
		return;
	}
	if (channel->program_layout != CHANNEL_LAYOUT)
		die("%s was built by another version of inspect: build it again", program);
	die("%s cannot be run: %s", program, channel->trace.message);
}

/* The program is to be loaded at the same addresses each time: for replay, and for names in reports. */
static void fix_addresses(void)
{
	static bool warned;

	if (personality(ADDR_NO_RANDOMIZE) >= 0 || warned)
		return;
	warned = true;
	warn("the system does not let address randomisation be switched off: replay may not work");
}

static void stop_running(void)
{
	if (running)
		executor_stop(running);
}

void executor_start(struct executor *executor, const struct run_options *options)
{
	int report[2], error = 0;
	static bool registered;

	invariant(options->max_steps && options->max_steps <= MAX_EVENTS);
	*executor = (struct executor){.state = EXECUTOR_LEFT, .watchdog = options->watchdog};
	if (options->isolation == ISOLATION_SNAPSHOT && !options->exact_states)
		executor->resume.distance = options->resume_points;
	make_channel(executor, options);
	executor->channel->input = options->no_input ? INPUT_NONE : input_kind();
	executor->channel->files_refused = options->shares_files;
	if (pipe2(report, O_CLOEXEC))
		failure("cannot create a pipe: %s", strerror(errno));
	fix_addresses();
	fflush(NULL);
	executor->explorer_pid = getpid();
	int pid = fork(); /* (the executor may be in memory that the child shares with us) */
	if (pid < 0)
		failure("cannot start a process: %s", strerror(errno));
	if (pid == 0)
		child_exec(executor, options, report[1]);
	executor->pid = pid;
	running = executor;
	if (!registered)
		on_trouble(stop_running);
	registered = true;
	close(report[1]);
	if (read(report[0], &error, sizeof error) == sizeof error)
		die("cannot run %s: %s", options->program, strerror(error));
	close(report[0]);
	await_zygote(executor, options->program);
	guest_close(&executor->channel->guest);
}

/* Let the zygote bury the executor and go by itself, so that nobody inherits a dead child; or end it. */
static void end_zygote(struct executor *executor)
{
	struct channel *channel = executor->channel;
	struct timespec moment = {.tv_nsec = 200000};

	channel->quit = 1;
	if (channel->executor_pid > 0)
		kill(channel->executor_pid, SIGKILL);
	syscall(SYS_futex, &channel->request, FUTEX_WAKE, 1, NULL, NULL, 0);
	/* (one that has not come to its main looks at nothing) */
	double seconds = channel->zygote == ZYGOTE_STARTING ? 0 : END_SECONDS;
	for (double deadline = seconds_now() + seconds; seconds_now() < deadline;) {
		if (waitpid(executor->pid, NULL, WNOHANG))
			return;
		nanosleep(&moment, NULL);
	}
	kill(executor->pid, SIGKILL);
	while (waitpid(executor->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Of an execution that was interrupted. */
static void put_files_back(struct channel *channel)
{
	char *wrong = channel->journal.last ? journal_undo(&channel->journal) : NULL;

	if (wrong)
		warn("a file that the program changed cannot be put back: %s", wrong);
	free(wrong);
}

void executor_stop(struct executor *executor)
{
	struct channel *channel = executor->channel;

	if (!channel)
		return;
	if (executor->pid > 0)
		end_zygote(executor);
	put_files_back(channel);
	cores_release(&executor->cores);
	munmap(channel, sizeof *channel);
	close(executor->channel_fd);
	close(executor->stdout_fd);
	close(executor->stderr_fd);
	memory_free(executor->taken);
	executor->taken = NULL;
	executor->channel = NULL;
	executor->pid = 0;
	executor->state = EXECUTOR_NONE;
	assert_state(executor, EXECUTOR_NONE);
	if (running == executor)
		running = NULL;
}

/* --- one execution --- */

static bool has_answered(const struct channel *channel)
{
	return __atomic_load_n(&channel->response, __ATOMIC_ACQUIRE) == channel->request;
}

static void await_briefly(struct channel *channel)
{
	struct timespec look = {.tv_nsec = LOOK_NANOSECONDS};

	__atomic_store_n(&channel->explorer_sleeps, 1, __ATOMIC_SEQ_CST);
	uint32_t seen = __atomic_load_n(&channel->response, __ATOMIC_SEQ_CST);
	if (seen != channel->request)
		syscall(SYS_futex, &channel->response, FUTEX_WAIT, seen, &look, NULL, 0);
	__atomic_store_n(&channel->explorer_sleeps, 0, __ATOMIC_SEQ_CST);
}

/* The executor has been silent for too long: ask it where it is, then end it. */
static void end_hanging(struct executor *executor)
{
	struct channel *channel = executor->channel;
	double deadline = seconds_now() + 1;

	kill(channel->executor_pid, WATCHDOG_SIGNAL);
	while (!has_answered(channel) && seconds_now() < deadline && !stop_due())
		await_briefly(channel);
	if (has_answered(channel) || stop_due())
		return;
	kill(channel->executor_pid, SIGKILL);
	while (!has_answered(channel) && seconds_now() < deadline + 2)
		await_briefly(channel);
	if (!has_answered(channel))
		failure("the program's process %d cannot be ended", channel->executor_pid);
	channel->trace.ending = ENDING_HANG;
}

/* (What the executor sets in an event after it has taken effect comes before the next event.) */
static void look(const struct executor *executor)
{
	const struct trace *trace = &executor->channel->trace;
	uint32_t nevents = __atomic_load_n(&trace->nevents, __ATOMIC_ACQUIRE);

	invariant(nevents <= MAX_EVENTS + MAX_THREADS);
	executor->watcher->look(executor->watcher->context, trace, nevents ? nevents - 1 : 0);
}

/*
 * It is time to stop. The guest notices as well, and comes to an end with what it does; an execution may have none, and goes
 * on meanwhile.
 */
static bool leave(const struct executor *executor)
{
	struct channel *channel = executor->channel;

	while (!has_answered(channel) && __atomic_load_n(&channel->guest.at_work, __ATOMIC_SEQ_CST))
		await_briefly(channel);
	return has_answered(channel);
}

/* Something that changes while the program gets anywhere. */
static uint64_t progress(const struct channel *channel)
{
	return __atomic_load_n(&channel->trace.nevents, __ATOMIC_RELAXED) +
	       (MAX_EVENTS + MAX_THREADS) * __atomic_load_n(&channel->guest.executions, __ATOMIC_RELAXED);
}

static void cannot_go_on(const struct channel *channel) __attribute__((noreturn));
static void cannot_go_on(const struct channel *channel)
{
	if (channel->guest.broken)
		invariant_failed(channel->guest.broken);
	failure("the program cannot go on: %s",
		channel->zygote == ZYGOTE_FAILED ? channel->trace.message : "its first process has died");
}

/* False when it is time to stop. */
static bool await_answer(struct executor *executor)
{
	struct channel *channel = executor->channel;
	uint64_t seen = 0;
	double since = seconds_now();

	struct waiting_turn turn = patience_begin(&executor->patience, channel, channel->executor_core);
	if (!channel->one_core)
		cores_turn(&executor->cores, turn.together, since, channel->executor_core);
	while (turn.look++ < turn.looks) {
		if (has_answered(channel)) {
			patience_learn(&executor->patience, channel, &turn, true);
			return true;
		}
		if (stop_due())
			return leave(executor);
		if (patience_yields(&turn))
			sched_yield();
		else if (executor->watcher && turn.look % BETWEEN_LOOKS == 0)
			look(executor);
		else
			__builtin_ia32_pause();
	}
	patience_learn(&executor->patience, channel, &turn, false);
	if (!channel->one_core)
		cores_in_vain(&executor->cores, since, channel->executor_core);
	while (!has_answered(channel)) {
		await_briefly(channel);
		double now = seconds_now();
		if (progress(channel) != seen) {
			seen = progress(channel);
			since = now;
		}
		if (executor->onlooker.look)
			executor->onlooker.look(executor->onlooker.context);
		if (stop_due())
			return leave(executor);
		if (now - since > executor->watchdog && !has_answered(channel))
			end_hanging(executor);
		if (waitpid(executor->pid, NULL, WNOHANG) == executor->pid) {
			executor->pid = 0;
			cannot_go_on(channel);
		}
	}
	return true;
}

static void profile_request(struct executor *executor)
{
	uint64_t now = ticks_now();

	if (executor->answered)
		span_add(&executor->channel->profile.analysis, now - executor->answered);
	else
		executor->started = now;
	executor->channel->profile.requested = now;
}

static void profile_answer(struct executor *executor)
{
	struct profile *profile = &executor->channel->profile;

	executor->answered = ticks_now();
	span_add(&profile->answer, executor->answered - profile->requested);
}

struct shares executor_shares(const struct executor *executor, double seconds)
{
	const struct profile *profile = &executor->channel->profile;
	double whole = (double)(ticks_now() - executor->started);

	return (struct shares){.run = (double)profile->run.sum / whole,
			       .reset = (double)profile->late / whole,
			       .analysis = (double)profile->analysis.sum / whole,
			       .whole_reset = (double)profile->reset.sum / whole,
			       .fastest_run = (double)profile->run.least / whole * seconds,
			       .fastest_reset = (double)profile->reset.least / whole * seconds,
			       .fastest_analysis = (double)profile->analysis.least / whole * seconds,
			       .capture = (double)profile->capture.sum / whole,
			       .fastest_answer = (double)profile->answer.least / whole * seconds,
			       .resumed = profile->resumed,
			       .ahead = profile->ahead,
			       .given_up = profile->given_up};
}

void executor_share_memory(struct executor *executor)
{
	struct channel *channel = executor->channel;

	executor_forget(executor);
	channel->all_shared = 1;
	if (fallocate(executor->channel_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      offsetof(struct channel, owners), sizeof channel->owners))
		failure("cannot clear memory for the program: %s", strerror(errno));
}

static bool run_once(struct executor *executor)
{
	struct channel *channel = executor->channel;

	assert_state(executor, EXECUTOR_READY);
	executor->state = EXECUTOR_RUNNING;
	channel->trace.ending = ENDING_NONE;
	channel->trace.nevents = 0;
	if (channel->profiling)
		profile_request(executor);
	channel->explorer_core = core_now();
	__atomic_store_n(&channel->request, channel->request + 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&channel->executor_sleeps, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &channel->request, FUTEX_WAKE, 1, NULL, NULL, 0);
	bool answered = await_answer(executor);
	if (channel->zygote == ZYGOTE_FAILED)
		cannot_go_on(channel);
	executor->state = answered ? EXECUTOR_READY : EXECUTOR_LEFT;
	invariant(!answered || channel->trace.ending != ENDING_NONE);
	invariant(channel->trace.nevents <= MAX_EVENTS + MAX_THREADS);
	if (channel->profiling)
		profile_answer(executor);
	/* until the next request no program makes a system call, even one that runs ahead */
	char *wrong = answered && channel->journal.last ? journal_undo(&channel->journal) : NULL;
	if (wrong)
		failure("a file that the program changed cannot be put back: %s", wrong);
	return answered;
}

/* --- what two executions have in common --- */

void executor_forget(struct executor *executor)
{
	executor->ntaken = 0;
}

uint32_t executor_common(const struct executor *executor, const struct plan *plan)
{
	uint32_t limit = plan->nsteps ? plan->nsteps - 1 : 0, i = 0;

	if (limit > executor->ntaken)
		limit = executor->ntaken;
	while (i < limit && steps_are_same(plan->steps[i], executor->taken[i]))
		i++;
	invariant(!i || i < plan->nsteps); /* the last step is not one that they have in common */
	return i;
}

/* After a replay, or when something was learned, events may come differently even where the steps are the same. */
static bool is_reliable(const struct channel *channel)
{
	return !channel->news && !(channel->plan.flags & PLAN_VALUES) && channel->trace.ending != ENDING_KILLED;
}

static void keep_taken(struct executor *executor)
{
	const struct trace *trace = &executor->channel->trace;

	executor->ntaken = 0;
	if (!is_reliable(executor->channel))
		return;
	executor->taken = array_grow(executor->taken, &executor->taken_size, trace->nevents, sizeof *executor->taken);
	for (uint32_t i = executor->common; i < trace->nevents; i++)
		executor->taken[i] = event_step(&trace->events[i]);
	executor->ntaken = trace->nevents;
	invariant(executor->ntaken <= executor->taken_size);
}

/* --- plans --- */

/* Steps that the last plan gave as well are not written: somebody may be running ahead along them. */
static void hand_over(struct executor *executor, const struct plan *plan)
{
	struct channel_plan *to = &executor->channel->plan;
	uint32_t common = executor->common, there = to->nsteps < common ? to->nsteps : common;

	invariant(plan->nsteps + (uint64_t)plan->nguided <= MAX_EVENTS + MAX_THREADS);
	to->nsteps = plan->nsteps;
	to->nguided = plan->nguided;
	to->flags = plan->flags;
	to->common = common;
	to->sleep = plan->sleep;
	/* (who has a guest does not run ahead: there is nobody to wait for) */
	to->sure = executor->resume.distance && common + 1 >= plan->nsteps && !executor->channel->guest.go_on
			   ? plan->sure
			   : 0;
	memcpy(to->watch, plan->watch, sizeof to->watch);
	for (uint32_t i = there; i < plan->nsteps + plan->nguided; i++)
		to->steps[i] = plan->steps[i];
	resume_points_ask(&executor->resume, to);
}

void executor_has_run(struct executor *executor, struct run *run)
{
	keep_taken(executor);
	*run = (struct run){.trace = &executor->channel->trace, .common = executor->common};
}

void executor_ask(struct executor *executor, const struct plan *plan)
{
	invariant(executor->state == EXECUTOR_RUNNING);
	executor->common = executor_common(executor, plan);
	hand_over(executor, plan);
	executor->channel->trace.ending = ENDING_NONE;
	executor->channel->trace.nevents = 0;
}

static bool run_plan(struct executor *executor, const struct plan *plan)
{
	const struct channel *channel = executor->channel;

	executor->common = executor_common(executor, plan);
	hand_over(executor, plan);
	bool answered = run_once(executor);
	while (answered && channel->trace.ending == ENDING_AGAIN) {
		if (executor->watcher)
			executor->watcher->forget(executor->watcher->context);
		executor->watcher = NULL;
		answered = run_once(executor);
	}
	executor->guest_lost = __atomic_exchange_n(&executor->channel->guest.at_work, 0, __ATOMIC_SEQ_CST);
	if (executor->guest_lost) {
		executor->taken = NULL;
		executor->taken_size = executor->ntaken = 0;
	} else if (answered) {
		keep_taken(executor);
	}
	return answered;
}

/* Perhaps from outside: one that is killed again in the same execution is not. */
static bool was_killed(const struct executor *executor)
{
	return !executor->guest_lost && executor->channel->trace.ending == ENDING_KILLED;
}

bool execute(struct executor *executor, const struct plan *plan, const struct watcher *watcher, struct run *run)
{
	debug_invariant(plan_is_valid(plan));
	if (stop_due())
		return false;
	invariant(!executor->watcher);
	executor->watcher = watcher;
	bool ran = run_plan(executor, plan);
	uint64_t before = UINT64_MAX;
	executor->watcher = NULL;
	while (was_killed(executor) && ran && executor->channel->guest.executions != before) {
		before = executor->channel->guest.executions;
		if (watcher)
			watcher->forget(watcher->context);
		ran = run_plan(executor, plan);
	}
	*run = (struct run){.trace = &executor->channel->trace, .common = executor->common};
	return ran;
}

char *executor_output(int fd, uint32_t size)
{
	char *text = xmalloc(size + 1ul);
	ssize_t got = pread(fd, text, size, 0);

	text[got > 0 ? got : 0] = 0;
	return text;
}
