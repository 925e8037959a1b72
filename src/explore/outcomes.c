#include "explore/outcomes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/trouble.h"

void outcomes_release(struct outcomes *outcomes)
{
	for (unsigned i = 0; i < outcomes->nlines; i++)
		free(outcomes->lines[i].text);
	free(outcomes->lines);
	free(outcomes->classes);
	*outcomes = (struct outcomes){0};
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

/* An event by its thread, its number there and what it did. */
static uint64_t event_hash(const struct event *event, uint32_t number)
{
	uint64_t hash = mix((uint64_t)event->thread << 32 | number);

	hash = mix(hash ^ ((uint64_t)event->op.kind << 32 | event->choice));
	hash = mix(hash ^ event->op.object);
	return mix(hash ^ ((uint64_t)event->op.site << 32 | event->op.size));
}

/* A sum, so that the order in which independent events came does not matter. */
static uint64_t class_hash(const struct trace *trace)
{
	uint64_t *hashes = xmalloc(trace->nevents * sizeof *hashes), sum = trace->ending;
	uint32_t count[MAX_THREADS] = {0};

	for (uint32_t i = 0; i < trace->nevents; i++) {
		const struct event *event = &trace->events[i];
		hashes[i] = event_hash(event, count[event->thread]++);
		sum += hashes[i];
		for (uint32_t k = 0; k < i; k++)
			if (trace->events[k].thread != event->thread && ops_conflict(&trace->events[k].op, &event->op))
				sum += mix(3 * hashes[k] + hashes[i]);
	}
	free(hashes);
	return sum ? sum : 1;
}

static void insert_class(struct outcomes *outcomes, uint64_t hash)
{
	uint64_t i = hash;

	while (outcomes->classes[i % outcomes->classes_size] && outcomes->classes[i % outcomes->classes_size] != hash)
		i++;
	outcomes->nclasses += !outcomes->classes[i % outcomes->classes_size];
	outcomes->classes[i % outcomes->classes_size] = hash;
}

static void add_class(struct outcomes *outcomes, uint64_t hash)
{
	if (2 * outcomes->nclasses >= outcomes->classes_size) {
		uint64_t *old = outcomes->classes, size = outcomes->classes_size;
		outcomes->classes_size = size ? 2 * size : 64;
		outcomes->classes = xcalloc(outcomes->classes_size, sizeof *outcomes->classes);
		outcomes->nclasses = 0;
		for (uint64_t i = 0; i < size; i++)
			if (old[i])
				insert_class(outcomes, old[i]);
		free(old);
	}
	insert_class(outcomes, hash);
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

void outcomes_add(struct outcomes *outcomes, const struct executor *executor)
{
	const struct trace *trace = &executor->channel->trace;
	char *end = describe_end(trace), *output = flatten(executor_output(executor->stdout_fd, trace->stdout_size));
	char *text = xasprintf("%s: %s", end, output);

	add_class(outcomes, class_hash(trace));
	free(end);
	free(output);
	for (unsigned i = 0; i < outcomes->nlines; i++) {
		if (strcmp(outcomes->lines[i].text, text))
			continue;
		outcomes->lines[i].count++;
		free(text);
		return;
	}
	outcomes->lines = xrealloc(outcomes->lines, (outcomes->nlines + 1) * sizeof *outcomes->lines);
	outcomes->lines[outcomes->nlines++] = (struct outcome_line){.text = text, .count = 1};
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct outcome_line *)a)->text, ((const struct outcome_line *)b)->text);
}

bool outcomes_write(const struct outcomes *outcomes, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return false;
	if (outcomes->nlines)
		qsort(outcomes->lines, outcomes->nlines, sizeof *outcomes->lines, by_text);
	for (unsigned i = 0; i < outcomes->nlines; i++)
		fprintf(out, "%s\n", outcomes->lines[i].text);
	fprintf(out, "equivalence classes: %" PRIu64 "\n", outcomes->nclasses);
	bool good = !ferror(out);
	return fclose(out) == 0 && good;
}
