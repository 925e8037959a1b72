/*
 * What is kept of the last execution: a copy of its trace, and of what was known of the program, as far as it matters for it.
 */
#include "execute/executor.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "wire/system.h"

static void *copy(const void *from, size_t count, size_t size)
{
	void *to = xmalloc(count * size);

	memcpy(to, from, count * size);
	return to;
}

static void add_shared(struct execution *execution, uint32_t thread, uint32_t piece)
{
	uint32_t n = execution->nshared;

	if (!(n & (n - 1)))
		execution->shared = xrealloc(execution->shared, (n ? 2 * n : 1) * sizeof *execution->shared);
	execution->shared[execution->nshared++] = (struct shared_piece){.thread = thread, .piece = piece};
}

static void keep_system_objects(const struct channel *channel, const struct op *op, struct execution *execution)
{
	for (uint64_t left = op->object | op->object2; left; left &= left - 1) {
		uint32_t granule = granule_of(system_address((unsigned)__builtin_ctzll(left)));
		if (channel->owners[granule] == OWNER_SHARED)
			add_shared(execution, SHARED_MEMORY, granule);
	}
}

/* Of the memory that the operation accesses: what must count as shared for it to be visible. */
static void keep_granules(const struct channel *channel, const struct op *op, struct execution *execution)
{
	bool on_stack = op->object - STACK_ADDRESS < MAX_THREADS * STACK_SIZE;

	if (op->kind == EV_SYSTEM)
		keep_system_objects(channel, op, execution);
	if (event_table[op->kind].object_class != OBJECT_MEMORY || on_stack || op->object >= STREAM_ADDRESS)
		return;
	for (uint64_t at = op->object & ~(GRANULE - 1ull); at < op->object + op->size; at += GRANULE)
		if (channel->owners[granule_of(at)] == OWNER_SHARED)
			add_shared(execution, SHARED_MEMORY, granule_of(at));
}

static int compare_pieces(const void *a, const void *b)
{
	const struct shared_piece *one = a, *other = b;

	return (one->piece > other->piece) - (one->piece < other->piece);
}

static void keep_memory(const struct channel *channel, struct execution *execution)
{
	uint32_t first = execution->nshared, n = first;

	invariant(execution->npending <= MAX_THREADS);
	for (uint32_t i = 0; i < execution->nevents; i++)
		keep_granules(channel, &execution->events[i].op, execution);
	for (uint32_t i = 0; i < execution->npending; i++)
		keep_granules(channel, &execution->pending[i].op, execution);
	if (execution->nshared == first)
		return;
	qsort(execution->shared + first, execution->nshared - first, sizeof *execution->shared, compare_pieces);
	for (uint32_t i = first; i < execution->nshared; i++)
		if (i == first || execution->shared[i].piece != execution->shared[n - 1].piece)
			execution->shared[n++] = execution->shared[i];
	invariant(n >= first && n <= execution->nshared);
	execution->nshared = n;
}

static void keep_awaits(const struct channel *channel, struct execution *execution)
{
	execution->nawait_locations = channel->nawait_locations;
	execution->await_locations =
		copy(channel->await_locations, channel->nawait_locations, sizeof *channel->await_locations);
	for (uint32_t site = 0; channel->nawait_locations && site < MAX_AWAIT_SITES; site++) {
		if (!(channel->await_sites[site / 8] >> site % 8 & 1))
			continue;
		execution->await_sites = xrealloc(execution->await_sites,
						  (execution->nawait_sites + 1) * sizeof *execution->await_sites);
		execution->await_sites[execution->nawait_sites++] = site;
	}
}

static void keep_stacks(const struct channel *channel, struct execution *execution)
{
	for (uint32_t thread = 0; thread < channel->nnames; thread++) {
		for (uint32_t piece = 0; piece < STACK_PIECES; piece++) {
			uint8_t byte = channel->stack_shared[thread][piece / 8];
			if (!byte) {
				piece |= 7;
				continue;
			}
			if (!(byte >> piece % 8 & 1))
				continue;
			add_shared(execution, thread, piece);
		}
	}
}

void executor_keep(const struct executor *executor, struct execution *execution)
{
	const struct channel *channel = executor->channel;
	const struct trace *trace = &channel->trace;

	invariant(executor->state == EXECUTOR_READY && trace->ending != ENDING_NONE);
	*execution = (struct execution){
		.events = copy(trace->events, trace->nevents, sizeof *trace->events),
		.after = copy(trace->after, trace->nevents, sizeof *trace->after),
		.pending = copy(trace->pending, trace->npending, sizeof *trace->pending),
		.output = executor_output(executor->stdout_fd, trace->stdout_size),
		.errors = executor_output(executor->stderr_fd, trace->stderr_size),
		.features = channel->features,
	};
#define FIELD(type, name, dimension) memcpy(&execution->name, &trace->name, sizeof trace->name);
#include "wire/execution.def"
#undef FIELD
	invariant(trace->ending != ENDING_DIVERGED || trace->divergence <= MAX_EVENTS + MAX_THREADS);
	if (trace->ending == ENDING_DIVERGED)
		execution->expected = trace->events[trace->divergence];
	memcpy(execution->watch, channel->plan.watch, sizeof execution->watch);
	execution->nthreads = channel->nnames;
	memcpy(execution->names, channel->names, sizeof execution->names);
	keep_stacks(channel, execution);
	keep_memory(channel, execution);
	keep_awaits(channel, execution);
	debug_invariant(execution_is_valid(execution));
}
