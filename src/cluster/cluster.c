#define _GNU_SOURCE
#include "cluster/cluster.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/balancer.h"
#include "cluster/checkpoint.h"
#include "cluster/local.h"
#include "cluster/worker.h"
#include "common/trouble.h"

#define PROGRESS_SECONDS 0.2
#define LOOK_SECONDS 0.1 /* how often the balancer looks around when nobody says anything */
#define REPORT_SECONDS 1.0 /* how often workers report: so much is lost with one at most */
#define STATUS_SECONDS 0.05
#define POLL_SECONDS 0.0002 /* how often a busy worker looks for messages */
#define STOP_SECONDS 1.0 /* for last reports */
#define HOLD_SECONDS 5.0 /* for all workers to be ready: who is late gets his share later */

/* --- a worker --- */

static void send_up(void *context, const struct buffer *message)
{
	struct link *link = context;

	link->send(link, 0, message);
}

/* All that has arrived; waits for something if there is nothing else to do.  False when the balancer is gone. */
static bool hear(struct worker *worker, struct link *link)
{
	const void *data;
	size_t size;
	unsigned peer;
	double wait = worker->state == WORKER_BUSY ? 0 : LOOK_SECONDS;

	while (worker->state != WORKER_ENDED && link->receive(link, wait, &peer, &data, &size)) {
		if (!size)
			return false;
		worker_receive(worker, data, size);
		wait = worker->state == WORKER_BUSY ? 0 : wait;
	}
	return true;
}

static void run_worker(struct link *link, const struct explore_options *options, const struct strategy *strategy)
{
	struct worker worker = {.send = send_up, .context = link};
	double heard = 0, reported = seconds_now(), told = reported;

	worker_init(&worker, options, strategy);
	worker_greet(&worker);
	while (worker.state != WORKER_ENDED) {
		double now = seconds_now();
		if (worker.state != WORKER_BUSY || now - heard > POLL_SECONDS) {
			heard = now;
			if (!hear(&worker, link))
				break;
			sched_yield(); /* where there are more workers than cores, nobody gets far ahead */
		}
		if (worker.state != WORKER_BUSY)
			continue;
		if (now - reported > REPORT_SECONDS) {
			reported = now;
			worker.report_due = true;
		}
		if (now - told > STATUS_SECONDS) {
			told = now;
			worker_tell_status(&worker);
		}
		worker_execute(&worker);
	}
	link->flush(link, STOP_SECONDS);
	worker_release(&worker);
	link->close(link);
}

/* --- workers of this machine --- */

struct team {
	struct balancer balancer;
	struct link *link;
	const struct explore_options *options;
	const struct cluster_options *cluster;
	const struct strategy *strategy;
	struct identity identity; /* for checkpoints */
	pid_t *pids; /* of the workers; 0: not running */
	unsigned jobs;
	double start;
};

static struct team *running; /* for the clean-up when the command dies */

/* Both halves of a worker, the explorer and the program, on one core: they never run at the same time. */
static void choose_core(unsigned worker)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof allowed, &allowed))
		return;
	unsigned wanted = worker % (unsigned)CPU_COUNT(&allowed);
	for (int core = 0; core < CPU_SETSIZE; core++) {
		if (!CPU_ISSET(core, &allowed) || wanted--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(core, &one);
		sched_setaffinity(0, sizeof one, &one);
		return;
	}
}

static void be_worker(struct team *team, unsigned number, int file, pid_t parent)
{
	static volatile sig_atomic_t never;
	struct explore_options options = *team->options;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_FAILURE);
	/* the balancer decides when to stop */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	running = NULL;
	options.interrupted = &never;
	options.progress = NULL;
	choose_core(number);
	run_worker(local_worker(team->link, file), &options, team->strategy);
	_exit(0);
}

static void start_worker(struct team *team, unsigned number)
{
	pid_t parent = getpid();
	int file = local_connect(team->link, number);
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		failure("cannot start a worker: %s", strerror(errno));
	if (!child)
		be_worker(team, number, file, parent);
	close(file);
	team->pids[number] = child;
}

static void end_workers(void)
{
	for (unsigned i = 0; running && i < running->jobs; i++) {
		if (running->pids[i] <= 0)
			continue;
		kill(running->pids[i], SIGKILL);
		while (waitpid(running->pids[i], NULL, 0) < 0 && errno == EINTR)
			;
		running->pids[i] = 0;
	}
}

/* A worker that was killed is replaced; one that gave up has said why, and nobody else will do better. */
static void replace_worker(struct team *team, unsigned number)
{
	int status;

	balancer_lose(&team->balancer, number);
	while (waitpid(team->pids[number], &status, 0) < 0 && errno == EINTR)
		;
	team->pids[number] = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status)) {
		run_cleanups();
		exit(WEXITSTATUS(status));
	}
	if (!team->balancer.broken)
		start_worker(team, number);
}

static void send_down(void *context, unsigned worker, const struct buffer *message)
{
	struct team *team = context;

	team->link->send(team->link, worker, message);
}

/* --- the search --- */

/* All that has arrived; if there is no end to it, only for a moment: the user wants to be heard, too. */
static void hear_all(struct team *team, double wait)
{
	const void *data;
	size_t size;
	unsigned worker;
	double end = seconds_now() + wait + LOOK_SECONDS;

	while (team->balancer.now < end && team->link->receive(team->link, wait, &worker, &data, &size)) {
		wait = 0;
		team->balancer.now = seconds_now();
		if (size)
			balancer_receive(&team->balancer, worker, data, size);
		else
			replace_worker(team, worker);
		if (!team->balancer.nidle)
			continue;
		balancer_assign(&team->balancer);
	}
}

