/*
 * One explorer: an executor, a search and what is made of its executions.  Used by explore(), which runs a
 * search to its end, and by the workers of src/cluster, which run parts of one.
 *
 *   explorer_run       the plan, as an execution
 *   (channel->news)    memory thought private is shared, or the like: explorer_take_in_news(), explorer_restart()
 *   explorer_take_in   what it showed: findings, and what else is to be explored
 *   explorer_next      the next plan
 *
 * Where there is a guest (wire/guest.h), it does the same in the program's process as long as there is nothing more to be
 * done than that: explorer_run() returns when there is. How far it has come by then, the stage says, and the others of
 * these functions do what is left.
 */
#ifndef INSPECT_EXPLORE_EXPLORER_H
#define INSPECT_EXPLORE_EXPLORER_H

#include "execute/executor.h"
#include "explore/explore.h"
#include "explore/outcomes.h"
#include "findings/record.h"
#include "order/second_opinion.h"
#include "search/strategy.h"

/* What has been done about the execution in the channel. */
enum explorer_stage {
	STAGE_RUN, /* it has been run, or is to be */
	STAGE_ANALYSED, /* the search has taken it in */
	STAGE_TAKEN_IN, /* … and nothing was found in it */
	STAGE_NO_PLAN, /* … and there is no next one */
};

struct explorer {
	const struct explore_options *options;
	enum explorer_stage stage;
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
/* Why no further execution is to be run, whatever the strategy says; NULL: there is no reason. */
const char *explorer_limit(const struct explorer *explorer);
/* As many findings as were asked for. */
bool explorer_findings_due(const struct explorer *explorer);
const char *explorer_why_broken(const struct explorer *explorer);
/* Why it stops, where stop_due(). */
const char *explorer_why_stopped(const struct explorer *explorer);
/* The next plan; false when nothing is left to do, unless stop_due(). */
bool explorer_next(struct explorer *explorer);

/*
 * The guest's part (wire/guest.h), with the explorer as context: take in the execution that the program has just run, and ask
 * for the next one. False where there is something that is not the guest's to do.
 */
bool explorer_go_on(void *context);

/* What was explored so far does not count, but what was found stays: begin with the first execution. */
void explorer_restart(struct explorer *explorer, const struct strategy *strategy);
/* The plan has nothing to do with the last execution. */
void explorer_begin(struct explorer *explorer);

#endif
