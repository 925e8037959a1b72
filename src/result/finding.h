/*
 * What a search found and what it covered: plain data, made by src/search and src/findings, read
 * by src/report and src/cli.
 */
#ifndef INSPECT_RESULT_FINDING_H
#define INSPECT_RESULT_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "result/execution.h"

enum finding_kind {
#define FINDING(id, ...) FINDING_##id,
#include "result/findings.def"
#undef FINDING
	FINDING_KINDS
};

/* When a search looks for findings of a kind, so that its verdict may say that there are none. */
enum sought { SOUGHT_ALWAYS, SOUGHT_UNLESS_ENDLESS, SOUGHT_IF_ASKED, SOUGHT_BY_EXIT_POLICY };

/* Which operations of the interleaving the finding is about. */
enum key_rows {
	KEY_LAST, /* the one that it ends with */
	KEY_ACCESSES, /* two, which the finding's threads and sites name */
	KEY_WAITING, /* those that threads did not get to do; only here are these shown */
	KEY_NONE,
};

/* What is known of a kind of finding; the rows are in result/findings.def. */
struct finding_info {
	const char *name;
	unsigned verdict_place; /* where the verdict's sentence names it, from 1; 0: it does not */
	const char *absent; /* in that sentence: "no deadlock" */
	const char *many; /* in the help: "reports deadlocks" */
	const char *about; /* in README.md */
	const char *advice; /* of one that may be a warning: why, and how to make it a bug */
	enum sought sought;
	enum key_rows key_rows;
	bool quotes; /* its explanation quotes the source line, which need not be quoted below the heading then */
};

extern const struct finding_info finding_table[FINDING_KINDS];
/* The kind that the verdict's sentence names at this place; NULL: there is no such place. */
const struct finding_info *finding_at_place(unsigned verdict_place);

/* What is outside POSIX but works on this platform, and is a bug only if the user says so: never initialised, hidden state. */
enum strict { STRICT_NONE, STRICT_INIT, STRICT_POSIX, STRICT_ALL };

/*
 * One bug, or a warning.  Findings of one kind at the same pair of sites are one finding;
 * `count` says in how many executions it was seen.
 */
struct finding {
	enum finding_kind kind;
	bool warning; /* it is in result->warnings: no bug */
	char *message; /* one line without file and line, e.g. "data race on counter" */
	uint32_t thread;
	uint32_t site; /* where: file and line of the report */
	uint32_t other_thread,
		other_site; /* of a race: the second access; of a deadlock: another waiter; else as above */
	uint64_t object; /* of a lock that an ending thread holds: that lock; else 0 */
	bool weak; /* a race between accesses that only weak atomics keep apart: they are not adjacent */
	uint64_t fault_pc; /* of a crash or hang in the program's own code: more exact than site; else 0 */
	uint64_t count;
	uint64_t last_seen; /* the execution that was counted last */
	uint32_t preemptions; /* times a running thread that could go on was switched away from */
	struct execution execution; /* execution.events[] are the schedule: thread and choice of each */
	char *trace_path; /* where the trace was written, NULL if it was not */
};

/* What is worth knowing and no bug: an object that was initialised at the site and not destroyed at exit. */
struct note {
	unsigned object_kind; /* enum object_kind */
	uint32_t site;
	uint64_t object;
};

/*
 * A limit that executions ran into, which is no bug: they were cut short, so that not everything was explored.  Those of
 * one kind at one place are one.
 */
struct limit {
	uint32_t ending; /* ENDING_STEPS: too many steps; ENDING_HANG: none for too long */
	uint32_t thread, site; /* who took most of the last steps, and where its loop is */
	uint64_t fault_pc; /* of ENDING_HANG: where it was, if that is in the program's own code; else 0 */
	uint64_t count; /* executions */
	struct thread_name names[MAX_THREADS];
};

/* Which exit statuses are a finding: 0 in one schedule and not in another, any two that differ, one that is not 0, none. */
enum exit_policy { EXIT_MIXED, EXIT_SAME, EXIT_ZERO, EXIT_ANY };

enum verdict { VERDICT_VERIFIED, VERDICT_BUG, VERDICT_INCOMPLETE };

/* Shares of the time that the search took; what is neither is the handoff between the processes. */
struct shares {
	double run; /* the program ran */
	double reset; /* the program was put back to its start while nothing else could be done */
	double analysis; /* the explorer worked */
	double whole_reset; /* the program was put back, whether or not anybody waited for it */
	/* in seconds, of the execution that took the least: other processes hardly disturb that */
	double fastest_run, fastest_reset, fastest_analysis;
	double capture; /* the program's states were hashed: part of `run` */
	double fastest_answer; /* from a request to its answer: the run and the handoff */
	uint64_t resumed; /* executions that were not run from the start but from a resume point */
	uint64_t ahead, given_up; /* … that the executor began before it was asked for them; that it began in vain */
};

