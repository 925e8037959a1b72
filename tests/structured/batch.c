#define _GNU_SOURCE
#include "harness.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool batch_add(const struct harness *harness, struct batch *batch, const struct program *program, uint64_t origin)
{
	static struct code code;
	struct member *member = &batch->members[batch->count];

	assert(batch->count < BATCH);
	if (!compile(&code, program))
		return false;
	interpret(&code, harness->max_states, &member->answer);
	if (member->answer.too_large) {
		answer_release(&member->answer);
		return false;
	}
	member->program = *program;
	member->origin = origin;
	member->thorough = member->kept = false;
	batch->count++;
	return true;
}

void batch_print(struct batch *batch, const char *path)
{
	FILE *out = fopen(path, "we");
	struct source source;

	if (!out) {
		perror(path);
		abort();
	}
	source_begin(&source, out);
	for (unsigned i = 0; i < batch->count; i++)
		source_add(&source, &batch->members[i].program, &batch->members[i].places);
	source_end(&source);
	fclose(out);
}

bool batch_build(const struct harness *harness, const struct batch *batch, const char *name, bool stateful)
{
	char command[1024];

	(void)batch;
	snprintf(command, sizeof command, "'%s' cc %s -w -I'%s' -o %s%s %s.c", harness->inspect,
		 stateful ? "--stateful" : "", harness->include, name, stateful ? "-stateful" : "", name);
	int status = system(command);
	if (status && !*harness->stop)
		fprintf(stderr, "driver: failed: %s\n", command);
	return !status;
}

void batch_clear(struct batch *batch)
{
	for (unsigned i = 0; i < batch->count; i++)
		answer_release(&batch->members[i].answer);
	batch->count = 0;
}
