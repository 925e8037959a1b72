#include "result/execution.h"

#include <stdlib.h>

#include "common/invariant.h"
#include "common/trouble.h"

void execution_release(struct execution *execution)
{
	free(execution->events);
	free(execution->after);
	free(execution->pending);
	free(execution->shared);
	free(execution->await_locations);
	free(execution->await_sites);
	free(execution->output);
	free(execution->errors);
	*execution = (struct execution){0};
}

/* --- validity --- */

static bool counts_are_valid(const struct execution *execution)
{
	return execution->nthreads <= MAX_THREADS && execution->npending <= MAX_THREADS &&
	       execution->nleaks <= MAX_LEAKS && execution->nevents <= MAX_EVENTS + MAX_THREADS &&
	       execution->nawait_locations <= MAX_AWAIT_LOCATIONS && execution->nawait_sites <= MAX_AWAIT_SITES &&
	       execution->ending <= ENDING_AGAIN && execution->watch[0] <= execution->nevents &&
	       execution->watch[1] <= execution->nevents;
}

static bool op_is_valid(uint32_t thread, const struct op *op)
{
	return thread < MAX_THREADS && op->kind != EV_NOTHING && op->kind < EV_COUNT;
}

static bool events_are_valid(const struct execution *execution)
{
	for (uint32_t i = 0; i < execution->nevents; i++)
		if (!op_is_valid(execution->events[i].thread, &execution->events[i].op))
			return false;
	return true;
}

static bool pending_is_valid(const struct execution *execution)
{
	for (uint32_t i = 0; i < execution->npending; i++) {
		const struct pending *pending = &execution->pending[i];
		if (!op_is_valid(pending->thread, &pending->op) || (i && pending->thread <= pending[-1].thread))
			return false;
	}
	return true;
}

/* A thread is younger than its parent; the names of those that did not exist do not matter. */
static bool names_are_valid(const struct execution *execution)
{
	for (uint32_t thread = 1; thread < execution->nthreads; thread++)
		if (execution->names[thread].parent >= thread)
			return false;
	return true;
}

static bool shared_is_valid(const struct execution *execution)
{
	for (uint32_t i = 0; i < execution->nshared; i++) {
		const struct shared_piece *shared = &execution->shared[i];
		if (shared->thread > SHARED_MEMORY || (shared->thread < SHARED_MEMORY && shared->piece >= STACK_PIECES))
			return false;
	}
	return true;
}

bool execution_is_valid(const struct execution *execution)
{
	return counts_are_valid(execution) && events_are_valid(execution) && pending_is_valid(execution) &&
	       names_are_valid(execution) && shared_is_valid(execution) &&
	       (execution->output || !execution->stdout_size) && (execution->errors || !execution->stderr_size);
}

/* --- packing --- */

static char *unpack_output(struct packed *packed, uint32_t *size)
{
	struct packed bytes = unpack_bytes(packed);
	size_t length = packed_left(&bytes);
	char *output = xcalloc(length + 1, 1);

	unpack_raw(&bytes, output, length);
	*size = length ? (uint32_t)length - 1 : 0;
	return output;
}

void execution_pack(const struct execution *execution, struct buffer *buffer)
{
	debug_invariant(execution_is_valid(execution));
	/* one that was read from a trace file has no values, and is given to nobody */
	invariant(execution->after || !execution->nevents);
	/* of what the program wrote the NUL goes along */
	invariant(execution->output && execution->errors);
	pack_raw(buffer, execution, sizeof *execution);
	pack_items(buffer, execution->events, execution->nevents, sizeof *execution->events);
	pack_items(buffer, execution->after, execution->nevents, sizeof *execution->after);
	pack_items(buffer, execution->pending, execution->npending, sizeof *execution->pending);
	pack_items(buffer, execution->shared, execution->nshared, sizeof *execution->shared);
	pack_items(buffer, execution->await_locations, execution->nawait_locations, sizeof *execution->await_locations);
	pack_items(buffer, execution->await_sites, execution->nawait_sites, sizeof *execution->await_sites);
	pack_bytes(buffer, execution->output, execution->stdout_size + 1ul);
	pack_bytes(buffer, execution->errors, execution->stderr_size + 1ul);
}

void execution_unpack(struct execution *execution, struct packed *packed)
{
	uint32_t count;

	unpack_raw(packed, execution, sizeof *execution);
	execution->events = unpack_items(packed, &execution->nevents, sizeof *execution->events);
	execution->after = unpack_items(packed, &count, sizeof *execution->after);
	packed->broken |= count != execution->nevents;
	execution->pending = unpack_items(packed, &execution->npending, sizeof *execution->pending);
	execution->shared = unpack_items(packed, &execution->nshared, sizeof *execution->shared);
	execution->await_locations =
		unpack_items(packed, &execution->nawait_locations, sizeof *execution->await_locations);
	execution->await_sites = unpack_items(packed, &execution->nawait_sites, sizeof *execution->await_sites);
	execution->output = unpack_output(packed, &execution->stdout_size);
	execution->errors = unpack_output(packed, &execution->stderr_size);
	packed->broken |= !execution_is_valid(execution);
}
