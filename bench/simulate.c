/*
 * How fast would the search be with so many workers?  The balancer and the workers are those of src/cluster, the
 * executions are real ones, each of them once; only time is not: each worker has a clock of its own.
 *
 *   simulate --workers=N [--execution=US] [--first=US] [--latency=US] [--byte=NS] [--message=US] [--start=US] PROGRAM …
 *
 *   --execution   what one execution takes a worker, analysis included
 *   --first       … and what the first one of a unit takes more
 *   --latency     from one process to another, for a message
 *   --byte        … and for each of its bytes
 *   --message     what sending or receiving one takes a process
 *   --start       from the beginning until the first unit can be given to a worker that has just started
 *
 * What the balancer takes for a message is measured: it is the same code on the same machine.  Prints one line:
 * workers, executions, seconds, the largest share of a worker as a multiple of the average, messages, bytes, and the
 * share of the time that the balancer was busy.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explore/strategies.h"
#include "cluster/share/balancer.h"
#include "cluster/share/worker.h"
#include "common/trouble.h"
#include "result/finding.h"

/* --- what is to come --- */

enum { BALANCER = UINT32_MAX };

/* A message that arrives, or (without one) a worker that has time. */
struct coming {
	double time;
	uint64_t number; /* of two at the same time, who was first */
	uint32_t to, from;
	char *data;
	size_t size;
};

struct simulated {
	struct worker worker;
	struct dfs dfs;
	struct plan plan;
	struct result *result;
	struct coming *inbox; /* arrived while it was busy */
	uint32_t ninbox, inbox_size;
	bool awake; /* it has something to come already */
	double free; /* when it has done what it does */
};

static struct simulation {
	struct coming *heap;
	uint64_t count, size, numbers;
	struct explorer explorer; /* everybody's */
	struct simulated *workers;
	struct balancer balancer;
	double now; /* of whoever is at work */
	uint32_t sender;
	double balancer_free, balancer_busy;
	double execution, first, latency, byte, message, start; /* seconds */
	double begin, cpu; /* of what the balancer is doing */
	unsigned nworkers;
} sim;

