/*
 * What a thread's pending operation could do now: whether it can be performed, and what
 * it would turn out to be.  Both depend on nothing but the state of the program.
 */
#include "runtime/core/runtime.h"

static uint64_t load_value(uint64_t address, uint32_t size)
{
	uint64_t value = 0;

	if (!memory_is_there(address, size)) /* who performs it will find out */
		return value;
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

/*
 * The object was on a stack that has ended, or in memory that is not mapped any more: whatever is there now, nobody waits
 * for it, and who performs the operation finds out.
 */
static bool is_gone(const struct op *op)
{
	return op_has_object(op) && (is_dead_stack(op->object) || !memory_is_there(op->object, sizeof(uint32_t)));
}

/* Can the operation be performed as what it is, without a timeout or a cancellation? */
static bool is_ready(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	if (is_gone(op))
		return !thread->waiting;
	switch (op->kind) {
	case EV_MUTEX_LOCK: return mutex_is_free(op->object);
	case EV_COND_WAKE: return !thread->waiting && mutex_is_free(op->object);
	case EV_BARRIER_LEAVE:
	case EV_FUTEX_WOKEN: return !thread->waiting;
	case EV_GUARD_BEGIN: return guard_is_free(op->object);
	case EV_SPIN_LOCK: return spin_is_free(op->object);
	case EV_RWLOCK_RDLOCK: return rwlock_allows_reader(op->object);
	case EV_RWLOCK_WRLOCK: return rwlock_allows_writer(op->object);
	case EV_ONCE_BEGIN: return !once_is_running(op->object);
	case EV_SEM_WAIT: return sem_value(op->object) > 0;
	case EV_JOIN: return thread_has_ended(op->target);
	case EV_EXIT_BEGIN: return exit_is_free();
	case EV_ASSUME:
	case EV_SPIN: return false;
	case EV_RESUME: return round_may_differ(thread);
	}
	return true;
}

static enum event_kind or_itself(uint8_t other, enum event_kind kind)
{
	return other ? (enum event_kind)other : kind;
}

/* The same operation when its time is up. */
static enum event_kind at_time_limit(enum event_kind kind)
{
	return or_itself(event_table[kind].timeout, kind);
}

/* The same operation when it could as well have timed out. */
static enum event_kind within_time_limit(const struct op *op)
{
	if (op->kind == EV_MUTEX_LOCK && mutex_is_lost(op->object))
		return EV_MUTEX_TRYLOCK_LOST;
	return or_itself(event_table[op->kind].attempt, op->kind);
}

/* The same operation when the thread is cancelled in it. */
static enum event_kind when_cancelled(enum event_kind kind)
{
	return or_itself(event_table[kind].cancelled, kind);
}

bool is_timeout(enum event_kind kind)
{
	return event_is(kind, EV_TIMED_OUT);
}

/* A wait for a signal that only a cancellation can end is one that nothing can end as yet. */
static bool waits_for_cancel(const struct thread *thread)
{
	return thread->pending.kind == EV_COND_CANCELLED;
}

bool pending_is_enabled(const struct thread *thread)
{
	if (rt->atomic_owner >= 0 && thread != &rt->threads[rt->atomic_owner])
		return false;
	if (thread->cancellable && cancel_is_due(thread))
		return true;
	if (waits_for_cancel(thread))
		return rt->quiet && thread->timed == TIMED_LATE;
	if (thread->awaits)
		return thread->ready;
	return is_ready(thread) || thread->timed == TIMED_FREE || (rt->quiet && thread->timed == TIMED_LATE);
}

/* Will the update leave another value than it found?  (Of what is not there any more, that is all the same.) */
static bool update_changes(const struct thread *thread)
{
	const struct op *op = &thread->pending;
	uint64_t mask = op->size < 8 ? (1ull << 8 * op->size) - 1 : UINT64_MAX, operand = thread->expected & mask;

	if (op->size > 8 || thread->update == UPDATE_OTHER || is_dead_stack(op->object))
		return true;
	uint64_t value = load_value(op->object, op->size);
	switch (thread->update) {
	case UPDATE_EXCHANGE: return value != operand;
	case UPDATE_AND: return (value & operand) != value;
	case UPDATE_BY: return operand != 0;
	}
	return (value | operand) != value;
}

bool pending_releases(const struct thread *thread)
{
	return order_releases(thread->pending.order) || thread->fenced;
}

/*
 * An update that leaves the value as it is: a look at it, as a rule.  But if it releases, who reads it afterwards has
 * synchronised with it, and who reads before has not; where weaker operations let values pass without that, it is a write.
 */
static enum event_kind same_kind(const struct thread *thread)
{
	const uint32_t both = FEATURE_WEAK | FEATURE_SAME_RELEASED;
	bool counts = pending_releases(thread) && (rt->channel->features & both) == both;

	return counts ? thread->pending.kind : EV_ATOMIC_RMW_SAME;
}

/* A compare-and-swap is a look if it fails, and if it puts there what is there. */
static enum event_kind kind_of_swap(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	if (op->size > 8 || is_dead_stack(op->object))
		return EV_ATOMIC_CAS;
	if (load_value(op->object, op->size) != thread->expected)
		return EV_ATOMIC_CAS_FAIL;
	return thread->wanted == thread->expected ? same_kind(thread) : EV_ATOMIC_CAS;
}

/* An operation that is ready, or never waits. */
static enum event_kind ready_kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	if (is_gone(op))
		return op->kind;
	switch (op->kind) {
	case EV_ATOMIC_CAS: return kind_of_swap(thread);
	case EV_ATOMIC_RMW: return update_changes(thread) ? EV_ATOMIC_RMW : same_kind(thread);
	case EV_MUTEX_LOCK: return mutex_is_lost(op->object) ? EV_MUTEX_LOCK_LOST : EV_MUTEX_LOCK;
	case EV_COND_WAKE: return mutex_is_lost(op->object) ? EV_COND_WAKE_LOST : EV_COND_WAKE;
	case EV_MUTEX_TRYLOCK:
		if (!mutex_is_free(op->object))
			return EV_MUTEX_TRYLOCK_FAIL;
		return mutex_is_lost(op->object) ? EV_MUTEX_TRYLOCK_LOST : EV_MUTEX_TRYLOCK;
	case EV_SPIN_TRYLOCK: return spin_is_free(op->object) ? EV_SPIN_TRYLOCK : EV_SPIN_TRYLOCK_FAIL;
	case EV_RWLOCK_TRYRDLOCK:
		return rwlock_allows_reader(op->object) ? EV_RWLOCK_TRYRDLOCK : EV_RWLOCK_TRYRDLOCK_FAIL;
	case EV_RWLOCK_TRYWRLOCK:
		return rwlock_allows_writer(op->object) ? EV_RWLOCK_TRYWRLOCK : EV_RWLOCK_TRYWRLOCK_FAIL;
	case EV_SEM_TRYWAIT: return sem_value(op->object) ? EV_SEM_TRYWAIT : EV_SEM_TRYWAIT_FAIL;
	case EV_ONCE_BEGIN: return once_is_passed(op->object) ? EV_ONCE_PASS : EV_ONCE_BEGIN;
	case EV_BARRIER_ARRIVE: return barrier_missing(op->object) <= 1 ? EV_BARRIER_LAST : EV_BARRIER_ARRIVE;
	case EV_THREAD_LEAVE: return threads_to_leave() <= 1 ? EV_THREAD_LAST : EV_THREAD_LEAVE;
	case EV_COND_SIGNAL: return cond_waiters(op->object) ? EV_COND_SIGNAL : EV_COND_SIGNAL_NONE;
	case EV_COND_BROADCAST: return cond_waiters(op->object) ? EV_COND_BROADCAST : EV_COND_BROADCAST_NONE;
	case EV_FUTEX_WAIT:
		return load_value(op->object, op->size) != thread->expected ? EV_FUTEX_AGAIN : EV_FUTEX_WAIT;
	case EV_FUTEX_WAKE:
	case EV_FUTEX_WAKE_ALL: return cond_waiters(op->object) ? op->kind : EV_FUTEX_WAKE_NONE;
	case EV_TRYJOIN_FAIL: return thread_has_ended(op->target) ? EV_TRYJOIN : EV_TRYJOIN_FAIL;
	}
	return op->kind;
}

