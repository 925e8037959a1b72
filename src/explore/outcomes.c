#include "explore/outcomes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stopping.h"
#include "common/trouble.h"

void outcomes_release(struct outcomes *outcomes)
{
	for (uint64_t i = 0; i < outcomes->ends.count; i++)
		free(outcomes->lines[i]);
	free(outcomes->lines);
	free(outcomes->ends.items);
	free(outcomes->classes.items);
	*outcomes = (struct outcomes){0};
}

/* --- sets of hashes --- */

/* True when it was not there. */
static bool insert(struct hash_set *set, uint64_t hash)
{
	uint64_t i = hash;

	while (set->items[i % set->size] && set->items[i % set->size] != hash)
		i++;
	if (set->items[i % set->size])
		return false;
	set->items[i % set->size] = hash;
	set->count++;
	return true;
}

static bool add_hash(struct hash_set *set, uint64_t hash)
{
	if (2 * set->count >= set->size) {
		struct hash_set larger = {.size = set->size ? 2 * set->size : 64};
		larger.items = xcalloc(larger.size, sizeof *larger.items);
		for (uint64_t i = 0; i < set->size; i++)
			if (set->items[i])
				insert(&larger, set->items[i]);
		free(set->items);
		*set = larger;
	}
	return insert(set, hash ? hash : 1);
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
	add_hash(&outcomes->classes, hash);
}

void outcomes_add_line(struct outcomes *outcomes, char *line)
{
	if (!add_hash(&outcomes->ends, text_hash(line))) {
		free(line);
		return;
	}
	outcomes->lines = xrealloc(outcomes->lines, outcomes->ends.count * sizeof *outcomes->lines);
	outcomes->lines[outcomes->ends.count - 1] = line;
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
	if (outcomes->ends.count)
		qsort(outcomes->lines, outcomes->ends.count, sizeof *outcomes->lines, by_text);
	for (uint64_t i = 0; i < outcomes->ends.count; i++)
		fprintf(out, "%s\n", outcomes->lines[i]);
	fprintf(out, "equivalence classes: %" PRIu64 "\n", outcomes->classes.count);
	bool good = !ferror(out);
	return fclose(out) == 0 && good;
}
