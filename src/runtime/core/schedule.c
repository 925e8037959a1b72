#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/await/await.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/core/thread.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"
#include "runtime/state/state.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/*
 * Copy field by field.  The fields have just been written one by one, and a wider load would have to
 * wait until all stores before it, to the trace among them, have reached the cache: which another
 * core reads the trace from.
 */
static inline void copy_op(struct op *to, const volatile struct op *from)
{
	to->kind = from->kind;
	to->order = from->order;
	to->choices = from->choices;
	to->site = from->site;
	to->object = from->object;
	to->object2 = from->object2;
	to->size = from->size;
	to->target = from->target;
}

static void update_enabled(unsigned thread)
{
	if (pending_is_enabled(&rt->threads[thread]))
		rt->schedule.enabled |= bit(thread);
	else
		rt->schedule.enabled &= ~bit(thread);
}

void reconsider_object(uint64_t object)
{
	for (uint64_t left = rt->schedule.blocking; left; left &= left - 1) {
		unsigned i = __builtin_ctzll(left);
		if (rt->threads[i].pending.object == object)
			update_enabled(i);
	}
}

void reconsider_thread(unsigned thread)
{
	invariant(thread < MAX_THREADS);
	if (rt->threads[thread].state == THREAD_LIVE && thread != rt->current)
		update_enabled(thread);
}

void reconsider_all(void)
{
	for (uint64_t left = rt->schedule.live & ~bit(rt->current); left; left &= left - 1)
		reconsider_thread((unsigned)__builtin_ctzll(left));
}

/* For reports only: the memory may be gone by now, and that must not matter. */
static uint64_t peek_value(uint64_t address, uint32_t size)
{
	uint64_t value = 0;
	struct iovec to = {&value, size < 8 ? size : 8}, from = {(void *)address, to.iov_len};

	if (address >= STREAM_ADDRESS) /* an object without a place in memory */
		return 0;
	long got = SYS6(SYS_process_vm_readv, SYS0(SYS_getpid), &to, 1, &from, 1, 0);
	if (got == -EPERM || got == -ENOSYS) {
		rt->memory.touching = true;
		for (uint32_t i = 0; i < to.iov_len; i++)
			value |= (uint64_t)((volatile uint8_t *)address)[i] << 8 * i;
		rt->memory.touching = false;
	}
	return value;
}

static void record_value_after(void)
{
	if (!rt->schedule.last_access)
		return;
	uint32_t i = rt->schedule.last_access - 1;
	invariant(i < rt->nevents);
	rt->schedule.last_access = 0;
	const struct op *op = &the_trace()->events[i].op;
	the_trace()->after[i] = peek_value(op->object, op->size);
}

static void publish_pending(void)
{
	uint32_t n = 0;

	for (uint64_t left = rt->schedule.live; left; left &= left - 1) {
		unsigned i = __builtin_ctzll(left);
		const struct thread *thread = &rt->threads[i];
		if (thread->state != THREAD_LIVE)
			continue;
		invariant(n < MAX_THREADS);
		the_trace()->pending[n] = (struct pending){.op = thread->pending,
							   .thread = (uint8_t)i,
							   .enabled = (rt->schedule.enabled >> i & 1) != 0,
							   .waiting = thread->waiting,
							   .timed = thread->timed != TIMED_NO};
		the_trace()->pending[n].op.kind = (uint8_t)pending_kind(thread);
		if (the_trace()->pending[n].op.kind == EV_TIMEOUT)
			the_trace()->pending[n].instead = thread->pending.kind;
		if (thread->await.waits && !thread->await.ready) {
			the_trace()->pending[n].await = await_publish(thread);
			the_trace()->pending[n].op.kind = EV_SPIN;
			the_trace()->pending[n].instead = thread->pending.kind;
		}
		if (thread->pending.kind == EV_RESUME && !the_trace()->pending[n].enabled)
			the_trace()->pending[n].op.kind = EV_SPIN;
		n++;
	}
	the_trace()->npending = n;
}

static void end_standalone(enum ending ending) __attribute__((noreturn));
static void end_standalone(enum ending ending)
{
	if (ending == ENDING_EXIT)
		SYS1(SYS_exit_group, the_trace()->exit_status);
	text_write("inspect: ");
	text_write(ending == ENDING_DEADLOCK ? "deadlock: no thread can go on" : the_trace()->message);
	text_write("\n");
	SYS1(SYS_exit_group, 134);
	__builtin_unreachable();
}

