/*
 * Objects to a program: bitcode goes to the instrumentor, which makes one
 * native object of it; everything else goes to the system's linker, in the order
 * given, with the runtime.
 */
#define _GNU_SOURCE
#include "build/build.h"
#include "build/object/elf.h"
#include "build/spawn.h"
#include "build/steps.h"
#include "common/trouble.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const program_flags[] = {
	"-pie", "-pthread", "-rdynamic", "-Wl,-z,now", "-Wl,-z,relro", "-Wno-unused-command-line-argument", NULL,
};

struct plan {
	struct list instrument; /* the command that runs the instrumentor */
	struct list link; /* what the linker is given besides the instrumented object */
	bool whole; /* between --whole-archive and --no-whole-archive */
};

/* ---- inputs ---- */

static bool has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text), tail = strlen(suffix);

	return length >= tail && !strcmp(text + length - tail, suffix);
}

static void check_object(const char *path)
{
	struct view file = file_map(path);
	bool script = has_suffix(path, ".so") || has_suffix(path, ".ld") || has_suffix(path, ".lds");

	if (file_kind(file) == FILE_OTHER && (!script || !file.size))
		die("%s: not a C or C++ source, object file or library", path);
	file_unmap(file);
}

void check_inputs(const struct arguments *arguments)
{
	for (unsigned i = 0; i < arguments->count; i++) {
		const struct item *item = &arguments->items[i];
		bool compiled = item->kind == ITEM_SOURCE || item->kind == ITEM_ASSEMBLY;
		struct stat status;

		if ((!compiled && item->kind != ITEM_OBJECT) || !strcmp(item->text, "-"))
			continue;
		if (stat(item->text, &status))
			die("%s: %s", item->text, errno == ENOENT ? "no such file" : strerror(errno));
		if (S_ISDIR(status.st_mode))
			die("%s: is a directory, not a source", item->text);
		if (access(item->text, R_OK))
			die("%s: %s", item->text, strerror(errno));
		if (!compiled)
			check_object(item->text);
	}
}

static void add_instrument_input(struct plan *plan, const char *path)
{
	if (plan->whole)
		list_add(&plan->instrument, "-w");
	list_add(&plan->instrument, path);
}

/* Sort one file to where it belongs; `argument` is what the linker is given for it. */
static void add_object(struct plan *plan, const char *path, const char *argument)
{
	struct view file = file_map(path);
	struct contents contents = {false, true};

	if (file_kind(file) != FILE_OTHER)
		contents = object_contents(path, file);
	/* a native object is shown to the instrumentor for what it needs from archives */
	if (contents.bitcode || file_kind(file) == FILE_ELF)
		add_instrument_input(plan, path);
	if (contents.native)
		list_add(&plan->link, argument);
	file_unmap(file);
}

static char *readable(char *path)
{
	if (!access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

/* The file that -lNAME means in one directory, or NULL. */
static char *library_in(const char *directory, const char *name)
{
	char *path;

	if (name[0] == ':')
		return readable(xasprintf("%s/%s", directory, name + 1));
	path = readable(xasprintf("%s/lib%s.so", directory, name));
	return path ? path : readable(xasprintf("%s/lib%s.a", directory, name));
}

/* Only directories given with -L can hold libraries with bitcode; the rest is the linker's business. */
static void add_library(struct plan *plan, const struct arguments *arguments, const char *name)
{
	char *argument = xasprintf("-l%s", name);
	char *path = NULL;

	for (unsigned i = 0; i < arguments->count && !path; i++)
		if (arguments->items[i].kind == ITEM_LIBRARY_PATH)
			path = library_in(arguments->items[i].text, name);
	if (path)
		add_object(plan, path, argument);
	else
		list_add(&plan->link, argument);
	free(path);
	free(argument);
}

static void add_link_flag(struct plan *plan, const struct item *item)
{
	const char *text = item->value ? item->value : item->text;

	if (strstr(text, "--no-whole-archive"))
		plan->whole = false;
	else if (strstr(text, "--whole-archive"))
		plan->whole = true;
	list_add(&plan->link, item->text);
	if (item->value)
		list_add(&plan->link, item->value);
}

static void add_item_to_plan(struct plan *plan, const struct arguments *arguments, const struct intermediates *made,
			     unsigned i)
{
	const struct item *item = &arguments->items[i];

	switch (item->kind) {
	case ITEM_SOURCE:
	case ITEM_ASSEMBLY: add_object(plan, made->paths[i], made->paths[i]); break;
	case ITEM_OBJECT: add_object(plan, item->text, item->text); break;
	case ITEM_LIBRARY: add_library(plan, arguments, item->text); break;
	case ITEM_LIBRARY_PATH: list_take(&plan->link, xasprintf("-L%s", item->text)); break;
	case ITEM_FLAG:
	case ITEM_LINK_FLAG: add_link_flag(plan, item); break;
	case ITEM_COMPILE_FLAG: break;
	}
}

/* ---- messages of the linker ---- */

static char *replace_all(char *text, const char *from, const char *to)
{
	char *at;

	while ((at = strstr(text, from))) {
		char *changed = xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));

		free(text);
		text = changed;
	}
	return text;
}