static bool comes_before(const struct coming *a, const struct coming *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void push(struct coming coming)
{
	if (sim.count == sim.size) {
		sim.size = sim.size ? 2 * sim.size : 1024;
		sim.heap = xrealloc(sim.heap, sim.size * sizeof *sim.heap);
	}
	coming.number = sim.numbers++;
	uint64_t i = sim.count++;
	for (; i && comes_before(&coming, &sim.heap[(i - 1) / 2]); i = (i - 1) / 2)
		sim.heap[i] = sim.heap[(i - 1) / 2];
	sim.heap[i] = coming;
}

static struct coming pop(void)
{
	struct coming first = sim.heap[0], last = sim.heap[--sim.count];
	uint64_t i = 0;

	for (;;) {
		uint64_t child = 2 * i + 1;
		if (child + 1 < sim.count && comes_before(&sim.heap[child + 1], &sim.heap[child]))
			child++;
		if (child >= sim.count || !comes_before(&sim.heap[child], &last))
			break;
		sim.heap[i] = sim.heap[child];
		i = child;
	}
	if (sim.count)
		sim.heap[i] = last;
	return first;
}

static double cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void post(uint32_t to, const struct buffer *message)
{
	char *data = xmalloc(message->size);

	if (sim.sender == BALANCER)
		sim.now = sim.begin + cpu_now() - sim.cpu;
	sim.now += sim.message;
	sim.begin += sim.message;

	memcpy(data, message->data, message->size);
	push((struct coming){.time = sim.now + sim.latency + sim.byte * (double)message->size,
			     .to = to,
			     .from = sim.sender,
			     .data = data,
			     .size = message->size});
}

static void send_up(void *context, const struct buffer *message)
{
	(void)context;
	post(BALANCER, message);
}

static void send_down(void *context, unsigned worker, const struct buffer *message)
{
	(void)context;
	post(worker, message);
}

/* --- workers --- */

static void wake(uint32_t number, double time)
{
	if (sim.workers[number].awake)
		return;
	sim.workers[number].awake = true;
	push((struct coming){.time = time, .to = number});
}

/* The one explorer is this worker's for a while. */
static void enter(struct simulated *simulated)
{
	sim.explorer.search.own = &simulated->dfs;
	sim.explorer.plan = simulated->plan;
	sim.explorer.result = sim.explorer.recorder.result = simulated->result;
}

static void leave(struct simulated *simulated)
{
	simulated->plan = sim.explorer.plan;
}

/* Somebody else may have used the program since the plan was made. */
static void plan_again(struct simulated *simulated)
{
	executor_forget(&sim.explorer.executor);
	simulated->dfs.nplanned = 0;
	if (simulated->dfs.nnodes)
		dfs_plan(&simulated->dfs, &sim.explorer.plan);
	else
		plan_cut(&sim.explorer.plan, 0);
}

/* Messages first, then one execution. */
static void run_worker(uint32_t number)
{
	struct simulated *simulated = &sim.workers[number];
	struct worker *worker = &simulated->worker;

	simulated->awake = false;
	sim.sender = number;
	enter(simulated);
	for (uint32_t i = 0; i < simulated->ninbox; i++) {
		worker_receive(worker, simulated->inbox[i].data, simulated->inbox[i].size);
		free(simulated->inbox[i].data);
	}
	simulated->ninbox = 0;
	if (worker->state == WORKER_BUSY) {
		bool first = worker->fresh;
		/* what it says comes after the execution */
		sim.now += sim.execution + (first ? sim.first : 0);
		plan_again(simulated);
		worker_execute(worker);
	}
	simulated->free = sim.now;
	if (worker->state == WORKER_BUSY)
		wake(number, sim.now);
	leave(simulated);
}

static void deliver(struct coming *coming)
{
	struct simulated *simulated = &sim.workers[coming->to];

	if (!coming->data) {
		sim.now = coming->time;
		run_worker(coming->to);
		return;
	}
	if (simulated->ninbox == simulated->inbox_size) {
		simulated->inbox_size = simulated->inbox_size ? 2 * simulated->inbox_size : 4;
		simulated->inbox = xrealloc(simulated->inbox, simulated->inbox_size * sizeof *simulated->inbox);
	}
	simulated->inbox[simulated->ninbox++] = *coming;
	wake(coming->to, coming->time > simulated->free ? coming->time : simulated->free);
}

/* --- the balancer --- */

static void run_balancer(struct coming *coming)
{
	double begin = coming->time > sim.balancer_free ? coming->time : sim.balancer_free;

	sim.sender = BALANCER;
	sim.balancer.now = sim.now = begin;
	sim.begin = begin + sim.message;
	sim.cpu = cpu_now();
	balancer_receive(&sim.balancer, coming->from, coming->data, coming->size);
	balancer_assign(&sim.balancer);
	sim.balancer_free = sim.begin + cpu_now() - sim.cpu;
	sim.balancer_busy += sim.balancer_free - begin;
	free(coming->data);
}

/* --- all --- */

static bool option(const char *argument, const char *name, double unit, double *value)
{
	size_t length = strlen(name);

	if (strncmp(argument, name, length) || argument[length] != '=')
		return false;
	*value = atof(argument + length + 1) * unit;
	return true;
}

static void set_up(const struct explore_options *options, const struct strategy *strategy)
{
	explorer_init(&sim.explorer, options, strategy);
	sim.balancer.send = send_down;
	balancer_init(&sim.balancer, options, strategy, sim.nworkers);
	balancer_begin(&sim.balancer);
	sim.balancer.hold_until = 1e9;
	sim.workers = xcalloc(sim.nworkers, sizeof *sim.workers);
	for (uint32_t i = 0; i < sim.nworkers; i++) {
		struct simulated *simulated = &sim.workers[i];
		simulated->worker.send = send_up;
		worker_init(&simulated->worker, options, strategy);
		simulated->worker.explorer = &sim.explorer;
		simulated->worker.one_program = true;
		simulated->result = explorer_new_result(options, strategy);
		dfs_init(&simulated->dfs, strategy->rule, &sim.explorer.search.order);
		simulated->dfs.offer = worker_offer;
		simulated->dfs.offer_context = &simulated->worker;
		sim.sender = i;
		sim.now = sim.start;
		worker_greet(&simulated->worker);
	}
}

int main(int argc, char **argv)
{
	static volatile sig_atomic_t never;
	double workers = 2;
	int first = 1;

	sim.execution = 20e-6;
	sim.latency = 20e-6;
	for (; first < argc && !strncmp(argv[first], "--", 2); first++)
		if (!option(argv[first], "--workers", 1, &workers) &&
		    !option(argv[first], "--execution", 1e-6, &sim.execution) &&
		    !option(argv[first], "--first", 1e-6, &sim.first) &&
		    !option(argv[first], "--latency", 1e-6, &sim.latency) &&
		    !option(argv[first], "--byte", 1e-9, &sim.byte) &&
		    !option(argv[first], "--message", 1e-6, &sim.message) &&
		    !option(argv[first], "--start", 1e-6, &sim.start))
			die("unknown option %s", argv[first]);
	if (first == argc)
		die("no program given");
	sim.nworkers = (unsigned)workers;
	struct explore_options options = {.run = {.program = argv[first],
						  .argv = argv + first,
						  .max_steps = MAX_EVENTS,
						  .watchdog = 10,
						  .modes = {.nondet_high = -1}},
					  .search = "optimal",
					  .keep_going = true,
					  .interrupted = &never};
	set_up(&options, strategy_find(options.search));
	double end = 0;
	while (sim.count && !balancer_is_done(&sim.balancer)) {
		struct coming coming = pop();
		end = coming.time;
		if (coming.to == BALANCER)
			run_balancer(&coming);
		else
			deliver(&coming);
	}
	struct result *result = sim.balancer.result;
	uint64_t messages = 0, bytes = 0;
	result->nworkers = sim.nworkers;
	result->workers = xcalloc(sim.nworkers, sizeof *result->workers);
	for (unsigned i = 0; i < sim.nworkers; i++) {
		result->workers[i] = sim.balancer.crew[i].share;
		messages += result->workers[i].messages;
		bytes += result->workers[i].bytes;
	}
	if (!balancer_is_done(&sim.balancer) || sim.balancer.broken)
		failure("the search did not come to its end");
	printf("%u %" PRIu64 " %.6f %.3f %" PRIu64 " %" PRIu64 " %.3f\n", sim.nworkers, result->executions, end,
	       result_balance(result), messages, bytes, sim.balancer_busy / end);
	executor_stop(&sim.explorer.executor);
	return 0;
}
