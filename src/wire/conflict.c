#include "wire/events.h"

#include <stddef.h>

#include "common/hash.h"

enum {
#define OBJECT(id, class, ...) CLASS_##id = OBJECT_##class,
#include "wire/objects.def"
#undef OBJECT
};

enum {
#define OBJECT(id, class, rule, flags, ...) FLAGS_##id = (flags),
#include "wire/objects.def"
#undef OBJECT
};

const struct event_info event_table[EV_COUNT] = {
	[EV_NOTHING] = {.name = "none", .flags = EV_LOCAL},
#define EVENT(id, its_name, its_object, its_effect, its_flags, ...)                                                    \
	[EV_##id] = {.name = its_name,                                                                                 \
		     .flags = its_flags,                                                                               \
		     .object = OBJECT_##its_object,                                                                    \
		     .object_class = (its_flags) & (EV_LOCAL | EV_APART) ? OBJECT_NONE : CLASS_##its_object,           \
		     .object_flags = (its_flags) & (EV_LOCAL | EV_APART) ? 0 : FLAGS_##its_object,                     \
		     .effect = EFFECT_##its_effect,                                                                    \
		     __VA_ARGS__},
#include "wire/events.def"
#undef EVENT
};

const struct object_info object_table[OBJECT_KINDS] = {
#define OBJECT(id, class, its_rule, its_flags, its_name, waiting, lacking)                                             \
	[OBJECT_##id] = {.name = its_name,                                                                             \
			 .waits = waiting,                                                                             \
			 .lacks = lacking,                                                                             \
			 .flags = its_flags,                                                                           \
			 .object_class = OBJECT_##class,                                                               \
			 .rule = RULE_##its_rule},
#include "wire/objects.def"
#undef OBJECT
};

static bool ranges_overlap(const struct op *a, const struct op *b)
{
	return a->object < b->object + b->size && b->object < a->object + a->size;
}

/* An update that leaves the value as it is, and a plain read: by the rules of C it writes, so that this is a data race. */
static bool writes_beside_read(const struct op *a, const struct op *b)
{
	return a->kind == EV_ATOMIC_RMW_SAME && b->kind == EV_READ;
}

/* Two looks at the same state commute. */
static bool both_test(unsigned a, unsigned b)
{
	return a == EFFECT_TEST && b == EFFECT_TEST;
}

/* Only the owner of a mutex releases it; the releases of a semaphore add up. */
static bool mutex_effects_conflict(unsigned a, unsigned b)
{
	return !both_test(a, b) && !(a == EFFECT_RELEASE && b == EFFECT_RELEASE);
}

static bool is_of_reader(unsigned effect)
{
	return effect == EFFECT_READ_ACQUIRE || effect == EFFECT_TRY_READ_ACQUIRE || effect == EFFECT_READ_RELEASE;
}

static bool is_test(unsigned effect)
{
	return effect == EFFECT_TEST || effect == EFFECT_READ_TEST;
}

static bool is_release(unsigned effect)
{
	return effect == EFFECT_RELEASE || effect == EFFECT_READ_RELEASE;
}

/* Readers do not see each other, nor does one that was kept out by a writer. */
static bool rwlock_effects_conflict(unsigned a, unsigned b)
{
	if ((is_of_reader(a) || a == EFFECT_READ_TEST) && (is_of_reader(b) || b == EFFECT_READ_TEST))
		return false;
	return !(is_test(a) && is_test(b)) && !(is_release(a) && is_release(b));
}

/*
 * Waiters form a set (a signal chooses among them), so waiting and leaving commute; so
 * do two signals that find nobody.
 */
static bool cond_effects_conflict(unsigned a, unsigned b)
{
	bool waits = a == EFFECT_WAIT || a == EFFECT_LEAVE, other_waits = b == EFFECT_WAIT || b == EFFECT_LEAVE;

	return !(waits && other_waits) && !both_test(a, b);
}

static bool effects_conflict(unsigned object_class, unsigned a, unsigned b)
{
	switch ((enum conflict_rule)object_table[object_class].rule) {
	case RULE_TESTS_COMMUTE: return !both_test(a, b);
	case RULE_RELEASES_COMMUTE: return mutex_effects_conflict(a, b);
	case RULE_READERS_COMMUTE: return rwlock_effects_conflict(a, b);
	case RULE_WAITERS_COMMUTE: return cond_effects_conflict(a, b);
	case RULE_NEVER: break;
	}
	return false;
}

/* The mutex that a wait on a condition variable releases, and what another operation does to it. */
static bool conflicts_over_mutex(const struct op *wait, const struct op *other)
{
	const struct event_info *info = &event_table[other->kind];

	return event_table[wait->kind].effect == EFFECT_WAIT && info->object_class == OBJECT_MUTEX &&
	       wait->object2 == other->object && mutex_effects_conflict(EFFECT_RELEASE, info->effect);
}

/* A thread that waits where it can be cancelled, and who cancels it. */
static bool is_cancelled_by(const struct op *wait, const struct op *cancel)
{
	return cancel->kind == EV_CANCEL && event_table[wait->kind].object_class != OBJECT_MEMORY &&
	       wait->size == CANCELLABLE(cancel->object);
}

/* A signal takes a thread out of a wait in which it could be cancelled: which comes first decides how that ends. */
static bool is_too_late_after(const struct op *cancel, const struct op *signal)
{
	return cancel->kind == EV_CANCEL && event_table[signal->kind].object_class == OBJECT_COND &&
	       event_table[signal->kind].effect == EFFECT_SIGNAL;
}

/* To wait with one mutex while another thread waits with another is an error, and so not in any order. */
static bool wait_with_two_mutexes(const struct op *a, const struct op *b)
{
	return a->object2 && b->object2 && a->object2 != b->object2 &&
	       (event_table[a->kind].effect == EFFECT_WAIT || event_table[b->kind].effect == EFFECT_WAIT);
}

static bool conflicts_over_object(const struct op *a, const struct op *b)
{
	const struct event_info *ia = &event_table[a->kind], *ib = &event_table[b->kind];

	return ia->object_class == ib->object_class && a->object == b->object &&
	       (effects_conflict(ia->object_class, ia->effect, ib->effect) || wait_with_two_mutexes(a, b));
}

/* The end of a block is the end of the synchronisation objects in it. */
static bool frees_object(const struct op *op, const struct op *other)
{
	return event_frees(op->kind) && op_is_on(other, OBJECT_DIES) &&
	       (other->object - op->object < op->size || other->object2 - op->object < op->size);
}

bool op_is_weak(const struct op *op)
{
	switch (op->kind) {
	case EV_ATOMIC_LOAD:
	case EV_ATOMIC_CAS_FAIL: return !order_acquires(op->order);
	case EV_ATOMIC_STORE: return !order_releases(op->order);
	case EV_ATOMIC_RMW:
	case EV_ATOMIC_RMW_SAME:
	case EV_ATOMIC_CAS: return !order_acquires(op->order) || !order_releases(op->order);
	}
	return false;
}

/* The bytes of a synchronisation object, of which the first stands for all. */
static bool accesses_object(const struct op *op, const struct op *other)
{
	return event_table[op->kind].object_class == OBJECT_MEMORY && op_has_object(other) &&
	       other->order == OBJECT_ACCESSED &&
	       (other->object - op->object < op->size || other->object2 - op->object < op->size);
}

/* To begin an object is to write it, though it is one of its operations. */
static bool begins_object_of(const struct op *op, const struct op *other)
{
	return event_is(op->kind, EV_INIT) && op_has_object(other) &&
	       (other->object == op->object || other->object2 == op->object);
}

/*
 * Of memory that is gone then, whoever accesses it next will show it.  To look at the bytes of a synchronisation object is
 * no use, but harmless.
 */
bool ops_race(const struct op *a, const struct op *b)
{
	if (event_takes_away(a->kind) || event_takes_away(b->kind))
		return false;
	if (accesses_object(a, b) || accesses_object(b, a))
		return a->kind == EV_WRITE || b->kind == EV_WRITE;
	if (begins_object_of(a, b) || begins_object_of(b, a))
		return true;
	return event_table[a->kind].object_class == OBJECT_MEMORY &&
	       event_table[b->kind].object_class == OBJECT_MEMORY &&
	       (event_is(a->kind, EV_PLAIN) || event_is(b->kind, EV_PLAIN));
}

/* See wire/system.h. */
static bool system_calls_conflict(const struct op *a, const struct op *b)
{
	return (a->object & (b->object | b->object2)) || (a->object2 & b->object);
}

/* A wait on a futex, which is otherwise a read of its word, and what wakes its waiters. */
static bool futexes_conflict(const struct op *a, const struct op *b)
{
	return a->kind == EV_FUTEX_WAIT && event_table[b->kind].object_class == OBJECT_COND && a->object == b->object;
}

bool ops_conflict(const struct op *a, const struct op *b)
{
	const struct event_info *ia = &event_table[a->kind], *ib = &event_table[b->kind];

	if ((ia->flags | ib->flags) & EV_LOCAL)
		return false;
	if ((ia->flags | ib->flags) & (EV_END | EV_QUIET) || a->kind == EV_RESUME || b->kind == EV_RESUME)
		return true;
	if (ia->object_class == OBJECT_MEMORY && ib->object_class == OBJECT_MEMORY)
		return (ia->effect == EFFECT_WRITE || ib->effect == EFFECT_WRITE || writes_beside_read(a, b) ||
			writes_beside_read(b, a)) &&
		       ranges_overlap(a, b);
	if (ia->object_class == OBJECT_SYSTEM || ib->object_class == OBJECT_SYSTEM)
		return ia->object_class == ib->object_class && system_calls_conflict(a, b);
	if (accesses_object(a, b) || accesses_object(b, a))
		return true;
	if (frees_object(a, b) || frees_object(b, a) || is_cancelled_by(a, b) || is_cancelled_by(b, a) ||
	    futexes_conflict(a, b) || futexes_conflict(b, a) || is_too_late_after(a, b) || is_too_late_after(b, a))
		return true;
	return conflicts_over_object(a, b) || conflicts_over_mutex(a, b) || conflicts_over_mutex(b, a);
}

static uint64_t word_bit(uint64_t address)
{
	return 1ull << hash_bits(address / 8, 6);
}

uint64_t op_footprint(const struct op *op)
{
	enum { MOST_WORDS = 16 };
	const struct event_info *info = &event_table[op->kind];
	uint64_t bits = word_bit(op->object);

	if (info->flags & EV_LOCAL)
		return 0;
	if (info->flags & (EV_END | EV_QUIET) || op->kind == EV_CANCEL || op->kind == EV_RESUME)
		return UINT64_MAX;
	if (info->object_class == OBJECT_SYSTEM)
		return op->object | op->object2;
	if (info->object_class != OBJECT_MEMORY)
		/* with a size it conflicts with who cancels the thread */
		return op->size ? UINT64_MAX : op->object2 ? bits | word_bit(op->object2) : bits;
	if (op->size / 8 >= MOST_WORDS)
		return UINT64_MAX;
	for (uint64_t word = op->object / 8 + 1; word * 8 < op->object + op->size; word++)
		bits |= word_bit(word * 8);
	return bits;
}

/* While something can be released it cannot be waited for: the release enables. */
static bool enables(unsigned object_class, unsigned release, unsigned acquire)
{
	if (!object_is(object_class, OBJECT_LOCK))
		return false;
	return (release == EFFECT_RELEASE && (acquire == EFFECT_ACQUIRE || acquire == EFFECT_READ_ACQUIRE)) ||
	       (release == EFFECT_READ_RELEASE && acquire == EFFECT_ACQUIRE);
}

static bool one_enables_the_other(unsigned object_class, unsigned a, unsigned b)
{
	return enables(object_class, a, b) || enables(object_class, b, a);
}

bool ops_may_be_coenabled(const struct op *a, const struct op *b)
{
	const struct event_info *ia = &event_table[a->kind], *ib = &event_table[b->kind];

	if ((ia->flags | ib->flags) & EV_QUIET)
		return ia->flags & ib->flags & EV_QUIET;
	if ((ia->flags | ib->flags) & EV_END || ia->object_class == OBJECT_SYSTEM)
		return true;
	if (conflicts_over_object(a, b))
		return !one_enables_the_other(ia->object_class, ia->effect, ib->effect);
	if (a->object2 && a->object2 == b->object2)
		return false; /* only one thread can release a mutex */
	if (conflicts_over_mutex(a, b))
		return ib->effect != EFFECT_ACQUIRE;
	if (conflicts_over_mutex(b, a))
		return ia->effect != EFFECT_ACQUIRE;
	/* two releases of one mutex: only its owner can */
	return !(ia->object_class == OBJECT_MUTEX && ib->object_class == OBJECT_MUTEX && a->object == b->object &&
		 ia->effect == EFFECT_RELEASE && ib->effect == EFFECT_RELEASE);
}