static const char *stop_reason(const struct team *team)
{
	const struct explore_options *options = team->options;
	const struct balancer *balancer = &team->balancer;
	struct progress progress = balancer_progress(balancer, team->start);
	unsigned limit = options->keep_going ? options->max_findings : 1;

	if (*options->interrupted)
		return "interrupted";
	if (balancer->broken)
		return balancer->broken;
	if (limit && balancer->result->nfindings >= limit)
		return options->keep_going ? "--max-errors reached" : "stopped at the first finding";
	if (balancer_is_done(balancer))
		return NULL;
	if (options->max_executions && progress.executions + progress.blocked >= options->max_executions)
		return "--max-executions reached";
	if (options->max_seconds > 0 && balancer->now - team->start >= options->max_seconds)
		return "--max-time reached";
	return NULL;
}

/* Reports of everybody, as far as they come in time. */
static void collect(struct team *team, double seconds)
{
	double end = seconds_now() + seconds;

	balancer_ask_commit(&team->balancer);
	while (!balancer_has_commits(&team->balancer) && seconds_now() < end)
		hear_all(team, 0.01);
}

static void write_checkpoint(struct team *team)
{
	if (!checkpoint_write(team->cluster->checkpoint, &team->identity, &team->balancer))
		warn("cannot write the checkpoint %s: %s", team->cluster->checkpoint, strerror(errno));
}

static void search_loop(struct team *team)
{
	struct balancer *balancer = &team->balancer;
	double shown = 0, written = seconds_now();

	for (;;) {
		balancer->now = seconds_now();
		balancer_assign(balancer);
		balancer->result->stopped = stop_reason(team);
		if (balancer->result->stopped || balancer_is_done(balancer))
			return;
		if (team->options->progress && balancer->now - shown > PROGRESS_SECONDS) {
			shown = balancer->now;
			struct progress progress = balancer_progress(balancer, team->start);
			team->options->progress(&progress);
		}
		if (team->cluster->checkpoint && balancer->now - written > team->cluster->checkpoint_seconds) {
			collect(team, STOP_SECONDS);
			write_checkpoint(team);
			written = seconds_now();
		}
		hear_all(team, LOOK_SECONDS);
	}
}

static void conclude(struct team *team)
{
	struct balancer *balancer = &team->balancer;
	struct result *result = balancer->result;

	if (result->stopped) {
		balancer_stop(balancer);
		collect(team, STOP_SECONDS);
		/* who could not go on has told of executions that are still to be explored as far as others know */
		if (team->cluster->checkpoint && !result->broken)
			write_checkpoint(team);
	} else {
		result->complete = !balancer->unsure;
		result->stopped = balancer->unsure ? RESULT_UNSURE : NULL;
		result->ended = true;
	}
	result->wall_seconds = seconds_now() - team->start;
	result->nworkers = balancer->ncrew;
	result->workers = xcalloc(balancer->ncrew, sizeof *result->workers);
	for (unsigned i = 0; i < balancer->ncrew; i++) {
		result->workers[i] = balancer->crew[i].share;
		if (!balancer->crew[i].unit)
			result->workers[i].idle += balancer->now - balancer->crew[i].since;
	}
	result_conclude(result);
}

static void stop_workers(struct team *team)
{
	double end = seconds_now() + STOP_SECONDS;

	balancer_quit(&team->balancer);
	team->link->flush(team->link, STOP_SECONDS);
	for (unsigned i = 0; i < team->jobs; i++) {
		while (team->pids[i] > 0 && seconds_now() < end) {
			if (waitpid(team->pids[i], NULL, WNOHANG) == team->pids[i])
				team->pids[i] = 0;
			else
				usleep(500);
		}
	}
	end_workers();
}

struct result *cluster_explore(const struct explore_options *options, const struct cluster_options *cluster)
{
	struct team team = {.options = options, .cluster = cluster, .jobs = cluster->jobs};
	static bool registered;

	team.strategy = strategy_find(options->search);
	if (!team.strategy)
		die("there is no search strategy `%s'", options->search);
	team.balancer.send = send_down;
	team.balancer.context = &team;
	balancer_init(&team.balancer, options, team.strategy, team.jobs);
	if (cluster->checkpoint)
		checkpoint_try(cluster->checkpoint);
	if (cluster->checkpoint || cluster->resume)
		team.identity = checkpoint_identity(&team.balancer);
	if (cluster->resume)
		checkpoint_read(cluster->resume, &team.identity, &team.balancer);
	else
		balancer_begin(&team.balancer);
	team.link = local_balancer(team.jobs);
	team.pids = xcalloc(team.jobs, sizeof *team.pids);
	running = &team;
	if (!registered)
		on_trouble(end_workers);
	registered = true;
	team.start = team.balancer.now = seconds_now();
	team.balancer.hold_until = team.start + HOLD_SECONDS;
	for (unsigned i = 0; i < team.jobs; i++)
		start_worker(&team, i);
	search_loop(&team);
	conclude(&team);
	stop_workers(&team);
	running = NULL;
	struct result *result = team.balancer.result;
	if (options->outcomes && !outcomes_write(&team.balancer.outcomes, options->outcomes))
		warn("cannot write %s: %s", options->outcomes, strerror(errno));
	balancer_release(&team.balancer);
	team.link->close(team.link);
	free(team.pids);
	return result;
}
