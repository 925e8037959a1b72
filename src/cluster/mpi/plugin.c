/*
 * MPI behind the interface of link.h.  Nothing here waits inside MPI, whose ways to wait keep a core busy: who has
 * nothing to do looks now and then.
 */
#define _GNU_SOURCE
#include "cluster/team/plugin.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long to sleep between two looks: the longer nothing comes, the longer. */
#define SHORTEST_SLEEP 20e-6
#define LONGEST_SLEEP 1e-3
#define SLEEP_GROWTH 1.2

/* A message that is on its way, in or out. */
struct transfer {
	struct transfer *next;
	MPI_Request request;
	int peer; /* its rank */
	size_t size;
	char data[];
};

struct mpi_link {
	struct link link; /* first: the user sees this */
	MPI_Comm all;
	int rank;
	struct transfer *out, *in; /* oldest first */
	struct transfer *read; /* the user has it */
	bool lost, told; /* MPI has failed; and the user knows */
};

static struct mpi_link connection = {.all = MPI_COMM_NULL};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void sleep_for(double seconds)
{
	struct timespec time = {.tv_sec = (time_t)seconds};

	time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
	nanosleep(&time, NULL);
}

/* Did it go well?  When not, nothing more is asked of MPI. */
static bool went_well(struct mpi_link *mpi, int error)
{
	if (error != MPI_SUCCESS)
		mpi->lost = true;
	return !mpi->lost;
}

/* --- transfers --- */

static struct transfer *new_transfer(struct mpi_link *mpi, size_t size)
{
	struct transfer *transfer = size <= INT_MAX ? malloc(sizeof *transfer + size) : NULL;

	if (!transfer) {
		mpi->lost = true;
		return NULL;
	}
	*transfer = (struct transfer){.size = size, .request = MPI_REQUEST_NULL};
	return transfer;
}

static void append(struct transfer **list, struct transfer *transfer)
{
	while (*list)
		list = &(*list)->next;
	*list = transfer;
}

static bool is_complete(struct mpi_link *mpi, struct transfer *transfer)
{
	int complete = 0;

	if (transfer->request == MPI_REQUEST_NULL)
		return true;
	return went_well(mpi, MPI_Test(&transfer->request, &complete, MPI_STATUS_IGNORE)) && complete;
}

static void forget_sent(struct mpi_link *mpi)
{
	for (struct transfer **at = &mpi->out; *at && !mpi->lost;) {
		struct transfer *transfer = *at;
		if (is_complete(mpi, transfer)) {
			*at = transfer->next;
			free(transfer);
		} else {
			at = &transfer->next;
		}
	}
}

/* --- the link --- */

static void mpi_send(struct link *link, unsigned peer, const struct buffer *message)
{
	struct mpi_link *mpi = (struct mpi_link *)link;
	struct transfer *transfer = mpi->lost ? NULL : new_transfer(mpi, message->size);

	if (!transfer)
		return;
	memcpy(transfer->data, message->data, message->size);
	transfer->peer = mpi->rank ? 0 : (int)peer + 1;
	append(&mpi->out, transfer);
	went_well(mpi, MPI_Isend(transfer->data, (int)transfer->size, MPI_BYTE, transfer->peer, 0, mpi->all,
				 &transfer->request));
	forget_sent(mpi);
}

/* Begin to receive what is there.  A large message arrives in its sender's time, and the others go on. */
static void accept_all(struct mpi_link *mpi)
{
	MPI_Status status;
	int found = 1, size;

	while (!mpi->lost && found) {
		if (!went_well(mpi, MPI_Iprobe(MPI_ANY_SOURCE, 0, mpi->all, &found, &status)) || !found)
			return;
		if (!went_well(mpi, MPI_Get_count(&status, MPI_BYTE, &size)))
			return;
		struct transfer *transfer = new_transfer(mpi, (size_t)size);
		if (!transfer)
			return;
		transfer->peer = status.MPI_SOURCE;
		append(&mpi->in, transfer);
		went_well(mpi,
			  MPI_Irecv(transfer->data, size, MPI_BYTE, transfer->peer, 0, mpi->all, &transfer->request));
	}
}

/* Is an older one of the same peer still on its way? */
static bool must_wait(const struct mpi_link *mpi, const struct transfer *transfer)
{
	for (const struct transfer *older = mpi->in; older != transfer; older = older->next)
		if (older->peer == transfer->peer)
			return true;
	return false;
}

