#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/cxx/cxx.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"
#include "runtime/state/state.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* The number of the thread of that name, which is not main; 0: it has none yet. */
static unsigned find_name(struct thread_name name)
{
	const struct channel *channel = rt->channel;

	for (unsigned i = 1; i < channel->nnames; i++)
		if (channel->names[i].parent == name.parent && channel->names[i].index == name.index)
			return i;
	return 0;
}

/*
 * The number of the running thread's next child.  Numbers are given to names
 * (parent, index), so a thread keeps its number in every execution, whatever the
 * order in which several threads create.
 */
static unsigned child_number(void)
{
	struct channel *channel = rt->channel;
	struct thread_name name = {.parent = (uint8_t)rt->current, .index = ++self()->nchildren};
	unsigned known = find_name(name);

	if (!known) {
		need_plan();
		known = find_name(name); /* meanwhile */
	}
	if (known)
		return known;
	if (channel->nnames == MAX_THREADS)
		end_execution(ENDING_THREADS);
	known = channel->nnames++;
	channel->names[known] = name;
	channel->trace.nthreads = channel->nnames;
	rt->threads[known].state = THREAD_FREE; /* the number may have been another's, whose name was taken back */
	return known;
}

/* … and a donor for it. */
static unsigned new_thread(void)
{
	unsigned number = child_number();

	if (number >= rt->donors.count)
		SYS1(SYS_exit_group, EXIT_DONORS);
	return number;
}

int thread_of(pthread_t handle)
{
	if ((uint64_t)handle == rt->donors.pointer[0])
		return 0;
	for (unsigned i = 1; i < rt->channel->nnames; i++)
		if ((uint64_t)handle == rt->donors.pointer[i])
			return rt->threads[i].state == THREAD_FREE ? -1 : (int)i;
	return -1;
}

static void assert_is_in_no_set(unsigned number)
{
	invariant(!(rt->schedule.live >> number & 1));
	invariant(!(rt->schedule.enabled >> number & 1));
	invariant(!(rt->schedule.blocking >> number & 1));
	invariant(!(rt->schedule.late >> number & 1));
	invariant(!(rt->await.waiting >> number & 1));
}

static void assert_is_starting(unsigned number)
{
	const struct thread *thread = &rt->threads[number];

	invariant(rt->schedule.live >> number & 1);
	invariant(!(rt->schedule.enabled >> number & 1));
	invariant(!(rt->schedule.blocking >> number & 1));
	invariant(thread->thread_pointer == rt->donors.pointer[number]);
	invariant(thread->sp - (STACK_ADDRESS + number * STACK_SIZE) < STACK_SIZE);
	invariant(!thread->joined);
}

/* What the scheduler's sets say of a thread that waits for its turn is what the thread says. */
static void assert_is_live(unsigned number)
{
	const struct thread *thread = &rt->threads[number];

	invariant(rt->schedule.live >> number & 1);
	invariant(thread->thread_pointer == rt->donors.pointer[number]);
	invariant(thread->pending.kind < EV_COUNT);
	invariant(thread->timed <= TIMED_LATE);
	invariant((rt->schedule.late >> number & 1) == (thread->timed == TIMED_LATE));
	invariant(!thread->waiting || rt->schedule.blocking >> number & 1);
	invariant(thread->await.waits == (rt->await.waiting >> number & 1));
}

static void assert_has_exited(unsigned number)
{
	const struct thread *thread = &rt->threads[number];

	assert_is_in_no_set(number);
	invariant(!(rt->schedule.sleep >> number & 1));
	invariant(thread->ending && thread->left && thread->stack_ended);
	invariant(!thread->sync.robust);
}

void thread_assert_state(unsigned number)
{
	invariant(number < MAX_THREADS);
	switch (rt->threads[number].state) {
	case THREAD_FREE: assert_is_in_no_set(number); break;
	case THREAD_STARTING: assert_is_starting(number); break;
	case THREAD_LIVE: assert_is_live(number); break;
	case THREAD_EXITED: assert_has_exited(number); break;
	default: invariant(!"a state of a thread");
	}
}

void thread_prepare(unsigned number, void *(*start)(void *), void *argument)
{
	struct thread *thread = &rt->threads[number];

	invariant(number < rt->donors.count);
	invariant(thread->state == THREAD_FREE);
	memset(thread, 0, offsetof(struct thread, message));
	thread->message[0] = 0;
	thread->state = THREAD_STARTING;
	thread->creator = (uint8_t)rt->current;
	thread->start = start;
	thread->argument = argument;
	thread->thread_pointer = rt->donors.pointer[number];
	thread->system.signal_mask = self()->system.signal_mask;
	thread->system.clock = self()->system.clock;
	thread->joins = self()->joins;
	if (number == 0) { /* who ran last in the execution before is not its creator */
		thread->system.clock = 0;
		thread->joins = 0;
		thread->cxx.destructors = rt->beginning.destructors;
		thread->sync.specific = rt->beginning.specific;
		thread->sync.nspecific = rt->beginning.nspecific;
		thread->system.signal_mask = 0;
	}
	thread->sp = arch_new_fiber(rt->donors.top[number]);
	state_of_another_changes(number);
	rt->schedule.live |= bit(number);
	rt->nthreads++;
	thread_assert_state(number);
	invariant(rt->nthreads <= rt->channel->nnames);
}

