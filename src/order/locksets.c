#include "order/locksets.h"

#include "common/invariant.h"

#include <string.h>

void locksets_begin(struct locksets *locksets)
{
	memset(locksets->held, 0, sizeof locksets->held);
}

static uint64_t lock_bit(struct locksets *locksets, uint64_t lock)
{
	for (unsigned i = 0; i < locksets->nlocks; i++)
		if (locksets->locks[i] == lock)
			return 1ull << i;
	invariant(locksets->nlocks <= MAX_LOCKS);
	if (locksets->nlocks == MAX_LOCKS)
		return 0;
	locksets->locks[locksets->nlocks] = lock;
	return 1ull << locksets->nlocks++;
}

/* What was held in memory that is gone, or that is a new lock now, is not held by anybody. */
static void forget_locks(struct locksets *locksets, uint64_t start, uint64_t size)
{
	for (unsigned i = 0; i < locksets->nlocks; i++)
		for (unsigned k = 0; locksets->locks[i] - start < size && k < MAX_THREADS; k++)
			locksets->held[k] &= ~(1ull << i);
}

void locksets_follow(struct locksets *locksets, const struct event *event)
{
	const struct op *op = &event->op;
	const struct event_info *info = &event_table[op->kind];
	uint64_t *held = &locksets->held[event->thread];

	if (op->kind == EV_FREE)
		forget_locks(locksets, op->object, op->size);
	/* what only one thread can have at a time */
	if (!op_is_on(op, OBJECT_LOCK) && info->effect != EFFECT_WAIT)
		return;
	if (event_is(op->kind, EV_TAKES_NOTHING))
		return;
	switch (info->effect) {
	case EFFECT_ACQUIRE:
	case EFFECT_TRY_ACQUIRE: *held |= lock_bit(locksets, op->object); break;
	case EFFECT_RELEASE: *held &= ~lock_bit(locksets, op->object); break;
	case EFFECT_WAIT: *held &= ~lock_bit(locksets, op->object2); break;
	case EFFECT_CHANGE: forget_locks(locksets, op->object, 1); break;
	}
}
