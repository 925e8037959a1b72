/*
 * The program under test, whether it is built from sources first or given: what
 * `check` and `replay` have in common.
 */
#ifndef INSPECT_CLI_SUBJECT_H
#define INSPECT_CLI_SUBJECT_H

#include "program/symbols.h"

struct subject {
	char *name; /* without directory and .c: "race" */
	char *path; /* of the executable */
	char **argv; /* for running it, NULL-terminated, owned */
	struct symbols *symbols;
};

/* Are there sources among the inputs, so that they are to be built? */
bool inputs_have_source(char *const *inputs);

/*
 * Builds from inputs (sources and compiler flags) or takes the one program they
 * name.  Ends the command when that is not possible: a mistake with one line
 * (exit status 2), a compile error after the compiler's message.  With use_cache, a
 * program that was built before from the same is not built again (build/cache/cache.h).
 */
void subject_init(struct subject *subject, char *const *inputs, char *const *arguments, bool use_cache);
void subject_release(struct subject *subject);

#endif
