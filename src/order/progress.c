#include "order/progress.h"

#include "wire/plan.h"

bool event_is_progress(const struct event *event)
{
	const struct event_info *info = &event_table[event->op.kind];

	if (info->flags & EV_IDLE)
		return false;
	if (info->object_class == OBJECT_MEMORY)
		return info->effect == EFFECT_WRITE;
	return !object_is(info->object_class, OBJECT_LOCK) || info->effect == EFFECT_CHANGE;
}

bool event_is_attempt(const struct event *event)
{
	const struct event_info *info = &event_table[event->op.kind];

	return info->flags & EV_FAILED || (info->object_class == OBJECT_MEMORY && !event_is_progress(event));
}
