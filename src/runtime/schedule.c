#include "runtime/runtime.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/arch/arch.h"

#define plan (&rt->channel->plan)
#define trace (&rt->channel->trace)

static uint64_t load_value(uint64_t address, uint32_t size)
{
	uint64_t value = 0;

	rt->touching = true;
	switch (size) {
	case 1: value = *(volatile uint8_t *)address; break;
	case 2: value = *(volatile uint16_t *)address; break;
	case 4: value = *(volatile uint32_t *)address; break;
	case 8: value = *(volatile uint64_t *)address; break;
	default:
		for (uint32_t i = 0; i < size && i < 8; i++)
			value |= (uint64_t)((volatile uint8_t *)address)[i] << 8 * i;
	}
	rt->touching = false;
	return value;
}

/* What the operation would turn out to be if it were performed now. */
static enum event_kind effective_kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	switch (op->kind) {
	case EV_ATOMIC_CAS:
		if (op->size <= 8 && load_value(op->object, op->size) != thread->expected)
			return EV_ATOMIC_CAS_FAIL;
		break;
	case EV_MUTEX_TRYLOCK:
		if (!mutex_is_free(op->object))
			return EV_MUTEX_TRYLOCK_FAIL;
		break;
	case EV_COND_SIGNAL:
		if (!cond_waiters(op->object))
			return EV_COND_SIGNAL_NONE;
		break;
	case EV_COND_BROADCAST:
		if (!cond_waiters(op->object))
			return EV_COND_BROADCAST_NONE;
		break;
	case EV_FUTEX_WAIT:
		if (load_value(op->object, op->size) != thread->expected)
			return EV_FUTEX_AGAIN;
		break;
	case EV_FUTEX_WAKE:
	case EV_FUTEX_WAKE_ALL:
		if (!cond_waiters(op->object))
			return EV_FUTEX_WAKE_NONE;
		break;
	}
	return op->kind;
}

static bool is_enabled(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	switch (op->kind) {
	case EV_MUTEX_LOCK: return mutex_is_free(op->object);
	case EV_FUTEX_WOKEN: return !thread->waiting;
	case EV_GUARD_BEGIN: return guard_is_free(op->object);
	case EV_COND_WAKE: return !thread->waiting && mutex_is_free(op->object);
	case EV_JOIN: {
		const struct thread *target = &rt->threads[op->target];
		return target->state == THREAD_EXITED || target->detached || target->joined;
	}
	}
	return true;
}

void refresh(uint64_t object)
{
	for (uint64_t left = rt->blocking; left; left &= left - 1) {
		unsigned i = __builtin_ctzll(left);
		if (rt->threads[i].pending.object != object)
			continue;
		if (is_enabled(&rt->threads[i]))
			rt->enabled |= bit(i);
		else
			rt->enabled &= ~bit(i);
	}
}

/* For reports only: the memory may be gone by now, and that must not matter. */
static uint64_t peek_value(uint64_t address, uint32_t size)
{
	uint64_t value = 0;
	struct iovec to = {&value, size < 8 ? size : 8}, from = {(void *)address, to.iov_len};

	long got = SYS6(SYS_process_vm_readv, SYS0(SYS_getpid), &to, 1, &from, 1, 0);
	if (got == -EPERM || got == -ENOSYS)
		return load_value(address, size);
	return value;
}

static void record_value_after(void)
{
	if (!rt->last_access)
		return;
	uint32_t i = rt->last_access - 1;
	rt->last_access = 0;
	const struct op *op = &trace->events[i].op;
	trace->after[i] = peek_value(op->object, op->size);
}

static void publish_pending(void)
{
	uint32_t n = 0;

	for (uint64_t left = rt->live; left; left &= left - 1) {
		unsigned i = __builtin_ctzll(left);
		const struct thread *thread = &rt->threads[i];
		if (thread->state != THREAD_LIVE)
			continue;
		trace->pending[n] = (struct pending){.op = thread->pending,
						     .thread = (uint8_t)i,
						     .enabled = (rt->enabled >> i & 1) != 0,
						     .waiting = thread->waiting};
		trace->pending[n].op.kind = (uint8_t)effective_kind(thread);
		n++;
	}
	trace->npending = n;
}