void end_execution(enum ending ending)
{
	uint64_t abandoned;

	invariant(ending != ENDING_NONE);
	need_plan();
	if (ending == ENDING_EXIT && rounds_are_redundant())
		ending = ENDING_SPUN; /* there is one in which it had not begun the round */
	the_trace()->running = rt->current;
	the_trace()->site = rt->current_site;
	the_trace()->ending = ending;
	if (rt->standalone)
		end_standalone(ending);
	rt->phase = PHASE_IDLE;
	record_value_after();
	if (is_stateful())
		state_capture();
	if (rt->schedule.atomic_owner >=
	    0) { /* the process ended in an atomic block: others could have gone on before it */
		rt->schedule.atomic_owner = -1;
		reconsider_all();
	}
	publish_pending();
	arch_switch(&abandoned, rt->executor.loop_sp, rt->donors.pointer[0]);
	__builtin_unreachable();
}

_Noreturn void invariant_failed(const char *what)
{
	fail_execution(what);
}

void fail_execution(const char *message)
{
	need_plan();
	text_copy(the_trace()->message, MAX_MESSAGE, message);
	if (rt->phase != PHASE_RUN && rt->phase != PHASE_EXIT) {
		rt->channel->zygote = ZYGOTE_FAILED;
		SYS1(SYS_exit_group, EXIT_BROKEN);
	}
	end_execution(ENDING_FAILED);
}

static __attribute__((noinline, cold)) void diverge(struct event event)
{
	if (rt->course.ahead)
		ahead_give_up(); /* it may have been led astray by a plan that is being made */
	the_trace()->divergence = rt->nevents;
	the_trace()->diverged = event;
	end_execution(ENDING_DIVERGED);
}

static inline bool same_event(const struct event *a, const struct event *b)
{
	return a->thread == b->thread && a->op.kind == b->op.kind && a->op.object == b->op.object &&
	       a->op.site == b->op.site && a->op.size == b->op.size && a->op.choices == b->op.choices;
}

/* Threads that slept because of something this operation changes wake up. */
static void filter_sleep(const struct op *op)
{
	rt->schedule.sleep &= ~bit(rt->current);
	for (uint64_t left = rt->schedule.sleep; left; left &= left - 1) {
		unsigned i = __builtin_ctzll(left);
		struct op asleep = rt->threads[i].pending;
		asleep.kind = (uint8_t)pending_kind_after_others(&rt->threads[i]);
		/* what an atomic block will do is not known when it begins, nor when it goes on after a wait */
		if (asleep.kind == EV_ATOMIC_BEGIN || rt->threads[i].atomic_depth || ops_conflict(&asleep, op))
			rt->schedule.sleep &= ~bit(i);
	}
}

/* For reports: the value before a memory access, and the call stacks that were asked for. */
static void record_details(struct event *event, uint32_t n)
{
	if (event_table[event->op.kind].object_class == OBJECT_MEMORY) {
		event->value = peek_value(event->op.object, event->op.size);
		rt->schedule.last_access = n + 1;
	}
	if (event->op.kind == EV_CRASH) /* on an emergency stack, with registers that may hold anything */
		return;
	for (unsigned i = 0; i < 2; i++)
		if (the_plan()->watch[i] == n + 1)
			stack_capture(the_trace()->stacks[i]);
}

/* The lines of the trace are with the explorer's core: ask for them before they are needed. */
static inline void prepare_place(const struct event *place, uint32_t n)
{
	enum { AHEAD = 6 };

	if (n + AHEAD + 1 >= rt->course.nsteps)
		__builtin_prefetch(place + AHEAD, 1);
}

static inline void put_event(struct event *place, const struct event *event)
{
	place->op.kind = event->op.kind;
	place->op.order = event->op.order;
	place->op.choices = event->op.choices;
	place->op.site = event->op.site;
	place->op.object = event->op.object;
	place->op.object2 = event->op.object2;
	place->op.size = event->op.size;
	place->op.target = event->op.target;
	place->thread = event->thread;
	place->forced = event->forced;
	place->opens = false; /* until the write is looked at (sync/objects.c) */
	place->choice = event->choice;
	place->instead = event->instead;
	place->enabled = event->enabled;
	place->sleep = event->sleep;
	place->value = event->value;
}

