/*
 * The processes of the program under test, behind one call, execute(): a plan goes in, a
 * trace comes out.
 *
 *   explorer (this process) ▸ zygote, stopped before main ▸ executor
 *
 * There is one executor per process.  Whatever happens to it, a crash, an exit, an
 * endless loop, is a trace with its ending; nothing the program does can harm the
 * explorer.  All its processes die with this one.
 */
#ifndef INSPECT_EXECUTE_EXECUTOR_H
#define INSPECT_EXECUTE_EXECUTOR_H

#include "execute/cores.h"
#include "execute/plan.h"
#include "execute/resume.h"
#include "result/finding.h"
#include "wire/channel.h"

/* What is run, and how: the same for all executions of a search. */
struct run_options {
	const char *program; /* path of the executable, built with `inspect cc` */
	char *const *argv; /* argv[0] and the program's arguments, NULL-terminated */
	char **environment; /* of the program, which then inherits no open files, either; NULL: as we have them */
	bool no_input; /* standard input is not the user's */
	bool shares_files; /* other workers may run the program at the same time, or this one be killed: it must not change files */
	enum isolation isolation;
	uint32_t max_steps; /* 1 … MAX_EVENTS */
	double watchdog; /* seconds without a visible operation before an execution counts as hanging */
	struct modes modes; /* what the program may meet besides schedules */
	bool no_awaits; /* busy waiting is no blocking operation */
	bool all_visible; /* memory but stacks is never thought private */
	bool stateful; /* the runtime tells states */
	bool exact_states; /* for tests: in full */
	bool profile; /* find out where the time goes */
	bool guest; /* the search may go on in the program's process (wire/guest.h): memory_share() was called */
	bool leaks; /* look for heap blocks that are never freed and that nothing points to */
	uint32_t resume_points; /* steps between two of them in long executions, at least; 0: none */
	uint64_t seed;
};

/* Somebody who looks at an execution while it goes on. */
struct watcher {
	/* Called often, with as many events as will not change any more. */
	void (*look)(void *context, const struct trace *trace, uint32_t nevents);
	/* The execution is begun anew: what was seen of it does not count, and nobody looks any more. */
	void (*forget)(void *context);
	void *context;
};

/* Somebody who has something to do, a few times a second, while an execution goes on. */
struct onlooker {
	void (*look)(void *context); /* NULL: nobody */
	void *context;
};

/* What execute() says of an execution. */
struct run {
	const struct trace *trace; /* in the memory shared with the program; valid until the next execution */
	/*
	 * So many of its first events are those of the execution before: same steps, and compared as they came.  0 where
	 * that one was a replay, or something was learned since.
	 */
	uint32_t common;
};

/*
 * What state an executor is in, follows from its fields:
 *
 *            executor_start()                 execute()
 *   NONE ─────────────────────▶ READY ◀─────────────────────▶ RUNNING
 *    ▲                            │      answered              │ time to stop
 *    │      executor_stop()       │                            ▼
 *    └────────────────────────────┴──────────────────────── LEFT
 *
 *   NONE      no channel, no process
 *   READY     the zygote lives, stopped before main, and the last request is answered: there is a trace, or there was
 *             no request yet
 *   RUNNING   within execute(): a request waits for its answer
 *   LEFT      the program did not come to its main, or may still be running: nothing but executor_stop() may follow
 */
enum executor_state { EXECUTOR_NONE, EXECUTOR_READY, EXECUTOR_RUNNING, EXECUTOR_LEFT };

struct executor {
	enum executor_state state;
	struct channel *channel;
	int channel_fd, stdout_fd, stderr_fd;
	int pid; /* of the zygote */
	int explorer_pid;
	double watchdog;
	struct patience patience; /* with an answer */
	struct cores cores;
	uint64_t started, answered; /* ticks, when profiling: first request, last answer */
	const struct watcher *watcher; /* of the execution that goes on; NULL: nobody looks */
	struct onlooker onlooker;
	bool guest_lost; /* its process has ended in the middle of its work: nothing in the memory of the search can be relied on */
	struct resume_points resume;
	struct step *taken; /* ntaken: the first steps of the last execution, as far as the next may rely on them */
	uint32_t ntaken, taken_size;
	uint32_t common; /* see struct run; of the execution that goes on, or was the last */
};

/* Start the program; die() when it cannot be run.  Where stop_due() (common/stopping.h), it may not have come to its main. */
void executor_start(struct executor *executor, const struct run_options *options);
/* End and bury its processes; safe to call twice. */
void executor_stop(struct executor *executor);

/*
 * Run the plan; `watcher` may be NULL.  An executor that was killed is replaced, and the plan run once more: that may have
 * come from outside.  False when it is time to stop (common/stopping.h): there is no trace then, and nothing but
 * executor_stop() may follow.
 */
bool execute(struct executor *executor, const struct plan *plan, const struct watcher *watcher, struct run *run);
/*
 * The two halves of execute() for the guest: the program has run the plan in the channel, by itself; it is to run this one
 * when the guest returns.
 */
void executor_has_run(struct executor *executor, struct run *run);
void executor_ask(struct executor *executor, const struct plan *plan);
/* How many events the next execution has in common with the last one if it is made by this plan (struct run). */
uint32_t executor_common(const struct executor *executor, const struct plan *plan);
/* What is known of the program has changed: the next execution need not begin as the last one did. */
void executor_forget(struct executor *executor);
/* No memory but stacks is thought private any more. */
void executor_share_memory(struct executor *executor);

/* Where the time since the first execution, so many seconds, went. */
struct shares executor_shares(const struct executor *executor, double seconds);

/* Copy the last execution, to be kept. */
void executor_keep(const struct executor *executor, struct execution *execution);

/* What the program wrote in the last execution; malloced, NUL-terminated. */
char *executor_output(int fd, uint32_t size);

double seconds_now(void);

#endif