static void end_standalone(enum ending ending) __attribute__((noreturn));
static void end_standalone(enum ending ending)
{
	if (ending == ENDING_EXIT)
		SYS1(SYS_exit_group, trace->exit_status);
	text_write("inspect: ");
	text_write(ending == ENDING_DEADLOCK ? "deadlock: no thread can go on" : trace->message);
	text_write("\n");
	SYS1(SYS_exit_group, 134);
	__builtin_unreachable();
}

void end_execution(enum ending ending)
{
	uint64_t abandoned;

	trace->running = rt->current;
	trace->site = rt->current_site;
	trace->ending = ending;
	if (rt->standalone)
		end_standalone(ending);
	rt->phase = PHASE_IDLE;
	record_value_after();
	publish_pending();
	arch_switch(&abandoned, rt->loop_sp, rt->donor_pointer[0]);
	__builtin_unreachable();
}

void fail_execution(const char *message)
{
	text_copy(trace->message, MAX_MESSAGE, message);
	if (rt->phase != PHASE_RUN && rt->phase != PHASE_EXIT) {
		rt->channel->zygote = ZYGOTE_FAILED;
		SYS1(SYS_exit_group, EXIT_BROKEN);
	}
	end_execution(ENDING_FAILED);
}

static void diverge(const struct event *event)
{
	trace->divergence = trace->nevents;
	trace->diverged = *event;
	end_execution(ENDING_DIVERGED);
}

static bool same_event(const struct event *a, const struct event *b)
{
	return a->thread == b->thread && a->op.kind == b->op.kind && a->op.object == b->op.object &&
	       a->op.site == b->op.site && a->op.size == b->op.size && a->op.choices == b->op.choices;
}

/* Threads that slept because of something this operation changes wake up. */
static void filter_sleep(const struct op *op)
{
	rt->sleep &= ~bit(rt->current);
	for (uint64_t left = rt->sleep; left; left &= left - 1) {
		unsigned i = __builtin_ctzll(left);
		struct op asleep = rt->threads[i].pending;
		asleep.kind = (uint8_t)effective_kind(&rt->threads[i]);
		if (ops_conflict(&asleep, op))
			rt->sleep &= ~bit(i);
	}
}

/*
 * Append the event to the trace before it takes effect.  Where an earlier trace
 * of the same steps is still in place, it must say the same.
 */
static struct event *record(const struct event *event)
{
	uint32_t n = trace->nevents;
	struct event *place = &trace->events[n];

	if (rt->standalone) { /* nobody reads the trace, and it may be of any length */
		*place = *event;
		return place;
	}
	if (n >= rt->channel->max_steps && !event_is(event->op.kind, EV_END))
		end_execution(ENDING_STEPS);
	if (n + 1 < plan->nsteps && !(plan->flags & PLAN_UNCHECKED) && !same_event(place, event))
		diverge(event);
	*place = *event;
	__atomic_store_n(&trace->nevents, n + 1, __ATOMIC_RELEASE);
	if (rt->sleep)
		filter_sleep(&place->op);
	if (plan->flags & PLAN_VALUES && event_table[place->op.kind].object_class == OBJECT_MEMORY) {
		place->value = peek_value(place->op.object, place->op.size);
		rt->last_access = n + 1;
	}
	return place;
}

void local_event(const struct op *op)
{
	uint32_t n = trace->nevents;
	struct event event = {.op = *op, .thread = (uint8_t)rt->current, .forced = 1, .enabled = bit(rt->current)};

	if (rt->phase != PHASE_RUN)
		return;
	if (plan->flags & PLAN_VALUES)
		record_value_after();
	event.sleep = rt->sleep;
	if (n < plan->nsteps && plan->steps[n].thread != rt->current)
		diverge(&event);
	record(&event);
}

/* The running thread performs its pending operation. */
static struct event *perform(void)
{
	struct thread *thread = self();
	uint32_t n = trace->nevents;
	struct event event = {.op = thread->pending, .thread = (uint8_t)rt->current};

