#define _GNU_SOURCE
#include "cli/subject.h"

#include "build/build.h"
#include "cli/options.h"
#include "common/scratch.h"
#include "cli/stop.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "common/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Calls visit for each input that is a file: no flag and no flag's value. */
static void inputs_visit(char *const *inputs, void (*visit)(const char *file, void *context), void *context)
{
	for (; *inputs; inputs++) {
		if (takes_next_argument(*inputs) && inputs[1])
			inputs++;
		else if (**inputs != '-')
			visit(*inputs, context);
	}
}

static void note_source(const char *file, void *context)
{
	const char **first = context;

	if (!*first && build_is_source(file))
		*first = file;
}

static const char *first_source(char *const *inputs)
{
	const char *first = NULL;

	inputs_visit(inputs, note_source, &first);
	return first;
}

bool inputs_have_source(char *const *inputs)
{
	return first_source(inputs) != NULL;
}

/* What the compiler would complain about at length. */
static void check_file(const char *file, void *context)
{
	struct stat status;

	(void)context;
	if (stat(file, &status) || access(file, R_OK))
		die("cannot read %s: %s", file, strerror(errno));
	if (S_ISDIR(status.st_mode))
		die("%s is a directory", file);
	if (S_ISREG(status.st_mode) && !status.st_size)
		die("%s is empty: a program needs a main", file);
}

static char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = xstrdup(slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');

	if (dot && build_is_source(name))
		*dot = '\0';
	if (!*name) {
		free(name);
		return xstrdup("program");
	}
	invariant(!strchr(name, '/'));
	return name;
}

struct build_job {
	char *const *inputs;
	const char *output, *scratch;
	bool use_cache;
};

static int build_in_child(void *context)
{
	const struct build_job *job = context;

	return build_program(job->inputs, job->output, job->scratch, job->use_cache);
}

static void build_subject(struct subject *subject, char *const *inputs, bool use_cache)
{
	struct build_job job = {.inputs = inputs, .use_cache = use_cache};
	int status;

	inputs_visit(inputs, check_file, NULL);
	invariant(*subject->name && !strchr(subject->name, '/')); /* a file in the scratch folder */
	job.scratch = scratch_make();
	subject->path = xasprintf("%s/%s", job.scratch, subject->name);
	job.output = subject->path;
	status = run_apart(build_in_child, &job);
	if (status) {
		run_cleanups();
		exit(status);
	}
}

struct program_search {
	const char *program;
};

static void note_program(const char *file, void *context)
{
	struct program_search *search = context;

	if (search->program)
		die("%s and %s: give one program, and what it is to get as arguments after --", search->program, file);
	search->program = file;
}

static void take_program(struct subject *subject, char *const *inputs)
{
	struct program_search search = {0};

	inputs_visit(inputs, note_program, &search);
	if (!search.program)
		die("no source file and no program given; `inspect check --help' says more");
	invariant(inputs[0]); /* the program is one of them */
	if (inputs[1])
		die("%s is a program: %s has no place here, flags are for building from sources", search.program,
		    inputs[0] == search.program ? inputs[1] : inputs[0]);
	subject->path = xstrdup(search.program);
}

static void make_argv(struct subject *subject, const char *name, char *const *arguments)
{
	struct list argv;

	list_init(&argv);
	list_add(&argv, name);
	for (; *arguments; arguments++)
		list_add(&argv, *arguments);
	subject->argv = list_take_items(&argv);
}

void subject_init(struct subject *subject, char *const *inputs, char *const *arguments, bool use_cache)
{
	const char *source = first_source(inputs);
	char *why;

	invariant(inputs && arguments); /* NULL-terminated, also when there are none */
	*subject = (struct subject){0};
	if (source) {
		subject->name = base_name(source);
		build_subject(subject, inputs, use_cache);
		make_argv(subject, subject->name, arguments);
	} else {
		take_program(subject, inputs);
		subject->name = base_name(subject->path);
		make_argv(subject, subject->path, arguments);
	}
	subject->symbols = symbols_open(subject->path, &why);
	if (!subject->symbols)
		die("%s", why);
	if (access(subject->path, X_OK))
		die("cannot run %s: %s", subject->path, strerror(errno));
	invariant(subject->argv && subject->argv[0]);
}

void subject_release(struct subject *subject)
{
	symbols_free(subject->symbols);
	list_free_items(subject->argv);
	free(subject->name);
	free(subject->path);
	*subject = (struct subject){0};
}
