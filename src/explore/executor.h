/*
 * The processes of the program under test, behind one call: a plan goes in, a
 * trace comes out.
 *
 *   explorer (this process) ▸ zygote, stopped before main ▸ executor
 *
 * There is one executor per process.  Whatever happens to it, a crash, an exit, an
 * endless loop, is a trace with its ending; nothing the program does can harm the
 * explorer.  All its processes die with this one.
 */
#ifndef INSPECT_EXPLORE_EXECUTOR_H
#define INSPECT_EXPLORE_EXECUTOR_H

#include "explore/cores.h"
#include "explore/explore.h"

struct executor {
	struct channel *channel;
	int channel_fd, stdout_fd, stderr_fd;
	int pid; /* of the zygote */
	int explorer_pid;
	double watchdog;
	struct patience patience; /* with an answer */
	struct cores cores;
	uint64_t started, answered; /* ticks, when profiling: first request, last answer */
	void (*meanwhile)(
		void *context); /* to be called often while an execution is waited for; NULL when it came to nothing */
	void *context; /* for that */
	bool first; /* no execution yet: there is no earlier trace to compare with */
};

/* Start the program; die() when it cannot be run.  Where stop_due() (common/stopping.h), it may not have come to its main. */
void executor_start(struct executor *executor, const struct explore_options *options);
/* End and bury its processes; safe to call twice. */
void executor_stop(struct executor *executor);

/*
 * Run executor->channel->plan; the result is in executor->channel->trace, valid
 * until the next call.  False when it is time to stop (common/stopping.h): there is no trace then, and nothing but
 * executor_stop() may follow.
 */
bool executor_run(struct executor *executor);
/* No memory but stacks is thought private any more. */
void executor_share_memory(struct executor *executor);

/* Where the time since the first execution, so many seconds, went, if options.profile was set. */
struct shares executor_shares(const struct executor *executor, double seconds);

/* What the program wrote in the last execution; malloced, NUL-terminated. */
char *executor_output(int fd, uint32_t size);

double seconds_now(void);

#endif
