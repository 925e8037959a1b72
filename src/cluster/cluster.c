#include "explore/strategies.h"
#include "cluster/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/share/balancer.h"
#include "cluster/share/savefile.h"
#include "cluster/team/team.h"
#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "execute/executor.h"

#define PROGRESS_SECONDS 0.2
#define LOOK_SECONDS 0.1 /* how often the balancer looks around when nobody says anything */
#define HOLD_SECONDS 5.0 /* for all workers to be ready: who is late gets his share later */
#define COMMIT_SECONDS 1.0 /* for the reports that go into a save file */
#define HURRY_SECONDS 0.3 /* for the last ones, when the user or the time limit wants an end */

/* The balancer with its workers and what it was told to do. */
struct lead {
	struct balancer balancer;
	struct team *team;
	const struct explore_options *options;
	const struct cluster_options *cluster;
	struct identity identity; /* of the save file */
	double start;
	uint64_t cut; /* steps of executions that were cut short before the search was resumed */
};

static void send_down(void *context, unsigned worker, const struct buffer *message)
{
	struct link *link = ((struct team *)context)->link;

	link->send(link, worker, message);
}

static void replace_worker(struct lead *lead, unsigned worker)
{
	balancer_lose(&lead->balancer, worker);
	if (lead->balancer.broken)
		return;
	lead->balancer.broken = lead->team->replace(lead->team, worker);
}

/* All that has arrived; if there is no end to it, only for a moment: the user wants to be heard, too. */
static void hear_all(struct lead *lead, double wait)
{
	struct link *link = lead->team->link;
	const void *data;
	size_t size;
	unsigned worker;
	double end = seconds_now() + wait + LOOK_SECONDS;

	while (lead->balancer.now < end && link->receive(link, wait, &worker, &data, &size)) {
		wait = 0;
		lead->balancer.now = seconds_now();
		invariant(worker < lead->team->workers);
		if (size)
			balancer_receive(&lead->balancer, worker, data, size);
		else
			replace_worker(lead, worker);
		if (!lead->balancer.nidle)
			continue;
		balancer_assign(&lead->balancer);
	}
}

/* Of one that has hung, or whose machine is gone, nothing will come: its unit is given to another. */
static void give_up_silent(struct lead *lead)
{
	int worker = balancer_find_silent(&lead->balancer, lead->cluster->worker_seconds);

	if (worker < 0)
		return;
	warn("worker %d has been silent for %g s: its part of the search is given to another", worker + 1,
	     lead->cluster->worker_seconds);
	balancer_lose(&lead->balancer, (unsigned)worker);
	if (lead->team->kill)
		lead->team->kill(lead->team, (unsigned)worker);
	else if (!lead->balancer.nready)
		lead->balancer.broken = "no worker is left";
}

/* Has the user, or the time limit, wanted an end already? */
static bool is_late(const struct lead *lead)
{
	const struct explore_options *options = lead->options;

	return *options->interrupted ||
	       (options->max_seconds > 0 && lead->balancer.now - lead->start >= options->max_seconds);
}

static const char *stop_reason(const struct lead *lead)
{
	const struct explore_options *options = lead->options;
	const struct balancer *balancer = &lead->balancer;
	struct progress progress = balancer_progress(balancer, lead->start);

	if (*options->interrupted)
		return "interrupted";
	if (balancer->broken)
		return balancer->broken;
	if (balancer_has_enough(balancer))
		return options->keep_going ? "--max-errors reached" : "stopped at the first finding";
	if (balancer_is_done(balancer))
		return NULL;
	if (!options->keep_going &&
	    result_cut_steps(balancer->result) + balancer->untold.cut - lead->cut >= MANY_CUT_STEPS)
		return RESULT_MANY_CUT;
	if (options->max_executions &&
	    progress.executions + progress.blocked + progress.assumed >= options->max_executions)
		return "--max-executions reached";
	if (is_late(lead))
		return "--max-time reached";
	return NULL;
}

/* Reports of everybody, as far as they come in time. */
static void collect(struct lead *lead, double seconds)
{
	double end = seconds_now() + seconds;

	balancer_ask_commit(&lead->balancer);
	while (!balancer_has_commits(&lead->balancer) && seconds_now() < end)
		hear_all(lead, 0.01);
}

static void write_savefile(struct lead *lead)
{
	invariant(lead->cluster->savefile);
	if (!savefile_write(lead->cluster->savefile, &lead->identity, &lead->balancer))
		warn("cannot write the checkpoint %s: %s", lead->cluster->savefile, strerror(errno));
}

