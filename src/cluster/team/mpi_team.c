/*
 * Workers that MPI started.  Only rank 0 reads the command line, builds and prints; the others wait for what it sends
 * them and leave with it.
 *
 *   rank 0   SETUP … (the search) … QUIT, waits for each BYE, finalises MPI and exits with the result
 *   others   wait for SETUP or QUIT, work until QUIT, BYE, finalise MPI and exit with 0
 *
 * When a process does not say good-bye, or MPI has failed, MPI cannot be finalised: rank 0 then ends all of them.
 */
#define _GNU_SOURCE
#include "explore/strategies.h"
#include "cluster/team/team.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/team/launcher.h"
#include "cluster/share/message.h"
#include "cluster/team/serve.h"
#include "cluster/team/setup.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "common/version.h"
#include "execute/executor.h"

#define LOOK_SECONDS 0.1
#define FLUSH_SECONDS 1.0
#define BYE_SECONDS 5.0 /* workers look between executions only */
#define HURRY_SECONDS 0.3 /* when mpirun tells us to stop, it kills us a second later */
#define ORPHAN_SECONDS 3 /* a worker that is told to stop waits so long for a word from rank 0 */

static struct mpi_process process; /* size 0: none */
static volatile sig_atomic_t *interrupted;
static bool failed; /* MPI: nobody can be reached any more */
static pid_t owner; /* who has joined: not what it forks */

static void say_to_balancer(enum message_kind kind, int status, const char *line)
{
	struct buffer message = {0};

	message_begin(&message, kind, 0, 0);
	pack_number(&message, (uint64_t)status);
	pack_text(&message, line);
	process.link->send(process.link, 0, &message);
	buffer_release(&message);
}

/* --- a worker --- */

static bool dismissed; /* by rank 0, or by the end of MPI */

static void tell_trouble(int status, const char *line)
{
	say_to_balancer(MESSAGE_TROUBLE, status, line);
}

static void on_signal(int number)
{
	(void)number;
	alarm(ORPHAN_SECONDS);
}

/* The next message, however long that takes; false when MPI has failed. */
static bool await(struct message *message)
{
	const void *data;
	size_t size;
	unsigned peer;

	while (!process.link->receive(process.link, LOOK_SECONDS, &peer, &data, &size))
		;
	return size && message_read(message, data, size);
}

/* Whatever the status: rank 0 knows, and has its own. */
static void leave_as_worker(void)
{
	struct message message;

	if (getpid() != owner)
		return;
	while (!dismissed)
		dismissed = !await(&message) || message.kind == MESSAGE_QUIT;
	say_to_balancer(MESSAGE_BYE, 0, NULL);
	process.link->flush(process.link, FLUSH_SECONDS);
	_exit(process.finalize() ? 0 : STATUS_FAILURE);
}

/* Waits for it; false when there is nothing to do. */
static bool receive_setup(struct explore_options *options)
{
	struct message message;

	if (!await(&message) || message.kind != MESSAGE_SETUP)
		return false;
	if (!setup_unpack(options, &message.contents))
		die("worker %u is another version of inspect (%s)", process.rank - 1, INSPECT_VERSION);
	return true;
}

static _Noreturn void be_worker(void)
{
	struct explore_options options;

	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
	trouble_divert(tell_trouble);
	atexit(leave_as_worker);
	if (receive_setup(&options))
		serve(process.link, &options, strategy_find(options.search), process.number);
	dismissed = true;
	run_cleanups();
	exit(0);
}

/* --- the balancer --- */

static void send_to_all(const struct buffer *message)
{
	invariant(!process.rank);
	for (unsigned i = 0; i + 1 < process.size; i++)
		process.link->send(process.link, i, message);
}

static bool hear_good_byes(double seconds)
{
	double end = seconds_now() + seconds;
	unsigned left = process.size - 1, worker;
	const void *data;
	struct message message;
	size_t size;

	while (left) {
		double wait = end - seconds_now();
		if (wait < 0 || !process.link->receive(process.link, wait, &worker, &data, &size) || !size)
			return false;
		left -= message_read(&message, data, size) && message.kind == MESSAGE_BYE;
	}
	return true;
}

static void leave_as_balancer(int status, void *context)
{
	struct buffer message = {0};

	(void)context;
	if (getpid() != owner)
		return;
	fflush(NULL);
	message_begin(&message, MESSAGE_QUIT, 0, 0);
	send_to_all(&message);
	buffer_release(&message);
	if (!failed && hear_good_byes(*interrupted ? HURRY_SECONDS : BYE_SECONDS) && process.finalize())
		return;
	if (*interrupted)
		_exit(status); /* whoever interrupted us sees to the others */
	process.abort(status);
}

bool cluster_join(volatile sig_atomic_t *flag)
{
	if (!launcher_join(&process))
		return false;
	interrupted = flag;
	owner = getpid();
	if (process.rank)
		be_worker();
	on_exit(leave_as_balancer, NULL);
	if (process.size < 2)
		die("MPI has started one process: at least 2 are needed, a balancer and a worker (mpirun -np 2 …)");
	return true;
}

bool cluster_has_joined(void)
{
	return process.size;
}

/* --- the team --- */

struct mpi_team {
	struct team team; /* first: the search sees this */
	const struct explore_options *options;
	bool with_program;
};

static void mpi_start(struct team *team)
{
	struct mpi_team *mpi = (struct mpi_team *)team;
	struct buffer message = {0};

	message_begin(&message, MESSAGE_SETUP, 0, 0);
	setup_pack(mpi->options, mpi->with_program, &message);
	send_to_all(&message);
	buffer_release(&message);
}

static const char *mpi_replace(struct team *team, unsigned worker)
{
	(void)team;
	(void)worker;
	failed = true;
	return "MPI has failed";
}

static void mpi_free(struct team *team)
{
	free(team);
}

struct team *mpi_team(const struct explore_options *options, bool with_program)
{
	struct mpi_team *mpi = xcalloc(1, sizeof *mpi);

	mpi->team = (struct team){.link = process.link,
				  .workers = process.size - 1,
				  .patience = HURRY_SECONDS,
				  .hurried = true,
				  .start = mpi_start,
				  .replace = mpi_replace,
				  .free = mpi_free};
	mpi->options = options;
	mpi->with_program = with_program;
	return &mpi->team;
}
