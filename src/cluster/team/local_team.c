#define _GNU_SOURCE
#include "cluster/team/team.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/team/local.h"
#include "cluster/team/serve.h"
#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "execute/executor.h"

#define STOP_SECONDS 1.0
#define LEAVE_SECONDS 0.4 /* for workers to leave what they are doing */

struct local_team {
	struct team team; /* first: the search sees this */
	const struct explore_options *options;
	const struct strategy *strategy;
	pid_t *pids; /* of the workers; 0: not running */
};

static struct local_team *running; /* for the clean-up when the command dies */

/* The balancer does not want anything more: not even the execution that is going on. */
static void on_stop(int signal)
{
	(void)signal;
	stop_ask();
}

static void be_worker(struct local_team *local, unsigned number, int file, pid_t parent)
{
	invariant(file >= 0 && parent != getpid());
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_FAILURE);
	/* the balancer decides when to stop */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, on_stop);
	stop_heed();
	running = NULL;
	struct link *link = local_worker(local->team.link, file);
	serve(link, local->options, local->strategy, number);
	link->close(link);
	_exit(0);
}

static void start_worker(struct local_team *local, unsigned number)
{
	invariant(number < local->team.workers && !local->pids[number]);
	pid_t parent = getpid();
	int file = local_connect(local->team.link, number);
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		failure("cannot start a worker: %s", strerror(errno));
	if (!child)
		be_worker(local, number, file, parent);
	close(file);
	local->pids[number] = child;
}

static void end_workers(void)
{
	for (unsigned i = 0; running && i < running->team.workers; i++) {
		if (running->pids[i] <= 0)
			continue;
		kill(running->pids[i], SIGKILL);
		while (waitpid(running->pids[i], NULL, 0) < 0 && errno == EINTR)
			;
		running->pids[i] = 0;
	}
}

static void local_start(struct team *team)
{
	static bool registered;

	running = (struct local_team *)team;
	if (!registered)
		on_trouble(end_workers);
	registered = true;
	for (unsigned i = 0; i < team->workers; i++)
		start_worker(running, i);
}

/* A worker that was killed is replaced; one that gave up has said why, and nobody else will do better. */
static const char *local_replace(struct team *team, unsigned number)
{
	struct local_team *local = (struct local_team *)team;
	int status;

	while (waitpid(local->pids[number], &status, 0) < 0 && errno == EINTR)
		;
	local->pids[number] = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status)) {
		run_cleanups();
		exit(WEXITSTATUS(status));
	}
	start_worker(local, number);
	return NULL;
}

static void local_kill(struct team *team, unsigned worker)
{
	invariant(worker < team->workers);
	pid_t pid = ((struct local_team *)team)->pids[worker];

	if (pid > 0)
		kill(pid, SIGKILL);
}

static void local_stop(struct team *team)
{
	struct local_team *local = (struct local_team *)team;
	double end = seconds_now() + LEAVE_SECONDS;

	team->link->flush(team->link, LEAVE_SECONDS);
	for (unsigned i = 0; i < team->workers; i++)
		if (local->pids[i] > 0)
			kill(local->pids[i], SIGUSR1);
	for (unsigned i = 0; i < team->workers; i++) {
		while (local->pids[i] > 0 && seconds_now() < end) {
			if (waitpid(local->pids[i], NULL, WNOHANG) == local->pids[i])
				local->pids[i] = 0;
			else
				usleep(500);
		}
	}
	end_workers();
	running = NULL;
}

static void local_free(struct team *team)
{
	struct local_team *local = (struct local_team *)team;

	team->link->close(team->link);
	free(local->pids);
	free(local);
}

struct team *local_team(const struct explore_options *options, const struct strategy *strategy, unsigned workers)
{
	struct local_team *local = xcalloc(1, sizeof *local);

	local->team = (struct team){.link = local_balancer(workers),
				    .workers = workers,
				    .patience = STOP_SECONDS,
				    .start = local_start,
				    .replace = local_replace,
				    .kill = local_kill,
				    .stop = local_stop,
				    .free = local_free};
	local->options = options;
	local->strategy = strategy;
	local->pids = xcalloc(workers, sizeof *local->pids);
	return &local->team;
}
