#include "wire/events.h"

const struct event_info event_table[EV_COUNT] = {
	[EV_NOTHING] = {"none", OBJECT_NONE, EFFECT_NONE, EV_LOCAL},
#define EVENT(id, name, object, effect, flags) [EV_##id] = {name, OBJECT_##object, EFFECT_##effect, flags},
#include "wire/events.def"
#undef EVENT
};

static bool ranges_overlap(const struct op *a, const struct op *b)
{
	return a->object < b->object + b->size && b->object < a->object + a->size;
}

/* Two mutex effects commute only when neither changes what the other sees. */
static bool mutex_effects_conflict(unsigned a, unsigned b)
{
	if (a == EFFECT_TEST && b == EFFECT_TEST)
		return false;
	if (a == EFFECT_RELEASE && b == EFFECT_RELEASE)
		return false; /* only the owner releases */
	return true;
}

/*
 * Waiters form a set (a signal chooses among them), so two waits commute; so
 * do two signals that find nobody.
 */
static bool cond_effects_conflict(unsigned a, unsigned b)
{
	if (a == EFFECT_WAIT && b == EFFECT_WAIT)
		return false;
	if (a == EFFECT_TEST && b == EFFECT_TEST)
		return false;
	return true;
}

static bool mutexes_conflict(uint64_t object_a, unsigned effect_a, uint64_t object_b, unsigned effect_b)
{
	return object_a && object_a == object_b && mutex_effects_conflict(effect_a, effect_b);
}

/* The mutex an operation touches and what it does to it; 0 if it touches none. */
static uint64_t mutex_of(const struct op *op, unsigned *effect)
{
	const struct event_info *info = &event_table[op->kind];

	if (info->object_class == OBJECT_MUTEX) {
		*effect = info->effect;
		return op->object;
	}
	*effect = EFFECT_RELEASE;
	return op->object2;
}

/* A wait on a futex, which is otherwise a read of its word, and what wakes its waiters. */
static bool futexes_conflict(const struct op *a, const struct op *b)
{
	return a->kind == EV_FUTEX_WAIT && event_table[b->kind].object_class == OBJECT_COND && a->object == b->object;
}

bool ops_conflict(const struct op *a, const struct op *b)
{
	const struct event_info *ia = &event_table[a->kind], *ib = &event_table[b->kind];
	unsigned ea, eb;

	if ((ia->flags | ib->flags) & EV_LOCAL)
		return false;
	if ((ia->flags | ib->flags) & EV_END)
		return true;
	if (ia->object_class == OBJECT_MEMORY && ib->object_class == OBJECT_MEMORY)
		return (ia->effect == EFFECT_WRITE || ib->effect == EFFECT_WRITE) && ranges_overlap(a, b);
	if (futexes_conflict(a, b) || futexes_conflict(b, a))
		return true;
	if (ia->object_class == OBJECT_THREAD && ib->object_class == OBJECT_THREAD)
		return a->object == b->object;
	if (ia->object_class == OBJECT_COND && ib->object_class == OBJECT_COND && a->object == b->object &&
	    cond_effects_conflict(ia->effect, ib->effect))
		return true;
	uint64_t ma = mutex_of(a, &ea), mb = mutex_of(b, &eb);
	return mutexes_conflict(ma, ea, mb, eb);
}

bool ops_may_be_coenabled(const struct op *a, const struct op *b)
{
	const struct event_info *ia = &event_table[a->kind], *ib = &event_table[b->kind];
	unsigned ea, eb;

	if ((ia->flags | ib->flags) & EV_END)
		return true;
	if (ia->object_class == OBJECT_COND && ib->object_class == OBJECT_COND && a->object == b->object &&
	    cond_effects_conflict(ia->effect, ib->effect))
		return true;
	uint64_t ma = mutex_of(a, &ea), mb = mutex_of(b, &eb);
	if (!ma || ma != mb)
		return true;
	/* while it can be released it cannot be waited for: an acquire only races with an acquire */
	if (ea == EFFECT_RELEASE && eb == EFFECT_RELEASE)
		return false;
	return !((ea == EFFECT_RELEASE && eb == EFFECT_ACQUIRE) || (eb == EFFECT_RELEASE && ea == EFFECT_ACQUIRE));
}
