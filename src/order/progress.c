#include "order/progress.h"

#include "wire/plan.h"

bool event_is_progress(const struct event *event)
{
	const struct event_info *info = &event_table[event->op.kind];

	switch (event->op.kind) {
	case EV_COND_SIGNAL_NONE:
	case EV_COND_BROADCAST_NONE:
	case EV_FUTEX_WAKE_NONE:
	case EV_FUTEX_AGAIN:
	case EV_ATOMIC_BEGIN:
	case EV_ATOMIC_END:
	case EV_FENCE: return false;
	}
	switch (info->object_class) {
	case OBJECT_MEMORY: return info->effect == EFFECT_WRITE;
	case OBJECT_MUTEX:
	case OBJECT_RWLOCK: return info->effect == EFFECT_CHANGE;
	case OBJECT_SEM: return event->op.kind != EV_SEM_TRYWAIT_FAIL;
	}
	return true;
}

bool event_is_attempt(const struct event *event)
{
	switch (event->op.kind) {
	case EV_MUTEX_TRYLOCK_FAIL:
	case EV_SPIN_TRYLOCK_FAIL:
	case EV_RWLOCK_TRYRDLOCK_FAIL:
	case EV_RWLOCK_TRYWRLOCK_FAIL:
	case EV_SEM_TRYWAIT_FAIL: return true;
	}
	return event_table[event->op.kind].object_class == OBJECT_MEMORY && !event_is_progress(event);
}
