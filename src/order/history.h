/*
 * What the operations of an execution say about its locks: who holds them, which threads
 * ended with some, which objects were initialised and not destroyed, or used and never initialised.
 *
 * Of an execution that begins like the one before, only what is new is looked at.
 */
#ifndef INSPECT_ORDER_HISTORY_H
#define INSPECT_ORDER_HISTORY_H

#include "storage/table.h"
#include "order/held.h"
#include "order/keys.h"
#include "order/undo.h"

/* An initialisation; those that no destruction followed are a circular list, oldest first, through the first item. */
struct made {
	uint32_t event;
	uint32_t next, previous;
	bool noted; /* the user's: has been told */
};

struct history {
	struct held held;
	struct held_lock *ends; /* locks whose holders ended without releasing them */
	uint32_t nends, ends_size;
	uint32_t *uses; /* events that use an object that nobody had initialised */
	uint32_t nuses, uses_size;
	struct made *made;
	uint32_t nmade, made_size;
	struct table keys; /* of objects that were initialised */
	uint32_t *last; /* per key: its last initialisation, an item of made; 0 once it is destroyed */
	uint32_t last_size;
	struct undo undo;
	struct history_extent {
		uint32_t event, held, nends, nuses, nmade, nkeys, changes; /* as it was before the event */
	} *extents; /* nextents of them */
	uint32_t nextents, extents_size;
	uint32_t known; /* events */
};

void history_init(struct history *history);
void history_release(struct history *history);
/* Take back what was followed from this event on; 0: everything. */
void history_back(struct history *history, uint32_t event);
/* All of it, looked at again. */
bool history_is_valid(const struct history *history);
/* Go on with the trace, from the first event that is not known up to so many of them. */
void history_follow(struct history *history, const struct trace *trace, uint32_t nevents);

#endif
