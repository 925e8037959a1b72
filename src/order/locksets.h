/*
 * Which mutexes each thread holds, as a set of bits: two operations whose threads hold a lock in common
 * are never both about to happen.  (held.h has the locks themselves, and since when, for reports.)
 */
#ifndef INSPECT_ORDER_LOCKSETS_H
#define INSPECT_ORDER_LOCKSETS_H

#include "wire/plan.h"

enum { MAX_LOCKS = 64 }; /* those beyond are not counted, which is safe */

struct locksets {
	uint64_t locks[MAX_LOCKS]; /* addresses, by bit; the same in all executions of a search */
	unsigned nlocks;
	uint64_t held[MAX_THREADS];
};

/* At the beginning of an execution: nobody holds anything. */
void locksets_begin(struct locksets *locksets);
/* The event happens. */
void locksets_follow(struct locksets *locksets, const struct event *event);

#endif
