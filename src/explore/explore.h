/*
 * The search, seen from outside: options in, result out.
 */
#ifndef INSPECT_EXPLORE_EXPLORE_H
#define INSPECT_EXPLORE_EXPLORE_H

#include <signal.h>

#include "execute/executor.h"
#include "result/finding.h"

/* What a progress line shows; called at most a few times a second, from the search loop. */
struct progress {
	uint64_t executions, blocked, assumed, transitions;
	uint32_t depth; /* events of the last execution */
	double seconds; /* since the start */
	unsigned findings;
	unsigned workers, busy; /* of several; 0: there is only one */
};

struct explore_options {
	struct run_options run; /* with run.stateful, states are recognised: `search` is not asked */
	const char *search; /* name of a strategy: see explore/strategies.h */
	uint64_t max_executions; /* 0: no limit */
	double max_seconds; /* 0: no limit */
	bool keep_going; /* do not stop at the first finding */
	unsigned max_findings; /* with keep_going: stop after so many; 0: no limit */
	enum exit_policy exit_policy;
	enum strict strict; /* which warnings are bugs */
	bool inside; /* the search may go on in the program's process (wire/guest.h) */
	bool may_want_states; /* stop where it seems better to recognise them: RESULT_WANTS_STATES */
	uint64_t state_memory; /* bytes for them */
	const char *outcomes; /* file for the distinct ends of executions (outcomes.h), or NULL */
	volatile sig_atomic_t *interrupted; /* set by the caller's signal handler: stop soon */
	void (*progress)(const struct progress *progress); /* may be NULL */
};

/*
 * Run the search to its end.  The program's processes are gone when it returns.
 * A program that cannot be run at all (not built by us, another version, no
 * permission) ends the command with die(); the result is the caller's, to free
 * with result_free().
 */
struct result *explore(const struct explore_options *options);
/* The verdict of a search that has ended, or was stopped. */
void result_conclude(struct result *result);

/*
 * Run one schedule: the threads and choices of its events, checked event by event
 * against kind, site and object.  Of `schedule` the events, names, shared pieces, features,
 * the ending and the watched steps matter.  The outcome is an execution with values; *divergence is the
 * index of the first differing event, or -1.
 * Only program, argv, isolation, modes, max_steps, watchdog and leaks of the options matter.
 */
void explore_replay(const struct explore_options *options, const struct execution *schedule,
		    struct execution *execution, int64_t *divergence);

#endif