/*
 * Append the event to the trace before it takes effect.  Where an earlier trace
 * of the same steps is still in place, it must say the same, and stays.
 * (Inline, so that the argument is in registers and never in memory.)
 */
static inline __attribute__((always_inline)) struct event *record(const struct event *event)
{
	uint32_t n = rt->nevents;
	struct event *place = &the_trace()->events[n];

	prepare_place(place, n);
	if (__builtin_expect(rt->standalone, 0)) { /* nobody reads the trace, and it may be of any length */
		put_event(place, event);
		return place;
	}
	if (__builtin_expect(n >= rt->channel->max_steps, 0) && !event_is(event->op.kind, EV_END))
		end_execution(ENDING_STEPS);
	if (n < rt->course.common) {
		if (__builtin_expect(!same_event(place, event), 0))
			diverge(*event);
	} else {
		put_event(place, event);
	}
	debug_invariant(n < MAX_EVENTS + MAX_THREADS);
	debug_invariant(place->thread == rt->current);
	rt->nevents = n + 1;
	if (__builtin_expect(!rt->course.ahead, 1))
		__atomic_store_n(&the_trace()->nevents, n + 1, __ATOMIC_RELEASE);
	if (rt->schedule.sleep)
		filter_sleep(&place->op);
	if (__builtin_expect(rt->course.flags & PLAN_VALUES, 0))
		record_details(place, n);
	return place;
}

void local_event(const struct op *op)
{
	uint32_t n = rt->nevents;
	struct event event = {.thread = (uint8_t)rt->current, .forced = 1, .enabled = bit(rt->current)};

	debug_invariant(event_is(op->kind, EV_LOCAL) || event_is(op->kind, EV_END));
	if (rt->phase != PHASE_RUN)
		return;
	if (__builtin_expect(rt->trial.active, 0)) {
		if (op->kind != EV_FENCE)
			trial_end(false);
		trial_fence();
		return;
	}
	if (op->kind != EV_FENCE)
		rt->changed = 1;
	if (rt->course.flags & PLAN_VALUES)
		record_value_after();
	copy_op(&event.op, op);
	event.sleep = rt->schedule.sleep;
	if (n < rt->course.nsteps && the_plan()->steps[n].thread != rt->current)
		diverge(event);
	record(&event);
	if (!is_stateful())
		return;
	state_skip(n);
	if (op->kind == EV_MUTEX_RELOCK || op->kind == EV_MUTEX_REUNLOCK || op->kind == EV_MUTEX_CONSISTENT)
		state_open_range(op->object, sizeof(pthread_mutex_t));
}

/* How many outcomes the operation has, besides those of the schedule. */
static uint16_t count_choices(const struct op *op)
{
	if (op->kind == EV_CANCEL_POINT)
		return cancel_is_due(self()) ? op->choices : 0;
	if (op->kind == EV_COND_SIGNAL || op->kind == EV_FUTEX_WAKE)
		return (uint16_t)__builtin_popcountll(cond_waiters(op->object));
	return op->choices;
}

/* Nobody else could go on; from the first step on that is no longer so. */
static void end_quiet(void)
{
	rt->schedule.quiet = false;
	for (uint64_t left = rt->schedule.late & ~bit(rt->current); left; left &= left - 1)
		update_enabled((unsigned)__builtin_ctzll(left));
}

/* The operation that was recorded last is about to happen: does it write what somebody awaits? */
static inline void note_write(const struct op *op)
{
	const struct event_info *info = &event_table[op->kind];

	if (__builtin_expect(!rt->channel->nawait_locations, 1))
		return;
	if (info->object_class == OBJECT_MEMORY && info->effect == EFFECT_WRITE)
		await_note_write(op, rt->nevents - 1);
	else if (op_has_object(op) && op->order == OBJECT_ACCESSED) /* it may change all of it */
		await_note_write(&(struct op){.kind = EV_WRITE, .object = op->object, .size = sync_object_size(op)},
				 rt->nevents - 1);
}

/*
 * Neither whether the pending operation can be performed nor what it turns out to be depends on
 * anything: what pending_is_enabled() and pending_kind() say is known, and most of perform() is
 * not about it.
 */
static inline bool is_steady(const struct thread *thread, unsigned kind)
{
	return event_is(kind, EV_STEADY) && rt->schedule.atomic_owner < 0 && !thread->atomic_depth &&
	       !(thread->timed | thread->waiting | thread->cancel.possible | thread->await.waits |
		 thread->await.chosen);
}

