#define _GNU_SOURCE
#include "cli/stop.h"

#include "common/stopping.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t interrupted;
static volatile sig_atomic_t found_something, reporting;
static volatile pid_t apart; /* the process of run_apart(), or 0 */

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define STOP_SIGNALS (sizeof stop_signals / sizeof *stop_signals)
#define REPORT_MICROSECONDS 700000
#define ONE_SIGNAL_NANOSECONDS 50000000 /* `timeout` sends the same to the command and to its group: that is one */

static _Noreturn void end_at_once(void)
{
	run_cleanups();
	_exit(found_something ? STATUS_BUG : STATUS_INCOMPLETE);
}

static void on_alarm(int signal)
{
	(void)signal;
	end_at_once();
}

static int64_t nanoseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void on_stop(int signal)
{
	static int64_t first; /* all of them are blocked meanwhile */
	const struct itimerval moment = {.it_value.tv_usec = REPORT_MICROSECONDS};
	int saved = errno;
	int64_t now = nanoseconds_now();
	bool again = interrupted && now - first > ONE_SIGNAL_NANOSECONDS;

	(void)signal;
	first = interrupted ? first : now;
	interrupted = 1;
	stop_ask();
	if (apart)
		kill(-apart, again ? SIGKILL : SIGTERM);
	if (again)
		end_at_once();
	if (reporting)
		setitimer(ITIMER_REAL, &moment, NULL);
	errno = saved;
}

/* A failed assertion or a fault of our own: nothing stays behind, and the status says whose fault it was. */
static void on_own_failure(int number)
{
	static const char message[] = "inspect: internal error; please report it with the program and the command\n";

	signal(number, SIG_DFL);
	if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
		_exit(STATUS_FAILURE);
	run_cleanups();
	_exit(STATUS_FAILURE);
}

static void on_closed_pipe(int signal)
{
	(void)signal;
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler}, old;

	sigaction(signal, NULL, &old);
	if (old.sa_handler == SIG_IGN)
		return;
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		sigaddset(&action.sa_mask, stop_signals[i]);
	sigaction(signal, &action, NULL);
}

void stop_install(void)
{
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		handle(stop_signals[i], on_stop);
	/* a handler, not SIG_IGN, which the program under test would inherit */
	handle(SIGPIPE, on_closed_pipe);
	handle(SIGABRT, on_own_failure);
#ifndef __SANITIZE_ADDRESS__
	handle(SIGSEGV, on_own_failure);
#endif
}

void stop_set_found(bool found)
{
	found_something = found;
}

void stop_set_reporting(void)
{
	handle(SIGALRM, on_alarm);
	reporting = 1;
}

/* In the new process: signals have their usual meaning again. */
static void run_child(int (*function)(void *context), void *context, const sigset_t *mask)
{
	setpgid(0, 0);
	for (size_t i = 0; i < STOP_SIGNALS; i++) {
		struct sigaction old;
		sigaction(stop_signals[i], NULL, &old);
		if (old.sa_handler == on_stop)
			signal(stop_signals[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
	int status = function(context);
	fflush(NULL);
	_exit(status);
}

int run_apart(int (*function)(void *context), void *context)
{
	sigset_t blocked, before;
	int status;
	pid_t child;

	fflush(NULL);
	invariant(!apart); /* one at a time: a signal is passed on to that one */
	sigemptyset(&blocked);
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		sigaddset(&blocked, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	child = fork();
	if (child < 0)
		failure("cannot start a process: %s", strerror(errno));
	if (!child)
		run_child(function, context, &before);
	invariant(child > 0 && !apart);
	setpgid(child, child);
	apart = child;
	sigprocmask(SIG_SETMASK, &before, NULL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	apart = 0;
	if (interrupted) {
		kill(-child, SIGKILL); /* what it left running */
		warn("interrupted");
		run_cleanups();
		exit(STATUS_INCOMPLETE);
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	failure("the build was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
}
