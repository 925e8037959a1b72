/*
 * The initials of a race: the threads that can begin the continuation in which its
 * second event comes first.
 */
#ifndef INSPECT_EXPLORE_INITIALS_H
#define INSPECT_EXPLORE_INITIALS_H

#include "explore/order.h"

/* A set of threads. */
uint64_t race_initials(const struct order *order, const struct race *race);

#endif