/* What the trace tells of threads that are put off: see struct event. */
static inline uint64_t put_off(void)
{
	return __builtin_expect(rt->await.spinning && is_stateful(), 0) ? rounds_late() : rt->schedule.sleep;
}

/* perform() for what does not depend on the state of the program. */
static inline struct event *perform_steady(struct thread *thread)
{
	struct event event = {.thread = (uint8_t)rt->current, .enabled = rt->schedule.enabled, .sleep = put_off()};

	debug_invariant(thread->state == THREAD_LIVE);
	debug_invariant(rt->schedule.enabled >> rt->current & 1);
	copy_op(&event.op, &thread->pending);
	if (rt->nevents < rt->course.nsteps && the_plan()->steps[rt->nevents].choice)
		diverge(event);
	rt->current_site = event.op.site;
	rt->schedule.guided_choice = 0;
	if (is_stateful())
		state_observe(&event);
	struct event *recorded = record(&event);
	if (thread->rounds.nloops)
		round_note(&recorded->op);
	note_write(&recorded->op);
	if (__builtin_expect(rt->schedule.quiet, 0))
		end_quiet();
	return recorded;
}

/* Is it an update that leaves the value as it is?  See FEATURE_SAME_RELEASED. */
static bool leaves_value(const struct thread *thread, const struct op *op)
{
	switch (op->kind) {
	case EV_ATOMIC_RMW_SAME: break;
	case EV_ATOMIC_RMW:
	case EV_ATOMIC_CAS:
		if (!pending_leaves_memory(thread))
			return false;
		break;
	default: return false;
	}
	if (pending_releases(thread))
		use_feature_with(FEATURE_SAME_RELEASED, FEATURE_WEAK);
	return true;
}

/* What it passes on to others does not bring the round of a loop anywhere. */
static void note_in_round(const struct op *op, bool same)
{
	struct op look = *op;

	if (same)
		look.kind = EV_ATOMIC_RMW_SAME;
	round_note(&look);
}

/* What the operation finds, where the search needs to know that (wire/plan.h). */
static uint64_t value_of(const struct op *op)
{
	const struct primitive *primitive = primitive_of(op);

	if (event_table[op->kind].last)
		return primitive->missing(op);
	return primitive->value ? primitive->value(op) : 0;
}

/* The running thread performs its pending operation. */
static struct event *perform(void)
{
	struct thread *thread = self();
	uint32_t n = rt->nevents;
	struct event event = {.thread = (uint8_t)rt->current, .enabled = rt->schedule.enabled};

	debug_invariant(thread->state == THREAD_LIVE);
	debug_invariant(rt->schedule.enabled >> rt->current & 1);
	copy_op(&event.op, &thread->pending);
	event.sleep = put_off();
	event.forced = rt->schedule.atomic_owner == (int32_t)rt->current;
	event.op.kind = (uint8_t)pending_kind(thread);
	if (event.op.kind == EV_TIMEOUT)
		event.instead = thread->pending.kind;
	if (event.op.kind == EV_ATOMIC_CAS_FAIL)
		event.op.order = thread->failure_order;
	event.value = value_of(&event.op);
	event.op.choices = count_choices(&event.op);
	if (n < rt->course.nsteps)
		event.choice = the_plan()->steps[n].choice;
	else if (rt->schedule.guided_choice < event.op.choices)
		event.choice = rt->schedule.guided_choice;
	rt->schedule.guided_choice = 0;
	if (event.choice && event.choice >= event.op.choices)
		diverge(event);
	rt->schedule.blocking &= ~bit(rt->current);
	rt->current_site = thread->pending.site;
	if (thread->await.chosen)
		event.await = await_publish(thread);
	if (thread->await.chosen && event.forced) /* it did not race with what it would have had to wait for */
		use_feature(FEATURE_BLOCK_WAITS);
	thread->await.chosen = false;
	if (is_stateful()) {
		state_observe(&event);
		if (!event_is_decision(&event))
			state_skip(n);
	}
	bool same = leaves_value(thread, &event.op);
	struct event *recorded = record(&event);
	note_in_round(&recorded->op, same);
	note_write(&recorded->op);
	rt->schedule.late &= ~bit(rt->current);
	thread->cancel.possible = false;
	if (rt->schedule.quiet)
		end_quiet();
	if (thread->atomic_depth && rt->schedule.atomic_owner < 0) { /* it had to wait inside its atomic block */
		rt->schedule.atomic_owner = (int32_t)rt->current;
		reconsider_all();
	}
	return recorded;
}

