#include "report/locks.h"

#include "common/trouble.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void acquire(struct locks *locks, uint64_t mutex, uint32_t thread, uint32_t step)
{
	if (locks->count == locks->capacity) {
		locks->capacity = locks->capacity ? 2 * locks->capacity : 16;
		locks->items = xrealloc(locks->items, locks->capacity * sizeof *locks->items);
	}
	locks->items[locks->count++] = (struct held){mutex, thread, step};
}

static void release(struct locks *locks, uint64_t mutex)
{
	for (size_t i = locks->count; i-- > 0;) {
		if (locks->items[i].mutex != mutex)
			continue;
		locks->count--;
		memmove(&locks->items[i], &locks->items[i + 1], (locks->count - i) * sizeof *locks->items);
		return;
	}
}

void locks_init(struct locks *locks, const struct recording *recording, uint32_t step)
{
	*locks = (struct locks){0};
	assert(step <= recording->nevents);
	for (uint32_t i = 0; i < step; i++) {
		const struct event *event = &recording->events[i];
		switch (event->op.kind) {
		case EV_MUTEX_LOCK:
		case EV_MUTEX_TRYLOCK:
		case EV_GUARD_BEGIN:
		case EV_COND_WAKE: acquire(locks, event->op.object, event->thread, i); break;
		case EV_GUARD_END:
		case EV_MUTEX_UNLOCK: release(locks, event->op.object); break;
		case EV_COND_WAIT: release(locks, event->op.object2); break;
		}
	}
}

void locks_release(struct locks *locks)
{
	free(locks->items);
	*locks = (struct locks){0};
}

const struct held *locks_owner(const struct locks *locks, uint64_t mutex)
{
	for (size_t i = locks->count; i-- > 0;) {
		if (locks->items[i].mutex == mutex)
			return &locks->items[i];
	}
	return NULL;
}