bool thread_has_ended(unsigned number)
{
	const struct thread *thread = &rt->threads[number];

	return thread->state == THREAD_EXITED || thread->detached || thread->joined;
}

void use_feature(enum feature feature)
{
	if (rt->phase != PHASE_RUN || rt->channel->features & feature)
		return;
	need_plan();
	rt->channel->features |= feature;
	announce_news();
}

void use_feature_with(enum feature feature, enum feature other)
{
	if (rt->phase != PHASE_RUN || rt->channel->features & feature)
		return;
	need_plan();
	rt->channel->features |= feature;
	if (rt->channel->features & other)
		announce_news();
}

/* Visible only where somebody may ask without waiting. */
static void announce_end(void)
{
	if (!(rt->channel->features & FEATURE_TRYJOIN))
		return;
	struct op op = {.kind = EV_THREAD_END, .object = rt->current, .target = rt->current};
	point(&op);
}

/*
 * Others have touched the stack, in this execution or another: its end is a visible
 * operation over what they touched, so that it is tried before and after their accesses.
 * From this operation on, and not from a later one with which their accesses do not conflict, nobody may touch it.
 */
static void end_stack(void)
{
	uint64_t first = rt->channel->stack_range[rt->current].first, end = rt->channel->stack_range[rt->current].end;
	struct op op = {.kind = EV_STACK_END,
			.object = rt->memory.stack_low + first * STACK_PIECE,
			.size = (uint32_t)((end - first) * STACK_PIECE)};

	if (first != end)
		point(&op);
	self()->stack_ended = true;
}

unsigned threads_to_leave(void)
{
	unsigned count = 0;

	for (uint64_t left = rt->schedule.live; left; left &= left - 1)
		count += !rt->threads[__builtin_ctzll(left)].left;
	return count;
}

static bool ready(const struct op *op)
{
	return thread_has_ended(op->target);
}

static enum event_kind kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	return op->kind == EV_TRYJOIN_FAIL && thread_has_ended(op->target) ? EV_TRYJOIN : op->kind;
}

static uint32_t missing(const struct op *op)
{
	(void)op;
	return threads_to_leave();
}

const struct primitive primitive_THREAD = {.ready = ready, .kind = kind, .missing = missing};

/* Is this the last thread?  Who is, is decided here. */
static bool is_last_to_leave(void)
{
	struct op op = {.kind = EV_THREAD_LEAVE, .object = MAX_THREADS, .target = rt->current};

	if (rt->current == 0)
		use_feature(FEATURE_MAIN_ENDS);
	if (rt->channel->features & FEATURE_MAIN_ENDS)
		point(&op);
	self()->left = true;
	return threads_to_leave() == 0;
}

void thread_finish(void *result)
{
	struct op op = {.kind = EV_EXIT, .target = rt->current};

	self()->ending = true;
	run_thread_destructors();
	keys_run_destructors();
	mutexes_abandon();
	self()->result = result;
	end_stack();
	if (is_last_to_leave()) {
		self()->stack_ended = false; /* exit handlers run on it */
		exit(0); /* the last thread ends the process */
	}
	announce_end();
	local_event(&op);
	schedule_away();
}

void fiber_main(void)
{
	struct thread *thread = self();
	void *result;

	set_local_state((uint64_t)thread->start, (uint64_t)thread->argument, 0);
	result = thread->start(thread->argument);
	set_local_state(0, (uint64_t)result, OUTSIDE_CALL);
	leaks_forget_frames();
	if (rt->current == 0)
		exit((int)(long)result);
	thread_finish(result);
}

static void check_stack_size(const pthread_attr_t *attributes)
{
	size_t size = 0;

	if (attributes)
		pthread_attr_getstacksize(attributes, &size);
	if (size > STACK_SIZE) /* smaller ones get as much as all */
		anomaly(EV_REFUSED, "a thread with a stack of more than 8 MiB is not supported");
}

static bool wants_detached(const pthread_attr_t *attributes)
{
	int state = PTHREAD_CREATE_JOINABLE;

	if (attributes)
		pthread_attr_getdetachstate(attributes, &state);
	return state == PTHREAD_CREATE_DETACHED;
}