static bool an_assumption_failed(void)
{
	for (uint64_t left = rt->schedule.blocking; left; left &= left - 1)
		if (rt->threads[__builtin_ctzll(left)].pending.kind == EV_ASSUME)
			return true;
	return false;
}

/* Nobody can go on: what has a time limit reaches it now. */
static void begin_quiet(void)
{
	if (an_assumption_failed() || rounds_late())
		return;
	rt->schedule.quiet = true;
	for (uint64_t left = rt->schedule.late; left; left &= left - 1)
		update_enabled((unsigned)__builtin_ctzll(left));
}

/* In an atomic block nobody else can move; the operation may have several outcomes all the same. */
static bool has_outcomes(const struct thread *owner)
{
	struct op op = owner->pending;

	op.kind = (uint8_t)pending_kind(owner);
	return count_choices(&op) > 1;
}

/* The thread that is to move next after the steps that are certain; -1: it is all the same. */
static int guided_thread(uint64_t candidates)
{
	if (rt->schedule.guided >= rt->course.nguided ||
	    (rt->schedule.atomic_owner >= 0 && !(is_stateful() && has_outcomes(self()))))
		return -1;
	invariant(rt->course.nsteps + rt->schedule.guided < MAX_EVENTS + MAX_THREADS);
	const struct step *step = &the_plan()->steps[rt->course.nsteps + rt->schedule.guided++];
	if (!(candidates >> step->thread & 1)) {
		rt->schedule.guided = rt->course.nguided;
		return -1;
	}
	rt->schedule.guided_choice = step->choice;
	return step->thread;
}

/* Any of them, the same whenever the same events lead here. */
static unsigned drawn_thread(uint64_t candidates, uint32_t n)
{
	uint64_t hash = (rt->channel->seed ^ n) * 0x9e3779b97f4a7c15ull;

	for (uint64_t skip = (hash >> 32) % (unsigned)__builtin_popcountll(candidates); skip; skip--)
		candidates &= candidates - 1;
	return (unsigned)__builtin_ctzll(candidates);
}

/* So that no thread alone takes all the steps that an execution may have. */
static bool turn_is_over(uint32_t n)
{
	enum { TURNS = 64, LONGEST = 10000 };
	uint32_t turn = rt->channel->max_steps / TURNS;

	return n - rt->schedule.turn_began >= (turn < LONGEST ? turn + 1 : LONGEST);
}

/* The thread after the running one; the first one, if that has ended or waits. */
static unsigned next_in_turn(uint64_t candidates)
{
	uint64_t after = candidates & ~(bit(rt->current) | (bit(rt->current) - 1));

	debug_invariant(candidates);
	if (candidates >> rt->current & 1 && after)
		return (unsigned)__builtin_ctzll(after);
	return (unsigned)__builtin_ctzll(candidates);
}

/* By the plan and then by the rule in wire/plan.h. */
static unsigned choose_thread(void)
{
	uint32_t n = rt->nevents;

	if (rt->await.waiting)
		await_refresh();
	if (__builtin_expect(rt->schedule.reconsider_due || rt->await.resuming, 0)) {
		rt->schedule.reconsider_due = false;
		reconsider_all();
	}
	if (!rt->schedule.enabled && rt->schedule.late)
		begin_quiet();
	bool again = false;
	if (is_stateful()) {
		state_capture();
		again = state_comes_again();
	}
	if (n < rt->course.nsteps) {
		if (__builtin_expect(n >= rt->resume_points.next, 0))
			resume_point_reach();
		unsigned next = the_plan()->steps[n].thread;
		if (n == rt->course.nsteps - 1)
			rt->schedule.sleep = the_plan()->sleep;
		if (!(rt->schedule.enabled >> next & 1)) {
			diverge((struct event){.op = self()->pending, .thread = (uint8_t)rt->current});
		}
		return next;
	}
	if (rt->course.flags & PLAN_STOP)
		end_execution(ENDING_STOPPED);
	uint64_t candidates = rt->schedule.enabled & ~rt->schedule.sleep;
	int guided = guided_thread(candidates);
	if (guided >= 0)
		return (unsigned)guided;
	if (is_stateful()) {
		const struct state_slot *known = state_known();
		if (again)
			end_execution(ENDING_CYCLE);
		if (known && known->finished && rt->channel->end_at_known)
			end_execution(ENDING_KNOWN);
		if (known && known->todo & candidates)
			candidates &= known->todo;
	}
	if (!candidates) {
		if (rt->schedule.enabled)
			end_execution(ENDING_ASLEEP);
		if (an_assumption_failed())
			end_execution(ENDING_ASSUMED);
		if (rounds_late())
			end_execution(ENDING_SPUN);
		end_execution(rt->await.spinning | rt->await.resuming | rt->await.waiting ? ENDING_LIVELOCK
											  : ENDING_DEADLOCK);
	}
	if (__builtin_expect(rt->channel->seed != 0, 0))
		return drawn_thread(candidates, n);
	if (candidates >> rt->current & 1 && !turn_is_over(n))
		return rt->current;
	the_trace()->turns += candidates >> rt->current & 1;
	return next_in_turn(candidates);
}