static bool take(struct mpi_link *mpi, unsigned *peer, const void **data, size_t *size)
{
	for (struct transfer **at = &mpi->in; *at && !mpi->lost; at = &(*at)->next) {
		struct transfer *transfer = *at;
		if (!is_complete(mpi, transfer) || must_wait(mpi, transfer))
			continue;
		*at = transfer->next;
		mpi->read = transfer;
		*peer = mpi->rank ? 0 : (unsigned)transfer->peer - 1;
		*data = transfer->data;
		*size = transfer->size;
		return true;
	}
	return false;
}

/* Whoever it was that failed, MPI does not promise that anything works after that. */
static bool tell_loss(struct mpi_link *mpi, unsigned *peer, size_t *size)
{
	if (!mpi->lost || mpi->told)
		return false;
	mpi->told = true;
	*peer = 0;
	*size = 0;
	return true;
}

static bool mpi_receive(struct link *link, double seconds, unsigned *peer, const void **data, size_t *size)
{
	struct mpi_link *mpi = (struct mpi_link *)link;
	double end = seconds > 0 ? now() + seconds : 0, sleep = SHORTEST_SLEEP;

	free(mpi->read);
	mpi->read = NULL;
	for (;;) {
		if (!mpi->lost) {
			forget_sent(mpi);
			accept_all(mpi);
			if (take(mpi, peer, data, size))
				return true;
		}
		if (tell_loss(mpi, peer, size))
			return true;
		double left = seconds > 0 ? end - now() : 0;
		if (left <= 0)
			return false;
		sleep_for(sleep < left ? sleep : left);
		sleep = sleep * SLEEP_GROWTH < LONGEST_SLEEP ? sleep * SLEEP_GROWTH : LONGEST_SLEEP;
	}
}

static void mpi_flush(struct link *link, double seconds)
{
	struct mpi_link *mpi = (struct mpi_link *)link;
	double end = now() + seconds;

	for (forget_sent(mpi); mpi->out && !mpi->lost && now() < end; forget_sent(mpi))
		sleep_for(SHORTEST_SLEEP);
}

static void mpi_close(struct link *link)
{
	(void)link; /* it ends with MPI */
}

/* --- beginning and end --- */

static bool mpi_finalize(void)
{
	if (connection.lost || connection.out || connection.in)
		return false;
	return MPI_Comm_free(&connection.all) == MPI_SUCCESS && MPI_Finalize() == MPI_SUCCESS;
}

static void mpi_abort(int status)
{
	MPI_Abort(MPI_COMM_WORLD, status);
	_Exit(status);
}

/* How many workers of this machine come before us that may use the same cores?  The launcher may have given each its own. */
static bool count_neighbours(int rank, unsigned *number)
{
	struct seat {
		int is_worker;
		cpu_set_t cores;
	} own, *seats;
	MPI_Comm machine;
	int at, size;

	memset(&own, 0, sizeof own);
	own.is_worker = rank > 0;
	sched_getaffinity(0, sizeof own.cores, &own.cores);
	if (MPI_Comm_split_type(connection.all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine) != MPI_SUCCESS)
		return false;
	MPI_Comm_rank(machine, &at);
	MPI_Comm_size(machine, &size);
	seats = calloc((size_t)size, sizeof own);
	if (!seats)
		return false;
	bool good = MPI_Allgather(&own, sizeof own, MPI_BYTE, seats, sizeof own, MPI_BYTE, machine) == MPI_SUCCESS;
	*number = 0;
	for (int i = 0; i < at; i++)
		*number += seats[i].is_worker && CPU_EQUAL(&seats[i].cores, &own.cores);
	free(seats);
	return MPI_Comm_free(&machine) == MPI_SUCCESS && good;
}

mpi_plugin_join inspect_mpi_join;

const char *inspect_mpi_join(unsigned version, struct mpi_process *process)
{
	int given, size;

	if (version != MPI_PLUGIN_VERSION)
		return "it belongs to another version of inspect";
#ifdef OPEN_MPI
	/* workers fork only to run the program under test */
	setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0);
#endif
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
		return "MPI does not start";
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (MPI_Comm_dup(MPI_COMM_WORLD, &connection.all) != MPI_SUCCESS)
		return "MPI does not connect its processes";
	MPI_Comm_set_errhandler(connection.all, MPI_ERRORS_RETURN);
	MPI_Comm_rank(connection.all, &connection.rank);
	MPI_Comm_size(connection.all, &size);
	if (!count_neighbours(connection.rank, &process->number))
		return "MPI does not connect the processes of this machine";
	connection.link =
		(struct link){.send = mpi_send, .receive = mpi_receive, .flush = mpi_flush, .close = mpi_close};
	process->rank = (unsigned)connection.rank;
	process->size = (unsigned)size;
	process->link = &connection.link;
	process->finalize = mpi_finalize;
	process->abort = mpi_abort;
	return NULL;
}