/* What one of several workers did. */
struct worker_share {
	uint64_t units, executions;
	uint64_t messages, bytes; /* to and from it */
	double idle; /* seconds */
};

struct result {
	enum verdict verdict;
	bool complete; /* every relevant interleaving was explored */
	const char *search; /* name of the strategy */
	bool ended; /* nothing is left that a save file could be needed for */
	unsigned unconfirmed; /* findings that it was too late to replay, and that do not count */
	const char *stopped; /* why the search was not complete, e.g. "interrupted"; NULL when complete */
	char *broken; /* the same, as a worker told it: ours to free */
	uint64_t executions; /* complete ones */
	uint64_t blocked; /* abandoned as redundant */
	uint64_t assumed; /* given up because an assumption did not hold */
	uint64_t transitions; /* visible operations executed, all executions together */
	bool stateful; /* states were recognised: */
	uint64_t states; /* different ones; one that was forgotten and came again counts twice */
	uint64_t states_forgotten; /* to make room for others */
	uint64_t state_hits; /* steps that led to one that was known */
	uint64_t state_bytes; /* memory for them */
	bool weak_unsure; /* … and a race that only weak atomics hide may not have been seen */
	bool endless; /* with states: some executions never end, and are no livelock that is told (search/stateful/cycles.h) */
	const char *gave_up_states; /* why the search went on without them, or NULL */
	uint32_t threads; /* most in one execution, main included */
	uint32_t max_depth; /* most events in one execution */
	double wall_seconds;
	struct worker_share *workers; /* nworkers, if there were several */
	unsigned nworkers;
	bool profiled;
	struct shares shares; /* if profiled */
	uint64_t seed;
	enum exit_policy exit_policy; /* what was searched for, so that a verdict can say it */
	bool leaks; /* … likewise */
	uint32_t timeouts; /* enum timeouts: which ends of timed waits were explored */
	uint32_t idle_rounds; /* of waiting loops that were explored, one after the other (wire/channel.h) */
	char *refusal; /* what the program does that we cannot check (exit status 2), or NULL */
	uint32_t refusal_site;
	struct finding **findings;
	unsigned nfindings;
	struct finding **warnings;
	unsigned nwarnings;
	struct note *notes;
	unsigned nnotes;
	struct limit *limits;
	unsigned nlimits;
	uint32_t max_steps; /* what the limits were, so that a report can name them */
	double watchdog;
};

/* The finding, or warning, of the same kind and sites that is there already, or NULL. */
struct finding *result_find(const struct result *result, const struct finding *wanted);
/* It is the result's then. */
void result_add(struct result *result, struct finding *finding);
/* What was explored does not count any more.  What was found stays, and is counted anew. */
void result_start_again(struct result *result);
/*
 * What was spent on executions that were cut short, in steps: MANY_CUT_STEPS are enough, unless the search is to keep
 * going.  At least MIN_CUT executions are needed for that; one that hung, which takes long, counts as much as a long one.
 */
enum { MANY_CUT_STEPS = 1000000, MIN_CUT = 10 };
uint64_t result_cut_steps(const struct result *result);
/* Count it, as often as it says. */
void result_add_limit(struct result *result, const struct limit *limit);

/* How many times the average the busiest of the workers did; 1 if there are none. */
double result_balance(const struct result *result);
/* Did the search look for findings of this kind? */
bool result_seeks(const struct result *result, const struct finding_info *info);
/*
 * Does the verdict say what `complete` and the lists say? What is complete was not stopped and not cut short. Bugs and
 * warnings are in the lists where they belong, each once.
 */
bool result_is_valid(const struct result *result);

const char *finding_kind_name(enum finding_kind kind);
/* Are kind, threads and counts in range, and is the execution (execution_is_valid())? Whoever tells it relies on that. */
bool finding_is_valid(const struct finding *finding);

/* A lock that a thread holds when it ends, which unlike other misuse has a place of its own only. */
static inline bool finding_is_held_lock(const struct finding *finding)
{
	return finding->kind == FINDING_LOCK && finding->other_site != finding->site;
}

void finding_free(struct finding *finding);

/* As execution_pack(); a trace file belongs to the process that wrote it, and is left out. */
void finding_pack(const struct finding *finding, struct buffer *buffer);
struct finding *finding_unpack(struct packed *packed);

/* Why searches stop, where others ask for the reason. */
#define RESULT_CUT "an execution was cut short"
#define RESULT_NO_END "no execution came to its end"
#define RESULT_MANY_CUT "many executions were cut short (--keep-going explores the rest)"
#define RESULT_WANTS_STATES "loops are gone round again and again: --stateful may recognise that"
#define RESULT_UNSURE "a loop looks at several places, and a time limit was reached meanwhile"

void result_free(struct result *result);

#endif
