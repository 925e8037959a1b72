/*
 * Turning what an execution showed into findings, each replayed before it counts.
 */
#ifndef INSPECT_FINDINGS_RECORD_H
#define INSPECT_FINDINGS_RECORD_H

#include <signal.h>

#include "execute/executor.h"
#include "findings/meetings.h"
#include "order/history.h"
#include "order/order.h"
#include "order/weak.h"

/* What counts as a bug. */
struct findings_policy {
	enum exit_policy exit_policy;
	enum strict strict; /* which warnings are bugs */
	volatile sig_atomic_t *interrupted; /* set by a signal handler: stop soon */
};

/* What findings are made from; owned by the explorer. */
struct recorder {
	struct executor *executor;
	struct findings_policy policy;
	struct result *result;
	bool have_exit_status;
	int32_t exit_status; /* of the first execution that ended by itself */
	struct weak *weak; /* for races behind weak atomics */
	struct history history;
	bool begun; /* the history was taken back to where the execution that goes on, or has just ended, is new */
	struct plan plan; /* of the last replay */
};

void record_init(struct recorder *recorder, struct executor *executor, struct result *result,
		 const struct findings_policy *policy);
void record_release(struct recorder *recorder);

/* Of the execution that goes on, the events from `from` on are new. */
void record_begin(struct recorder *recorder, uint32_t from);
/* So many of its events will not change any more. */
void record_look(struct recorder *recorder, const struct trace *trace, uint32_t nevents);

/* The next execution may have nothing in common with the last one. */
void record_forget(struct recorder *recorder);

/*
 * Look at a finished execution and at the races in it, of which the events from `from`
 * on are new.  New findings are replayed,
 * recorded and added to the result; known ones are counted.  False when the search
 * cannot go on: the program is not deterministic, or does what we do not support.
 * Where stop_due() (common/stopping.h), what was not confirmed by then is counted in
 * result->unconfirmed.
 */
bool record_execution(struct recorder *recorder, const struct order *order, uint32_t from);

/* Is there nothing in the execution that record_execution() would have to do anything about?  Changes nothing that counts. */
bool record_has_nothing(struct recorder *recorder, const struct order *order, uint32_t from);

/*
 * The same for one that brought news: what it was about was not all visible, so that nothing is concluded from it.  But if
 * it ends with a finding, the threads take the same turns again now that the news are known, and that execution counts.
 */
void record_news(struct recorder *recorder);

/* Data races that a state has shown, though no execution may have come through it like that. */
void record_meetings(struct recorder *recorder, const struct meeting_list *meetings);

/* Run the same steps again, from the start: a different outcome is a finding, and false. */
bool record_repetition(struct recorder *recorder);

/* --- between the files of this part: record*.c --- */

/* A finding without an execution; `message` becomes its own. */
struct finding *record_make(enum finding_kind kind, uint32_t thread, uint32_t site, char *message);
/* The finding of the same kind and sites that is in the result already, or NULL. */
struct finding *record_find_known(const struct recorder *recorder, const struct finding *wanted);
/* It was seen in this execution, perhaps more than once. */
void record_count(const struct recorder *recorder, struct finding *known);
/* Put it into the result, with an execution of the trace that is in the channel now. */
void record_add(struct recorder *recorder, struct finding *finding);
/* The execution in the channel did not do what was expected of it. */
void record_nondeterminism(struct recorder *recorder);
/* What the end of the execution in the channel is a case of, or NULL; not yet in the result. */
struct finding *record_ending(struct recorder *recorder, const struct trace *trace);
/* Threads are left and none can go on. */
struct finding *record_deadlock(const struct recorder *recorder, const struct trace *trace);

/* Findings that are not in the result yet; the array is the caller's to free. */
struct finding_list {
	struct finding **items;
	unsigned count;
};

/* Bring the recorder's history up to the end of the execution in the channel, whose events from `from` on are new. */
void record_follow(struct recorder *recorder, const struct trace *trace, uint32_t from);
/*
 * Run recorder->plan, which is a schedule with values; again if it brings news.  Then what is recorded is what a replay does
 * that knows all this from the start.  False when interrupted, or if there is no end to the news.
 */
bool record_run(struct recorder *recorder);
/* Let the threads take the turns again that they took in the channel's execution, which brought news; false if it ends otherwise. */
bool record_retrace(struct recorder *recorder);
/* Run the steps of the execution in the channel again, with values, and no further; false when interrupted. */
bool record_stopped(struct recorder *recorder);
/*
 * A way round on which nobody gets anywhere, with which the execution in the channel ends: to be taken before anything is
 * confirmed, which overwrites it, and recorded after that.
 */
struct cycle {
	struct finding *finding; /* NULL: there is none */
	struct step *steps; /* the whole schedule */
	uint32_t nsteps, first; /* where the way begins */
};
struct cycle record_take_cycle(const struct trace *trace);
void record_cycle(struct recorder *recorder, struct cycle *cycle);
/*
 * Uses of objects that nobody has initialised: those in the execution in the channel that are new, with their schedules,
 * since confirming anything overwrites it; and then they are confirmed and added.
 */
struct fresh_uses {
	struct fresh_use {
		struct finding *finding;
		struct step *steps; /* up to the use: nsteps */
		uint32_t nsteps;
	} *items;
	unsigned count;
};
struct fresh_uses record_find_uses(struct recorder *recorder, const struct trace *trace);
void record_uses(struct recorder *recorder, struct fresh_uses *uses);
/* Does what the execution in the channel has come to count, whatever its end?  Not if another stands for it. */
bool record_counts(const struct trace *trace);
/* Run the steps and no further, and look at the stacks at two of them: the given one, and the last. */
bool record_steps(struct recorder *recorder, const struct step *steps, uint32_t nsteps, uint32_t first);
/* What the locks of the execution in the channel are cases of; notes go to the result at once. */
struct finding_list record_locks(struct recorder *recorder, const struct trace *trace);
/* True, with result->refusal set, when the program does what we do not support. */
bool record_refusal(struct recorder *recorder, const struct trace *trace);
/* Count the finding, or replay and add it; false when the replay came out differently. */
bool record_settle(struct recorder *recorder, struct finding *finding);
/* If the execution in the channel was cut short: by what, and where, into the result. */
void record_limit(struct recorder *recorder);
/* Settle the leaks of the execution in the channel; false as above. */
bool record_leaks(struct recorder *recorder);
/* Are there data races among those of the execution in the channel, from event `from` on? */
bool record_has_races(struct recorder *recorder, const struct order *order, uint32_t from);
/* Are there locks or objects that record_locks() would say something about? */
bool record_has_locks(const struct recorder *recorder, const struct trace *trace);
/* Is its end what is expected of it, so that record_ending() has nothing to say? */
bool record_ends_well(const struct recorder *recorder, const struct trace *trace);
/* Confirm and add the data races among those of the execution in the channel, from event `from` on. */
void record_races(struct recorder *recorder, const struct order *order, uint32_t from);

#endif