static void search_loop(struct lead *lead)
{
	struct balancer *balancer = &lead->balancer;
	double shown = 0, written = seconds_now();

	for (;;) {
		balancer->now = seconds_now();
		balancer_assign(balancer);
		balancer->result->stopped = stop_reason(lead);
		if (balancer->result->stopped || balancer_is_done(balancer))
			return;
		if (lead->options->progress && balancer->now - shown > PROGRESS_SECONDS) {
			shown = balancer->now;
			struct progress progress = balancer_progress(balancer, lead->start);
			lead->options->progress(&progress);
		}
		if (lead->cluster->savefile && balancer->now - written > lead->cluster->savefile_seconds) {
			collect(lead, COMMIT_SECONDS);
			write_savefile(lead);
			written = seconds_now();
		}
		hear_all(lead, LOOK_SECONDS);
		give_up_silent(lead);
	}
}

/* Who could not go on has told of executions that are still to be explored as far as others know. */
static bool wants_savefile(const struct lead *lead)
{
	return lead->cluster->savefile && !lead->balancer.result->broken;
}

/* Stopped early: what is left to do. */
static void keep_rest(struct lead *lead)
{
	bool hurry = lead->team->hurried && *lead->options->interrupted;
	double patience = is_late(lead) ? HURRY_SECONDS : lead->team->patience;

	balancer_stop(&lead->balancer);
	if (hurry && wants_savefile(lead))
		write_savefile(lead); /* there may be no time for a better one */
	collect(lead, patience);
	if (!wants_savefile(lead))
		return;
	write_savefile(lead);
	if (hurry || lead->balancer.broken)
		warn("%s: what is left to do is in %s, for --resume", lead->balancer.result->stopped,
		     lead->cluster->savefile);
}

static void count_shares(struct balancer *balancer)
{
	struct result *result = balancer->result;

	result->nworkers = balancer->ncrew;
	result->workers = xcalloc(balancer->ncrew, sizeof *result->workers);
	for (unsigned i = 0; i < balancer->ncrew; i++) {
		result->workers[i] = balancer->crew[i].share;
		if (!balancer->crew[i].unit)
			result->workers[i].idle += balancer->now - balancer->crew[i].since;
	}
}

static void conclude(struct lead *lead)
{
	struct balancer *balancer = &lead->balancer;
	struct result *result = balancer->result;

	if (result->stopped) {
		keep_rest(lead);
	} else {
		invariant(balancer_is_done(balancer));
		result->complete = !balancer->unsure;
		result->stopped = balancer->unsure ? RESULT_UNSURE : NULL;
		result->ended = true;
	}
	result->wall_seconds = seconds_now() - lead->start;
	count_shares(balancer);
	result_conclude(result);
}

static void begin(struct lead *lead, const struct strategy *strategy)
{
	struct balancer *balancer = &lead->balancer;

	balancer->send = send_down;
	balancer->context = lead->team;
	balancer_init(balancer, lead->options, strategy, lead->team->workers);
	if (lead->cluster->savefile)
		savefile_try(lead->cluster->savefile);
	if (lead->cluster->savefile || lead->cluster->resume)
		lead->identity = savefile_identity(balancer);
	if (lead->cluster->resume)
		savefile_read(lead->cluster->resume, &lead->identity, balancer);
	else
		balancer_begin(balancer);
	lead->cut = result_cut_steps(balancer->result);
}

static void end(struct lead *lead)
{
	const char *outcomes = lead->options->outcomes;
	struct team *team = lead->team;

	if (team->stop) {
		balancer_quit(&lead->balancer);
		team->stop(team);
	}
	if (outcomes && !outcomes_write(&lead->balancer.outcomes, outcomes))
		warn("cannot write %s: %s", outcomes, strerror(errno));
	balancer_release(&lead->balancer);
	team->free(team);
}

struct result *cluster_explore(const struct explore_options *options, const struct cluster_options *cluster)
{
	const struct strategy *strategy = strategy_find(options->search);
	struct lead lead = {.options = options, .cluster = cluster};

	if (!strategy)
		die("there is no search strategy `%s'", options->search);
	if (!(strategy->fits & FITS_WORKERS))
		die("--search=%s cannot be shared by workers or saved", strategy->name);
	lead.team = cluster_has_joined() ? mpi_team(options, cluster->is_built)
					 : local_team(options, strategy, cluster->jobs);
	stop_ignore();
	begin(&lead, strategy);
	lead.start = lead.balancer.now = seconds_now();
	lead.balancer.hold_until = lead.start + HOLD_SECONDS;
	invariant(balancer_is_valid(&lead.balancer) && lead.team->workers);
	lead.team->start(lead.team);
	search_loop(&lead);
	conclude(&lead);
	struct result *result = lead.balancer.result;
	end(&lead);
	return result;
}
