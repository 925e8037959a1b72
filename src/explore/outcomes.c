#include "explore/outcomes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"

void outcomes_release(struct outcomes *outcomes)
{
	for (uint32_t i = 0; i < outcomes->lines.count; i++)
		free(outcomes->lines.items[i]);
	vector_release(&outcomes->lines);
	table_release(&outcomes->ends);
	table_release(&outcomes->classes);
}

/* --- classes --- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 29;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 32;
}

static uint64_t op_hash(const struct op *op)
{
	uint64_t hash = mix((uint64_t)op->kind << 32 | op->target);

	hash = mix(hash ^ op->object);
	hash = mix(hash ^ op->object2);
	return mix(hash ^ ((uint64_t)op->site << 32 | op->size));
}

/*
 * Who was woken counts, not as which outcome of the operation: the explorer may number the waiters in
 * any order.
 */
static uint64_t outcome_of(const struct event *event)
{
	return event_table[event->op.kind].effect == EFFECT_SIGNAL ? event->value : event->choice;
}

/* An event by its thread, its number there and what it did. */
static uint64_t event_hash(const struct event *event, uint32_t number)
{
	uint64_t hash = mix((uint64_t)event->thread << 32 | number);

	hash = mix(hash ^ op_hash(&event->op));
	if (event->op.kind == EV_TIMEOUT)
		hash ^= (uint64_t)event->instead << 56;
	return mix(hash ^ outcome_of(event));
}

/* What a thread was about to do in the end: implied by its events, if the conflict relation is right. */
static uint64_t pending_hash(const struct pending *pending)
{
	uint64_t hash = mix((uint64_t)pending->thread << 8 | pending->enabled << 1 | pending->waiting);

	return mix(hash ^ op_hash(&pending->op));
}

/* A sum, so that the order in which independent events came does not matter. */
static uint64_t class_hash(const struct trace *trace)
{
	invariant(trace->nthreads <= MAX_THREADS);
	uint64_t *hashes = xmalloc(trace->nevents * sizeof *hashes);
	uint64_t sum = mix(trace->ending);
	uint32_t count[MAX_THREADS] = {0};

	for (uint32_t i = 0; i < trace->npending; i++)
		sum += pending_hash(&trace->pending[i]);

	for (uint32_t i = 0; i < trace->nevents && !stop_due(); i++) {
		const struct event *event = &trace->events[i];
		hashes[i] = event_hash(event, count[event->thread]++);
		sum += hashes[i];
		for (uint32_t k = 0; k < i; k++)
			if (trace->events[k].thread != event->thread && ops_conflict(&trace->events[k].op, &event->op))
				sum += mix(3 * hashes[k] + hashes[i]);
	}
	free(hashes);
	return sum;
}

/* --- ends --- */

static char *describe_end(const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_EXIT: return xasprintf("exit %d", trace->exit_status);
	case ENDING_DEADLOCK: return xstrdup("deadlock");
	case ENDING_LIVELOCK: return xstrdup("livelock");
	case ENDING_STEPS: return xstrdup("steps");
	case ENDING_ANOMALY:
		return xasprintf("%s site %u", event_table[trace->events[trace->nevents - 1].op.kind].name,
				 trace->events[trace->nevents - 1].op.site);
	}
	return xasprintf("ending %u", trace->ending);
}

/* What was printed, on one line. */
static char *flatten(char *output)
{
	for (char *c = output; *c; c++)
		if (*c == '\n')
			*c = '|';
	return output;
}

static uint64_t text_hash(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = mix(hash ^ (unsigned char)*text);
	return hash;
}

void outcomes_add_class(struct outcomes *outcomes, uint64_t hash)
{
	table_add(&outcomes->classes, hash);
}

void outcomes_add_line(struct outcomes *outcomes, char *line)
{
	if (table_add(&outcomes->ends, text_hash(line)) < outcomes->lines.count)
		free(line);
	else
		vector_add(&outcomes->lines, line);
	invariant(outcomes->lines.count == outcomes->ends.count);
}

void outcomes_add(struct outcomes *outcomes, const struct executor *executor)
{
	const struct trace *trace = &executor->channel->trace;
	char *end = describe_end(trace), *output = flatten(executor_output(executor->stdout_fd, trace->stdout_size));
	char *text = xasprintf("%s: %s", end, output);
	uint64_t class = class_hash(trace);

	free(end);
	free(output);
	if (stop_due()) { /* it may not have been computed to its end */
		free(text);
		return;
	}
	outcomes_add_class(outcomes, class);
	outcomes_add_line(outcomes, text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool outcomes_write(const struct outcomes *outcomes, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return false;
	if (outcomes->lines.count)
		qsort(outcomes->lines.items, outcomes->lines.count, sizeof *outcomes->lines.items, by_text);
	for (uint32_t i = 0; i < outcomes->lines.count; i++)
		fprintf(out, "%s\n", outcomes->lines.items[i]);
	fprintf(out, "equivalence classes: %u\n", outcomes->classes.count);
	bool good = !ferror(out);
	return fclose(out) == 0 && good;
}