bool pending_leaves_memory(const struct thread *thread)
{
	switch (pending_kind(thread)) {
	case EV_ATOMIC_RMW: return !update_changes(thread);
	case EV_ATOMIC_CAS: return thread->wanted == thread->expected;
	default: return event_table[pending_kind(thread)].effect == EFFECT_READ;
	}
}

enum event_kind pending_kind(const struct thread *thread)
{
	enum event_kind kind = thread->pending.kind;

	if (thread->cancellable && cancel_is_due(thread) && when_cancelled(kind) != kind)
		return when_cancelled(kind);
	if (waits_for_cancel(thread))
		return rt->quiet && thread->timed == TIMED_LATE ? EV_TIMEOUT : kind;
	if (is_ready(thread))
		return thread->timed == TIMED_FREE ? within_time_limit(&thread->pending) : ready_kind(thread);
	if (thread->timed == TIMED_FREE)
		return at_time_limit(kind);
	return rt->quiet && thread->timed == TIMED_LATE ? EV_TIMEOUT : kind;
}

/*
 * Arriving at a barrier is an ARRIVE until the last but one has come: for two that are
 * both missing, whoever comes second will be the LAST.  So is the end of a thread.
 */
enum event_kind pending_kind_after_others(const struct thread *thread)
{
	enum event_kind kind = pending_kind(thread);

	if (kind == EV_THREAD_LEAVE && threads_to_leave() <= 2)
		return EV_THREAD_LAST;
	return kind == EV_BARRIER_ARRIVE && barrier_missing(thread->pending.object) <= 2 ? EV_BARRIER_LAST : kind;
}
