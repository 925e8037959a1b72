/*
 * The search, seen from outside: options in, result out.
 */
#ifndef INSPECT_EXPLORE_EXPLORE_H
#define INSPECT_EXPLORE_EXPLORE_H

#include <signal.h>

#include "explore/finding.h"

/* What a progress line shows; called at most a few times a second, from the search loop. */
struct progress {
	uint64_t executions, blocked, assumed, transitions;
	uint32_t depth; /* events of the last execution */
	double seconds; /* since the start */
	unsigned findings;
	unsigned workers, busy; /* of several; 0: there is only one */
};

struct explore_options {
	const char *program; /* path of the executable, built with `inspect cc` */
	char *const *argv; /* argv[0] and the program's arguments, NULL-terminated */
	char **environment; /* of the program, which then inherits no open files, either; NULL: as we have them */
	bool no_input; /* standard input is not the user's */
	bool shares_files; /* other workers may run the program at the same time, or this one be killed: it must not change files */
	const char *search; /* name of a strategy: see strategy_find() in explore/strategy.h */
	enum isolation isolation;
	uint64_t max_executions; /* 0: no limit */
	double max_seconds; /* 0: no limit */
	uint32_t max_steps; /* 1 … MAX_EVENTS */
	uint32_t checkpoints; /* steps between two checkpoints in long executions, at least; 0: none */
	double watchdog; /* seconds without a visible operation before an execution counts as hanging */
	bool keep_going; /* do not stop at the first finding */
	unsigned max_findings; /* with keep_going: stop after so many; 0: no limit */
	enum exit_policy exit_policy;
	enum strict strict; /* which warnings are bugs */
	struct modes modes; /* what the program may meet besides schedules */
	bool no_awaits; /* busy waiting is no blocking operation */
	bool all_visible; /* memory but stacks is never thought private */
	bool paper_heuristic; /* several workers: as Yang's dissertation does it, for comparison */
	bool stateful; /* recognise states: `search` is not asked */
	bool may_want_states; /* stop where it seems better to recognise them: RESULT_WANTS_STATES */
	uint64_t state_memory; /* bytes for them */
	bool exact_states; /* for tests: compare states in full */
	bool profile; /* find out where the time goes: result->profile */
	bool leaks; /* look for heap blocks that are never freed and that nothing points to */
	uint64_t seed;
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
/* Why searches stop, where others ask for the reason. */
#define RESULT_CUT "an execution was cut short"
#define RESULT_NO_END "no execution came to its end"
#define RESULT_MANY_CUT "many executions were cut short (--keep-going explores the rest)"
#define RESULT_WANTS_STATES "loops are gone round again and again: --stateful may recognise that"
#define RESULT_UNSURE "a loop looks at several places, and a time limit was reached meanwhile"
void result_free(struct result *result);

/*
 * Run one schedule: the threads and choices of its events, checked event by event
 * against kind, site and object.  Of `schedule` the events, names, shared pieces, features,
 * the ending and the watched steps matter.  The outcome is a recording with values; *divergence is the
 * index of the first differing event, or -1.
 * Only program, argv, isolation, modes, max_steps, watchdog and leaks of the options matter.
 */
void explore_replay(const struct explore_options *options, const struct recording *schedule,
		    struct recording *recording, int64_t *divergence);
void recording_release(struct recording *recording);

/* The names of all strategies, NULL-terminated, with a line of help each. */
struct strategy_name {
	const char *name, *help;
};
extern const struct strategy_name strategy_names[];

#endif