/* All that a decision relies on. */
static void assert_state(void)
{
	const struct schedule *schedule = &rt->schedule;
	int32_t owner = schedule->atomic_owner;

	invariant(rt->channel->nnames <= MAX_THREADS);
	invariant(!(schedule->enabled & ~schedule->live));
	invariant(!(schedule->blocking & ~schedule->live));
	invariant(!(schedule->late & ~schedule->live));
	invariant(!(rt->await.waiting & ~schedule->live));
	invariant(rt->await.asker == -1);
	invariant(owner == -1 || (schedule->live >> owner & 1 && rt->threads[owner].atomic_depth));
	invariant(schedule->turn_began <= rt->nevents);
	for (unsigned i = 0; i < rt->channel->nnames; i++)
		thread_assert_state(i);
}

/* Who moves next; notes since when it moves. */
static unsigned choose(void)
{
	if (CHECKS)
		assert_state();
	unsigned next = choose_thread();
	debug_invariant(rt->schedule.enabled >> next & 1);
	if (next != rt->current)
		rt->schedule.turn_began = rt->nevents;
	return next;
}

static void switch_local_state(struct thread *from, const struct thread *to)
{
	for (unsigned i = 0; i < 2; i++) {
		from->live_values[i] = rt->live_values[i];
		rt->live_values[i] = to->live_values[i];
	}
	from->outside = rt->outside;
	rt->outside = to->outside;
}

void switch_to(unsigned thread)
{
	struct thread *from = self();

	debug_invariant(thread != rt->current);
	/* one that has just ended asks others whether they can go on, and they come back to it */
	debug_invariant(rt->schedule.live >> thread & 1 || rt->threads[thread].state == THREAD_EXITED);
	debug_invariant(rt->threads[thread].sp - (STACK_ADDRESS + thread * STACK_SIZE) < STACK_SIZE);
	from->changed = rt->changed != 0;
	rt->changed = rt->threads[thread].changed;
	if (is_stateful()) {
		state_close(); /* who comes next has nothing to do with it */
		switch_local_state(from, &rt->threads[thread]);
	}
	rt->current = thread;
	rt->schedule.switches++;
	rt->memory.stack_low = STACK_ADDRESS + thread * STACK_SIZE;
	update_owner();
	arch_switch(&from->sp, rt->threads[thread].sp, rt->threads[thread].thread_pointer);
}

static inline void announce(struct thread *thread, const struct op *op)
{
	copy_op(&thread->pending, op);
	if (is_stateful() && rt->states.live)
		thread->states.known = (struct state){rt->live_values[0], rt->live_values[1]};
	if (is_steady(thread, op->kind)) {
		rt->schedule.enabled |= bit(rt->current);
		return;
	}
	if (event_is(op->kind, EV_BLOCKING) || thread->waiting)
		rt->schedule.blocking |= bit(rt->current);
	if (thread->timed == TIMED_LATE)
		rt->schedule.late |= bit(rt->current);
	update_enabled(rt->current);
	if (rt->schedule.atomic_owner == (int32_t)rt->current && !(rt->schedule.enabled >> rt->current & 1)) {
		rt->schedule.atomic_owner = -1; /* it must wait: its atomic block lets others in */
		rt->schedule.sleep = 0; /* who came before the block has not been tried inside it */
		use_feature(FEATURE_BLOCK_WAITS);
		reconsider_all();
	}
}

