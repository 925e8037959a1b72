/*
 * Being asked to stop: SIGINT, SIGTERM, SIGHUP.
 *
 * The first one sets `interrupted` and makes stop_due() of common/stopping.h true, which ends
 * the search, whatever it is doing, and ends the build that is running; a report that is being
 * written has a moment left.  The second one runs the clean-ups of common/trouble.h and ends
 * the command at once.
 */
#ifndef INSPECT_CLI_STOP_H
#define INSPECT_CLI_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

extern volatile sig_atomic_t interrupted;

/* Also makes a closed pipe an ordinary write error.  A signal that is ignored stays so (nohup). */
void stop_install(void);

/* The exit status of a second signal: a bug that was found already is not forgotten. */
void stop_set_found(bool found);

/* The search is over, and what is left is to tell of it: from now on a signal gives the command a moment for the rest. */
void stop_set_reporting(void);

/*
 * Runs function(context) in a process of its own, with a process group of its
 * own, so that all it starts can be stopped; returns what the function returned,
 * as an exit status.  When interrupted, the clean-ups run and the command ends.
 */
int run_apart(int (*function)(void *context), void *context);

#endif
