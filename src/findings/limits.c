/*
 * Executions that were cut short: where they were by then.
 */
#include "findings/record.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"

enum { LAST_STEPS = 4096 }; /* enough of them to see what goes on again and again */

/* Who took most of the steps from the first on; of several, the first. */
static uint32_t busiest_thread(const struct trace *trace, uint32_t first)
{
	uint32_t steps[MAX_THREADS] = {0}, busiest = 0;

	invariant(first < trace->nevents); /* it is cut after its last step, not before its first */
	for (uint32_t i = first; i < trace->nevents; i++)
		steps[trace->events[i].thread]++;
	for (uint32_t thread = 1; thread < MAX_THREADS; thread++)
		if (steps[thread] > steps[busiest])
			busiest = thread;
	return busiest;
}

static int compare_sites(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * The first place, in the order of the source, that comes about as often as any other: where a round begins, or near
 * that.  The same whatever the step was that the limit came at.
 */
static uint32_t usual_site(uint32_t *sites, uint32_t count)
{
	uint32_t most = 0, usual = 0;

	qsort(sites, count, sizeof *sites, compare_sites);
	for (unsigned turn = 0; turn < 2; turn++)
		for (uint32_t i = 0, next; i < count; i = next) {
			for (next = i; next < count && sites[next] == sites[i]; next++)
				;
			if (!sites[i])
				continue;
			if (turn && 2 * (next - i) > most)
				return sites[i];
			if (next - i > most) {
				most = next - i;
				usual = sites[i];
			}
		}
	return usual;
}

static uint32_t site_of_loop(const struct trace *trace, uint32_t first, uint32_t thread)
{
	uint32_t sites[LAST_STEPS], count = 0;

	invariant(trace->nevents - first <= LAST_STEPS);
	for (uint32_t i = first; i < trace->nevents; i++)
		if (trace->events[i].thread == thread)
			sites[count++] = trace->events[i].op.site;
	invariant(count > 0); /* the thread is the busiest */
	return usual_site(sites, count);
}

void record_limit(struct recorder *recorder)
{
	const struct channel *channel = recorder->executor->channel;
	const struct trace *trace = &channel->trace;
	uint32_t first = trace->nevents > LAST_STEPS ? trace->nevents - LAST_STEPS : 0;
	struct limit limit = {.ending = trace->ending, .count = 1};

	if (!ending_is_cut(trace->ending))
		return;
	if (trace->ending == ENDING_STEPS) {
		limit.thread = busiest_thread(trace, first);
		limit.site = site_of_loop(trace, first, limit.thread);
	} else {
		limit.thread = trace->running;
		limit.site = trace->site;
		limit.fault_pc = trace->fault_pc;
	}
	memcpy(limit.names, channel->names, sizeof limit.names);
	result_add_limit(recorder->result, &limit);
}