	event.enabled = rt->enabled;
	event.sleep = rt->sleep;
	event.op.kind = (uint8_t)effective_kind(thread);
	if (event.op.kind == EV_ATOMIC_CAS_FAIL)
		event.op.order = thread->failure_order;
	if (event.op.kind == EV_COND_SIGNAL || event.op.kind == EV_FUTEX_WAKE)
		event.op.choices = (uint16_t)__builtin_popcountll(cond_waiters(event.op.object));
	if (n < plan->nsteps)
		event.choice = plan->steps[n].choice;
	if (event.choice && event.choice >= event.op.choices)
		diverge(&event);
	rt->blocking &= ~bit(rt->current);
	rt->current_site = thread->pending.site;
	return record(&event);
}

/* Who moves next, by the plan and then by the rule in wire/plan.h. */
static unsigned choose(void)
{
	uint32_t n = trace->nevents;

	if (n < plan->nsteps) {
		unsigned next = plan->steps[n].thread;
		if (n == plan->nsteps - 1)
			rt->sleep = plan->sleep;
		if (!(rt->enabled >> next & 1)) {
			struct event event = {.op = self()->pending, .thread = (uint8_t)rt->current};
			diverge(&event);
		}
		return next;
	}
	if (plan->flags & PLAN_STOP)
		end_execution(ENDING_STOPPED);
	uint64_t candidates = rt->enabled & ~rt->sleep;
	if (!candidates) {
		if (rt->enabled)
			end_execution(ENDING_ASLEEP);
		end_execution(ENDING_DEADLOCK);
	}
	if (candidates >> rt->current & 1)
		return rt->current;
	return (unsigned)__builtin_ctzll(candidates);
}

void switch_to(unsigned thread)
{
	struct thread *from = self();

	rt->current = thread;
	rt->stack_low = STACK_ADDRESS + thread * STACK_SIZE;
	arch_switch(&from->sp, rt->threads[thread].sp, rt->threads[thread].thread_pointer);
}

static void announce(const struct op *op)
{
	struct thread *thread = self();

	thread->pending = *op;
	if (event_is(op->kind, EV_BLOCKING))
		rt->blocking |= bit(rt->current);
	if (is_enabled(thread))
		rt->enabled |= bit(rt->current);
	else
		rt->enabled &= ~bit(rt->current);
}

struct event *point(const struct op *op)
{
	if (rt->phase != PHASE_RUN)
		return NULL;
	if (plan->flags & PLAN_VALUES)
		record_value_after();
	announce(op);
	if (self()->state == THREAD_STARTING) {
		self()->state = THREAD_LIVE;
		switch_to(self()->creator);
	} else {
		unsigned next = choose();
		if (next != rt->current)
			switch_to(next);
	}
	return perform();
}

void schedule_away(void)
{
	struct thread *thread = self();
	bool starting = thread->state == THREAD_STARTING;

	thread->state = THREAD_EXITED;
	rt->live &= ~bit(rt->current);
	rt->enabled &= ~bit(rt->current);
	rt->sleep &= ~bit(rt->current);
	refresh(rt->current);
	switch_to(starting ? thread->creator : choose());
	__builtin_unreachable();
}

static void *call_main(void *unused)
{
	extern int __inspect_main(int, char **, char **);

	(void)unused;
	return (void *)(long)__inspect_main(rt->argc, rt->argv, rt->envp);
}

void run_execution(void)
{
	trace->ending = ENDING_NONE;
	trace->nevents = 0;
	trace->nthreads = rt->channel->nnames;
	trace->npending = 0;
	trace->flags = 0;
	trace->message[0] = 0;
	trace->signal = 0;
	trace->fault_pc = trace->fault_address = 0;
	rt->nthreads = 0;
	rt->live = rt->enabled = rt->blocking = 0;
	rt->sleep = plan->nsteps ? 0 : plan->sleep;
	rt->last_access = 0;
	rt->written = 0;
	rt->current_site = 0;
	rt->touching = false;
	for (unsigned i = 0; i < rt->channel->nnames; i++)
		rt->threads[i].state = THREAD_FREE;
	thread_prepare(0, call_main, NULL);
	rt->threads[0].state = THREAD_LIVE;
	rt->enabled |= bit(0);
	rt->current = 0;
	rt->stack_low = STACK_ADDRESS;
	rt->phase = PHASE_RUN;
	arch_switch(&rt->loop_sp, rt->threads[0].sp, rt->threads[0].thread_pointer);
}
