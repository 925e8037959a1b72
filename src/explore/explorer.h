/*
 * One explorer: an executor, a search and what is made of its executions.  Used by explore(), which runs a
 * search to its end, and by the workers of src/cluster, which run parts of one.
 *
 *   explorer_run       the plan, as an execution
 *   (channel->news)    memory thought private is shared, or the like: explorer_take_in_news(), explorer_restart()
 *   explorer_take_in   what it showed: findings, and what else is to be explored
 *   explorer_next      the next plan
 */
#ifndef INSPECT_EXPLORE_EXPLORER_H
#define INSPECT_EXPLORE_EXPLORER_H

#include "execute/executor.h"
#include "explore/explore.h"
#include "explore/outcomes.h"
#include "findings/record.h"
#include "order/second_opinion.h"
#include "search/strategy.h"

struct explorer {
	const struct explore_options *options;
	struct executor executor;
	struct search search;
	struct recorder recorder;
	struct result *result;
	struct outcomes outcomes;
	struct second_opinion second;
	struct plan plan; /* of the execution that goes on, or was the last of the search */
	struct run run; /* that */
	bool begun; /* what is known was taken back to where it is new */
	double start;
	uint64_t spun; /* executions in which somebody went round a loop for nothing */
	uint32_t shortest; /* events of the shortest complete execution; 0: there is none yet */
	uint64_t dragged; /* … in which somebody took very many steps in a row, so that others were given a turn */
	bool unsure; /* an execution was abandoned that may not have been redundant */
};

/* Start the program, which may die(), with a plan for its first execution. */
void explorer_init(struct explorer *explorer, const struct explore_options *options, const struct strategy *strategy);
/* All but the result. */
void explorer_release(struct explorer *explorer);

/* An empty result, which says what is searched for. */
struct result *explorer_new_result(const struct explore_options *options, const struct strategy *strategy);

/* Run the plan; false when it is time to stop (common/stopping.h). */
bool explorer_run(struct explorer *explorer);
/*
 * Take in the execution that has just ended; false when the search cannot go on: see explorer_why_broken().  Where
 * stop_due(), the findings that were confirmed count, and nothing else that it may have changed.
 */
bool explorer_take_in(struct explorer *explorer);
/* The execution brought news: take in the finding that it ends with, if there is one. */
void explorer_take_in_news(struct explorer *explorer);
const char *explorer_why_broken(const struct explorer *explorer);
/* Why it stops, where stop_due(). */
const char *explorer_why_stopped(const struct explorer *explorer);
/* The next plan; false when nothing is left to do, unless stop_due(). */
bool explorer_next(struct explorer *explorer);

/* What was explored so far does not count, but what was found stays: begin with the first execution. */
void explorer_restart(struct explorer *explorer, const struct strategy *strategy);
/* The plan has nothing to do with the last execution. */
void explorer_begin(struct explorer *explorer);

#endif
