#define _GNU_SOURCE
#include "build/build.h"

#include "build/driver/arguments.h"
#include "build/cache/cache.h"
#include "build/driver/spawn.h"
#include "build/driver/steps.h"
#include "common/scratch.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <stdlib.h>
#include <string.h>

static void refuse_unsupported(const struct arguments *arguments)
{
	if (!arguments->unsupported)
		return;
	if (!strncmp(arguments->unsupported, "-static", 7))
		die("%s: a program to be checked must be linked dynamically", arguments->unsupported);
	die("%s: only 64-bit programs can be checked", arguments->unsupported);
}

_Noreturn static void run_plain_compiler(char *const argv[], bool cplusplus)
{
	struct list command = {0};

	add_compiler(&command, cplusplus);
	for (; *argv; argv++)
		if (strcmp(*argv, "--stateful")) /* our own */
			list_add(&command, *argv);
	spawn_replace(&command);
}

/* Sources to bitcode to a program. */
static int make_program(const struct arguments *arguments, const struct intermediates *made, const char *output)
{
	struct link *link = link_make(arguments, made, output);
	struct compilation *work = compile_begin(arguments, FORM_BITCODE, made);
	int status;

	link_begin(link);
	status = compile_finish(work);
	if (!status)
		return link_finish(link);
	link_abandon(link);
	return status;
}

static int make_native(const struct arguments *arguments, const struct intermediates *made)
{
	int status = compile_finish(compile_begin(arguments, FORM_NATIVE, made));

	return status ? status : link_native(arguments, made);
}

static int build_linked(const struct arguments *arguments)
{
	struct intermediates made;
	int status;

	invariant(arguments->action == ACTION_LINK || arguments->action == ACTION_LINK_NATIVE);
	intermediates_init(&made, arguments, scratch_make());
	if (arguments->action == ACTION_LINK_NATIVE)
		status = make_native(arguments, &made);
	else
		status = make_program(arguments, &made, arguments->output ? arguments->output : "a.out");
	intermediates_release(&made);
	run_cleanups();
	return status;
}

static int build(char **argv, bool cplusplus)
{
	struct arguments arguments;
	int status;

	arguments_init(&arguments, argv, cplusplus);
	if (arguments.action == ACTION_PLAIN || arguments.configure_test)
		run_plain_compiler(argv, cplusplus);
	check_inputs(&arguments);
	if (arguments.action != ACTION_LINK_NATIVE)
		refuse_unsupported(&arguments);
	spawn_handle_signals();
	status = arguments.action == ACTION_COMPILE ? compile_objects(&arguments) : build_linked(&arguments);
	arguments_release(&arguments);
	return status;
}

int build_cc(int argc, char **argv)
{
	invariant(argc > 0 && !argv[argc]);
	return build(argv + 1, false);
}

int build_cxx(int argc, char **argv)
{
	invariant(argc > 0 && !argv[argc]);
	return build(argv + 1, true);
}

/* The same, unless it was done before. */
static int make_or_fetch(const struct arguments *arguments, struct intermediates *made, const char *output,
			 struct cache *cache)
{
	struct files_read files = {.scratch = made->scratch};
	int status;

	if (cache && cache_fetch(cache, output))
		return 0;
	invariant(!made->files);
	made->files = cache ? &files : NULL;
	status = make_program(arguments, made, output);
	if (cache && !status)
		cache_store(cache, &files, output);
	made->files = NULL;
	files_read_release(&files);
	return status;
}

int build_program(char *const argv[], const char *output, const char *scratch, bool use_cache)
{
	struct arguments arguments;
	struct intermediates made;
	struct cache *cache;
	int status;

	arguments_init(&arguments, argv, false);
	if (!arguments_count(&arguments, ITEM_SOURCE) && !arguments_count(&arguments, ITEM_OBJECT))
		die("no C or C++ source to check");
	if (arguments.action != ACTION_LINK)
		die("-c, -E, -S, -shared and the like make no program to check");
	check_inputs(&arguments);
	refuse_unsupported(&arguments);
	invariant(arguments.action == ACTION_LINK);
	intermediates_init(&made, &arguments, scratch);
	cache = use_cache ? cache_open(&arguments) : NULL;
	status = make_or_fetch(&arguments, &made, output, cache);
	cache_close(cache);
	intermediates_release(&made);
	arguments_release(&arguments);
	return status == STATUS_FAILURE || !status ? status : STATUS_USAGE;
}

bool build_is_source(const char *argument)
{
	return is_source(argument);
}
