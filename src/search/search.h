/*
 * A search: a strategy at work on one program. Traces go in, plans come out, one after the other; it neither runs
 * executions nor looks at the program.
 */
#ifndef INSPECT_SEARCH_SEARCH_H
#define INSPECT_SEARCH_SEARCH_H

#include "execute/plan.h"
#include "findings/meetings.h"
#include "order/order.h"

struct channel;
struct strategy;

/* What a search is given before it starts. */
struct search_setup {
	struct channel *channel; /* what is known of the program, and where its states are looked up; NULL in tests */
	uint64_t state_memory; /* bytes, for strategies that keep states */
	bool keep_going; /* explore also what lies behind executions that were cut short */
};

/* What a strategy has seen in the last execution that the execution by itself does not show. */
struct insight {
	bool livelock; /* its last steps are once round a livelock */
	struct meeting_list meetings; /* data races of states that it was the first to come to */
};

/* How much of a program's behaviour the executions so far stand for. */
enum coverage {
	COVERAGE_PART, /* there is more to explore, or nobody knows */
	COVERAGE_ALL, /* every relevant interleaving: what "verified" needs */
	COVERAGE_UNSURE, /* nothing is left to do, but something may have been missed: RESULT_UNSURE */
	COVERAGE_LOST, /* the search cannot go on (search->lost); strategy->instead can */
};

struct search {
	const struct strategy *strategy;
	struct search_setup setup;
	struct order order; /* happens-before of the last execution */
	bool everything; /* explore every enabled thread that does not sleep: no reduction but sleep sets */
	struct insight insight; /* its lists are the strategy's to free */
	const char *lost; /* why the search cannot go on; NULL: it can */
	void *own; /* the strategy's: struct dfs, struct stateful */
};

void search_init(struct search *search, const struct strategy *strategy, const struct search_setup *setup);
void search_release(struct search *search);
/* Back to the very beginning, with the same strategy or another one. */
void search_restart(struct search *search, const struct strategy *strategy);

/*
 * An execution, whose events from `from` on are new: the plan came from search_next(), and that is its last step. It
 * is taken in even if it was abandoned: the races of one that fell asleep may not show in any other. Where stop_due()
 * (common/stopping.h), not all of it may have been, and nothing that the search would say from then on counts.
 */
void search_take_in(struct search *search, const struct trace *trace, uint32_t from);

/*
 * The same in parts, for one that goes on and begins as the last one did: what can be done about its first `nevents`
 * events, which will not change any more. search_take_in() follows, or search_forget_begun().
 */
void search_begin(struct search *search, const struct trace *trace, uint32_t from);
void search_look(struct search *search, uint32_t nevents);
void search_forget_begun(struct search *search);

/* The next execution need not have anything in common with the last one. */
void search_forget_order(struct search *search);

/* The next plan; false when the strategy has none: search_coverage() says what that means. */
bool search_next(struct search *search, struct plan *plan);
enum coverage search_coverage(const struct search *search);

#endif