/* The mask that the attributes give the thread instead of its creator's. */
static void set_signal_mask(struct thread *thread, const pthread_attr_t *attributes)
{
	sigset_t mask;

	if (attributes && pthread_attr_getsigmask_np(attributes, &mask) == 0)
		thread->system.signal_mask = mask.__val[0];
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	struct op op = make_op(EV_CREATE, (void *)start);
	pthread_attr_t own;

	if (rt->phase == PHASE_START)
		anomaly(EV_REFUSED, "pthread_create before main (in a constructor) is not supported");
	if (rt->phase == PHASE_EXIT)
		anomaly(EV_REFUSED, "pthread_create while the process exits is not supported");
	if (attributes) {
		read_in(&own, attributes, sizeof own);
		attributes = &own;
	}
	check_stack_size(attributes);
	op.target = new_thread();
	/* the C library stores it before the thread runs, and programs rely on that */
	__inspect_write(handle, sizeof *handle, op.site);
	*handle = (pthread_t)rt->donors.pointer[op.target];
	local_event(&op);
	thread_prepare(op.target, start, argument);
	rt->threads[op.target].detached = wants_detached(attributes);
	set_signal_mask(&rt->threads[op.target], attributes);
	switch_to(op.target); /* until its first visible operation */
	return 0;
}

/* The target of a join; -1 and *error if there is none. */
static int join_target(pthread_t handle, int *error)
{
	int target = thread_of(handle);

	if (target < 0)
		anomaly(EV_MISUSE, "pthread_join of a handle that is no thread");
	*error = (unsigned)target == rt->current ? EDEADLK : 0;
	return *error ? -1 : target;
}

static int finish_join(struct thread *thread, void **result, uint32_t site)
{
	if (thread->detached || thread->joined)
		anomaly(EV_MISUSE, thread->joined ? "pthread_join of a thread that was joined already"
						  : "pthread_join of a detached thread");
	invariant(rt->phase != PHASE_RUN || thread->state == THREAD_EXITED);
	thread->joined = true;
	state_of_another_changes((unsigned)(thread - rt->threads));
	self()->joins |= thread->joins | bit((unsigned)(thread - rt->threads));
	if (thread->system.clock > self()->system.clock)
		self()->system.clock = thread->system.clock;
	if (result) {
		__inspect_write(result, sizeof *result, site);
		*result = thread->result;
	}
	return 0;
}

static struct op join_op(enum event_kind kind, int target)
{
	struct op op = make_op(kind, (void *)(uint64_t)target);

	op.target = (uint32_t)target;
	return op;
}

int pthread_join(pthread_t handle, void **result)
{
	int error, target = join_target(handle, &error);

	if (error)
		return error;
	struct op op = join_op(EV_JOIN, target);
	if (self()->atomic_depth) /* the end of a thread is in no race, so nothing would tell that it might have to wait */
		use_feature(FEATURE_BLOCK_WAITS);
	cancellation_point();
	make_cancellable(&op);
	struct event *event = point(&op);
	if (event && event->op.kind == EV_JOIN_CANCELLED)
		act_on_cancel();
	return finish_join(&rt->threads[target], result, op.site);
}

int pthread_tryjoin_np(pthread_t handle, void **result)
{
	int error, target = join_target(handle, &error);

	if (error)
		return error;
	struct op op = join_op(EV_TRYJOIN_FAIL, target);
	use_feature(FEATURE_TRYJOIN);
	struct event *event = point(&op);
	if (event && event->op.kind == EV_TRYJOIN_FAIL)
		return EBUSY;
	return finish_join(&rt->threads[target], result, op.site);
}

int STATEFUL(pthread_clockjoin_np)(pthread_t handle, void **result, clockid_t clock, const struct timespec *until)
{
	int error, target = join_target(handle, &error);
	struct timespec own;

	if (!until)
		return pthread_join(handle, result);
	if (error)
		return error;
	read_in(&own, until, sizeof own);
	until = &own;
	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || !time_is_valid(until))
		return EINVAL;
	struct op op = join_op(EV_JOIN, target);
	use_feature(FEATURE_TRYJOIN);
	cancellation_point();
	make_cancellable(&op);
	struct event *event = timed_point(&op, timeout_mode(clock, until));
	if (event && event->op.kind == EV_JOIN_CANCELLED)
		act_on_cancel();
	if (!event || !is_timeout(event->op.kind))
		return finish_join(&rt->threads[target], result, op.site);
	timeout_happened(clock, until);
	return ETIMEDOUT;
}

int STATEFUL(pthread_timedjoin_np)(pthread_t handle, void **result, const struct timespec *until)
{
	return STATEFUL(pthread_clockjoin_np)(handle, result, CLOCK_REALTIME, until);
}

int pthread_detach(pthread_t handle)
{
	int target = thread_of(handle);

	if (target < 0)
		anomaly(EV_MISUSE, "pthread_detach of a handle that is no thread");
	struct op op = join_op(EV_DETACH, target);
	point(&op);
	struct thread *thread = &rt->threads[target];
	if (thread->detached || thread->joined)
		anomaly(EV_MISUSE, thread->joined ? "pthread_detach of a thread that was joined already"
						  : "pthread_detach of a thread that is detached already");
	thread->detached = true;
	reconsider_object((uint64_t)target);
	return 0;
}

void pthread_exit(void *result)
{
	if (rt->phase != PHASE_RUN)
		anomaly(EV_REFUSED, "pthread_exit outside a running thread");
	unwind_thread(result);
}