/* The linker knows our scratch files and the new name of main; the user does not. */
static void print_errors(char *errors, const struct arguments *arguments, const struct intermediates *made,
			 const char *object)
{
	char *line, *rest;

	errors = replace_all(errors, object, "the program");
	errors = replace_all(errors, "__inspect_main", "main");
	for (unsigned i = 0; i < made->count; i++)
		if (made->paths[i])
			errors = replace_all(errors, made->paths[i], arguments->items[i].text);
	for (rest = errors; (line = strsep(&rest, "\n"));)
		if (*line && !strstr(line, "linker command failed"))
			fprintf(stderr, "%s\n", line);
	free(errors);
}

/* ---- the steps ---- */

static int run_linker(const struct plan *plan, const struct arguments *arguments, const struct intermediates *made,
		      const char *object, const char *output)
{
	struct list command = {0};
	char *errors;
	int status;

	add_compiler(&command, arguments_link_cplusplus(arguments));
	list_add_all(&command, program_flags);
	list_add(&command, object);
	list_add(&command, "-Wl,--whole-archive");
	list_add(&command, build_runtime_library());
	list_add(&command, "-Wl,--no-whole-archive");
	for (unsigned i = 0; i < plan->link.count; i++)
		list_add(&command, plan->link.items[i]);
	list_add(&command, "-ldl");
	list_add(&command, "-o");
	list_add(&command, output);
	status = spawn_and_capture(&command, &errors);
	print_errors(errors, arguments, made, object);
	list_release(&command);
	return status ? STATUS_USAGE : 0;
}

int link_program(const struct arguments *arguments, const struct intermediates *made, const char *output)
{
	char *object = xasprintf("%s/program.o", made->scratch);
	struct plan plan = {0};
	int status;

	list_add(&plan.instrument, build_instrumentor());
	list_add(&plan.instrument, "-o");
	list_add(&plan.instrument, object);
	for (unsigned i = 0; i < arguments->count; i++)
		add_item_to_plan(&plan, arguments, made, i);
	status = spawn_and_wait(&plan.instrument);
	if (status >= 128)
		failure("the instrumentor was ended by signal %d", status - 128);
	if (!status)
		status = run_linker(&plan, arguments, made, object, output);
	list_release(&plan.instrument);
	list_release(&plan.link);
	free(object);
	return status;
}

int link_native(const struct arguments *arguments, const struct intermediates *made)
{
	struct list command = {0};
	int status;

	add_compiler(&command, arguments_link_cplusplus(arguments));
	list_add(&command, "-Wno-unused-command-line-argument");
	for (unsigned i = 0; i < arguments->count; i++) {
		const struct item *item = &arguments->items[i];

		if (item->kind == ITEM_COMPILE_FLAG)
			continue;
		if (item->kind == ITEM_LIBRARY || item->kind == ITEM_LIBRARY_PATH)
			list_add(&command, item->kind == ITEM_LIBRARY ? "-l" : "-L");
		list_add(&command, made->paths[i] ? made->paths[i] : item->text);
		if (item->value)
			list_add(&command, item->value);
	}
	if (arguments->output) {
		list_add(&command, "-o");
		list_add(&command, arguments->output);
	}
	status = spawn_and_wait(&command);
	list_release(&command);
	return status;
}