uint32_t sync_object_size(const struct op *op)
{
	const struct event_info *info = &event_table[op->kind];

	return info->object_class != OBJECT_NONE && op->object ? primitive_table[info->object]->size : 0;
}

void wait_to_be_chosen(const struct op *op)
{
	struct thread *thread = self();

	if (__builtin_expect(rt->course.flags & PLAN_VALUES, 0))
		record_value_after();
	announce(thread, op);
	if (__builtin_expect(thread->state == THREAD_STARTING, 0)) {
		thread->state = THREAD_LIVE;
		invariant(thread->creator != rt->current);
		thread_assert_state(rt->current);
		switch_to(thread->creator);
	} else {
		unsigned next = choose();
		if (next != rt->current)
			switch_to(next);
	}
}

/* The part of a mutex that changes: all but the list of robust ones. */
#define MUTEX_STATE_SIZE offsetof(struct __pthread_mutex_s, __list)

static uint32_t mutex_state_size(const struct op *op)
{
	uint32_t size = sync_object_size(op);

	if (event_table[op->kind].effect == EFFECT_CHANGE) /* init, destroy */
		return size;
	return size < MUTEX_STATE_SIZE ? size : MUTEX_STATE_SIZE;
}

/* What the operation will change, as far as it is a synchronisation object. */
static void open_objects(const struct op *op)
{
	unsigned object_class = event_table[op->kind].object_class;

	state_close();
	if (object_class == OBJECT_KEYS ||
	    (object_class == OBJECT_SEM && !op->object)) /* a list of the runtime's own */
		state_hidden(op->kind);
	if (object_class == OBJECT_MUTEX)
		state_open_more(op->object, mutex_state_size(op));
	else if (object_class != OBJECT_MEMORY && sync_object_size(op))
		state_open_more(op->object, sync_object_size(op));
	if (op->object2 && object_class != OBJECT_SYSTEM)
		state_open_more(op->object2, MUTEX_STATE_SIZE);
}

/* It may have been freed, or its stack have ended, meanwhile. */
static inline void check_object(struct event *event)
{
	uint64_t object = event->op.object;

	if (!in_heap(object) && !is_dead_stack(object))
		return;
	uint32_t size = sync_object_size(&event->op);
	if (size && in_heap(object))
		heap_check_object(event, size);
	else if (size)
		bad_stack_access("use", object, size, rt->current_site);
}

struct event *point(const struct op *op)
{
	struct thread *thread = self();
	struct op marked;

	debug_invariant(op->kind < EV_COUNT);
	if (rt->phase != PHASE_RUN)
		return NULL;
	if (__builtin_expect(rt->trial.active, 0)) {
		trial_op(op);
		return NULL;
	}
	if (__builtin_expect(thread->cancel.asynchronous, 0) && op->kind != EV_CANCEL_POINT)
		cancellation_point();
	if (__builtin_expect(thread->await.skip != 0, 0)) {
		thread->await.skip--;
		return NULL;
	}
	if (event_table[op->kind].object_class != OBJECT_MEMORY && op_has_object(op)) {
		marked = *op;
		object_use(&marked);
		op = &marked;
	}
	if (!thread->await.chosen)
		wait_to_be_chosen(op);
	struct event *event = is_steady(thread, op->kind) ? perform_steady(thread) : perform();
	if (is_stateful())
		open_objects(op);
	check_object(event);
	return event;
}

struct event *timed_point(const struct op *op, enum timed timed)
{
	self()->timed = (uint8_t)timed;
	struct event *event = point(op);
	self()->timed = TIMED_NO;
	return event;
}

void schedule_away(void)
{
	struct thread *thread = self();
	bool starting = thread->state == THREAD_STARTING;

	thread->state = THREAD_EXITED;
	rt->schedule.live &= ~bit(rt->current);
	rt->schedule.enabled &= ~bit(rt->current);
	rt->schedule.sleep &= ~bit(rt->current);
	thread_assert_state(rt->current);
	reconsider_object(rt->current);
	if (rt->schedule.atomic_owner == (int32_t)rt->current) { /* it was cancelled inside its atomic block */
		rt->schedule.atomic_owner = -1;
		reconsider_all();
	}
	switch_to(starting ? thread->creator : choose());
	__builtin_unreachable();
}
