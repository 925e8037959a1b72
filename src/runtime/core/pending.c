/*
 * What a thread's pending operation could do now: whether it can be performed, and what
 * it would turn out to be.  Both depend on nothing but the state of the program.
 */
#include "runtime/await/await.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/cxx/cxx.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"
#include "runtime/sync/sync.h"

static uint64_t load_value(uint64_t address, uint32_t size)
{
	uint64_t value = 0;

	if (!memory_is_there(address, size)) /* who performs it will find out */
		return value;
	rt->memory.touching = true;
	switch (size) {
	case 1: value = *(volatile uint8_t *)address; break;
	case 2: value = *(volatile uint16_t *)address; break;
	case 4: value = *(volatile uint32_t *)address; break;
	case 8: value = *(volatile uint64_t *)address; break;
	default:
		for (uint32_t i = 0; i < size && i < 8; i++)
			value |= (uint64_t)((volatile uint8_t *)address)[i] << 8 * i;
	}
	rt->memory.touching = false;
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
	const struct event_info *info = &event_table[op->kind];

	if (is_gone(op))
		return !thread->waiting;
	switch (op->kind) {
	case EV_ASSUME:
	case EV_SPIN: return false;
	case EV_RESUME: return round_may_differ(thread);
	}
	if (!(info->flags & EV_BLOCKING))
		return true;
	if (info->flags & EV_LET_GO && thread->waiting)
		return false;
	return info->flags & EV_APART || primitive_table[info->object]->ready(op);
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
	if (rt->schedule.atomic_owner >= 0 && thread != &rt->threads[rt->schedule.atomic_owner])
		return false;
	if (thread->cancel.possible && cancel_is_due(thread))
		return true;
	if (waits_for_cancel(thread))
		return rt->schedule.quiet && thread->timed == TIMED_LATE;
	if (thread->await.waits)
		return thread->await.ready;
	return is_ready(thread) || thread->timed == TIMED_FREE || (rt->schedule.quiet && thread->timed == TIMED_LATE);
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

static enum event_kind memory_kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	switch (op->kind) {
	case EV_ATOMIC_CAS: return kind_of_swap(thread);
	case EV_ATOMIC_RMW: return update_changes(thread) ? EV_ATOMIC_RMW : same_kind(thread);
	case EV_FUTEX_WAIT:
		return load_value(op->object, op->size) != thread->expected ? EV_FUTEX_AGAIN : EV_FUTEX_WAIT;
	}
	return op->kind;
}

const struct primitive primitive_MEMORY = {.kind = memory_kind};

/* What only the runtime's own lists and the kernel know of. */
const struct primitive primitive_NONE, primitive_PROCESS, primitive_KEYS, primitive_SYSTEM;

const struct primitive *const primitive_table[OBJECT_KINDS] = {
#define OBJECT(id, ...) [OBJECT_##id] = &primitive_##id,
#include "wire/objects.def"
#undef OBJECT
};

/* An arrival, when so many are missing besides it; or what else it is. */
static enum event_kind arrival_kind(const struct op *op, uint32_t besides)
{
	const struct event_info *info = &event_table[op->kind];

	return primitive_table[info->object]->missing(op) <= besides + 1 ? (enum event_kind)info->last : op->kind;
}

/* An operation that is ready, or never waits. */
static enum event_kind ready_kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;
	const struct primitive *primitive = primitive_of(op);

	if (is_gone(op))
		return op->kind;
	if (event_table[op->kind].last)
		return arrival_kind(op, 0);
	return primitive->kind ? primitive->kind(thread) : op->kind;
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

	if (thread->cancel.possible && cancel_is_due(thread) && when_cancelled(kind) != kind)
		return when_cancelled(kind);
	if (waits_for_cancel(thread))
		return rt->schedule.quiet && thread->timed == TIMED_LATE ? EV_TIMEOUT : kind;
	if (is_ready(thread))
		return thread->timed == TIMED_FREE ? within_time_limit(&thread->pending) : ready_kind(thread);
	if (thread->timed == TIMED_FREE)
		return at_time_limit(kind);
	return rt->schedule.quiet && thread->timed == TIMED_LATE ? EV_TIMEOUT : kind;
}

/*
 * Arriving at a barrier is an ARRIVE until the last but one has come: for two that are
 * both missing, whoever comes second will be the LAST.  So is the end of a thread.
 */
enum event_kind pending_kind_after_others(const struct thread *thread)
{
	enum event_kind kind = pending_kind(thread);

	return event_table[kind].last ? arrival_kind(&thread->pending, 1) : kind;
}
