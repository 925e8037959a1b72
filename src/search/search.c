#include "search/search.h"

#include "common/invariant.h"
#include "common/stopping.h"
#include "search/strategy.h"

static void begin(struct search *search)
{
	order_init(&search->order);
	search->strategy->init(search);
	invariant(search->own);
}

static void end(struct search *search)
{
	invariant(search->own);
	search->strategy->release(search);
	order_release(&search->order);
	search->insight = (struct insight){0};
	search->lost = NULL;
	search->own = NULL;
}

void search_init(struct search *search, const struct strategy *strategy, const struct search_setup *setup)
{
	invariant(strategy->init && strategy->take_in && strategy->next && strategy->coverage && strategy->release);
	*search = (struct search){.strategy = strategy, .setup = *setup};
	begin(search);
}

void search_release(struct search *search)
{
	end(search);
}

void search_restart(struct search *search, const struct strategy *strategy)
{
	end(search);
	search->strategy = strategy;
	begin(search);
}

void search_begin(struct search *search, const struct trace *trace, uint32_t from)
{
	order_begin(&search->order, trace, from);
}

void search_look(struct search *search, uint32_t nevents)
{
	invariant(nevents <= MAX_EVENTS + MAX_THREADS);
	order_follow(&search->order, nevents);
}

void search_forget_begun(struct search *search)
{
	order_give_up(&search->order);
}

void search_forget_order(struct search *search)
{
	order_forget(&search->order);
}

void search_take_in(struct search *search, const struct trace *trace, uint32_t from)
{
	invariant(from <= trace->nevents);
	order_compute(&search->order, trace, from);
	if (!stop_due())
		search->strategy->take_in(search, trace, from);
	invariant(!search->lost || search->strategy->instead); /* who may be lost says who goes on */
}

bool search_next(struct search *search, struct plan *plan)
{
	if (search->lost || !search->strategy->next(search, plan))
		return false;
	debug_invariant(plan_is_valid(plan));
	return true;
}

enum coverage search_coverage(const struct search *search)
{
	return search->lost ? COVERAGE_LOST : search->strategy->coverage(search);
}
