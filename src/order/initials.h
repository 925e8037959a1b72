/*
 * The initials of a race: the threads that can begin the continuation in which its
 * second event comes first.
 */
#ifndef INSPECT_ORDER_INITIALS_H
#define INSPECT_ORDER_INITIALS_H

#include "order/order.h"

/* The operation that the race's second thread performs when it comes first, as far as that is known. */
struct op race_second_op(const struct order *order, const struct race *race);

/* A set of threads. */
uint64_t race_initials(const struct order *order, const struct race *race);

#endif
