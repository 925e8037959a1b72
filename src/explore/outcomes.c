#include "explore/outcomes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/trouble.h"

void outcomes_release(struct outcomes *outcomes)
{
	for (unsigned i = 0; i < outcomes->nlines; i++)
		free(outcomes->lines[i].text);
	free(outcomes->lines);
	*outcomes = (struct outcomes){0};
}

static char *describe_end(const struct trace *trace)
{
	switch (trace->ending) {
	case ENDING_EXIT: return xasprintf("exit %d", trace->exit_status);
	case ENDING_DEADLOCK: return xstrdup("deadlock");
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
	bool good = !ferror(out);
	return fclose(out) == 0 && good;
}
