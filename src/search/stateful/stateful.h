/*
 * The strategy that keeps the states of the program: no move is taken twice from the same state (search/strategy.h).
 */
#ifndef INSPECT_SEARCH_STATEFUL_STATEFUL_H
#define INSPECT_SEARCH_STATEFUL_STATEFUL_H

#include "search/strategy.h"

void stateful_init(struct search *search);
void stateful_take_in(struct search *search, const struct trace *trace, uint32_t from);
bool stateful_next(struct search *search, struct plan *plan);
enum coverage stateful_coverage(const struct search *search);
void stateful_figures(const struct search *search, struct result *result);
void stateful_release(struct search *search);

#endif
