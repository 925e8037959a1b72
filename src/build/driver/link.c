/*
 * Objects to a program: bitcode goes to the instrumentor, which makes one
 * native object of it; everything else goes to the system's linker, in the order
 * given, with the runtime.
 *
 * Loading LLVM takes as long as the work itself, so whatever loads it is started
 * at once, beside the compilers: the instrumentor, which then waits for its inputs,
 * and the compiler driver, which is only asked for the linker's command line.
 */
#define _GNU_SOURCE
#include "build/driver/paths.h"
#include "build/driver/driver.h"
#include "program/elf.h"
#include "build/driver/spawn.h"
#include "build/driver/steps.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const program_flags[] = {
	"-pie", "-pthread", "-rdynamic", "-Wl,-z,now", "-Wl,-z,relro", "-Wno-unused-command-line-argument", NULL,
};

struct link {
	const struct arguments *arguments;
	const struct intermediates *made;
	const char *output;
	char *object; /* what the instrumentor makes */
	char *answer; /* the file with the driver's answer */
	char *rules; /* the file in which the linker says what it has read */
	struct list instrument; /* the command that runs the instrumentor */
	struct list link; /* what the linker is given besides the instrumented object */
	bool whole; /* between --whole-archive and --no-whole-archive */
	pid_t instrumentor, driver;
	int inputs_ready; /* written to when the instrumentor may begin */
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

static void add_instrument_input(struct link *link, const char *path)
{
	if (link->whole)
		list_add(&link->instrument, "-w");
	list_add(&link->instrument, path);
}

/* Sort one file to where it belongs; `argument` is what the linker is given for it. */
static void add_object(struct link *link, const char *path, const char *argument)
{
	struct view file = file_map(path);
	struct contents contents = {false, true};

	if (file_kind(file) != FILE_OTHER)
		contents = object_contents(path, file);
	/* native objects are shown to the instrumentor for what they define, and need from archives */
	if (file_kind(file) != FILE_OTHER)
		add_instrument_input(link, path);
	if (contents.native)
		list_add(&link->link, argument);
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
static void add_library(struct link *link, const char *name)
{
	const struct arguments *arguments = link->arguments;
	char *argument = xasprintf("-l%s", name);
	char *path = NULL;

	for (unsigned i = 0; i < arguments->count && !path; i++)
		if (arguments->items[i].kind == ITEM_LIBRARY_PATH)
			path = library_in(arguments->items[i].text, name);
	if (path)
		add_object(link, path, argument);
	else
		list_add(&link->link, argument);
	free(path);
	free(argument);
}

static void add_link_flag(struct link *link, const struct item *item)
{
	const char *text = item->value ? item->value : item->text;

	if (strstr(text, "--no-whole-archive"))
		link->whole = false;
	else if (strstr(text, "--whole-archive"))
		link->whole = true;
	list_add(&link->link, item->text);
	if (item->value)
		list_add(&link->link, item->value);
}

/* What the compiler has still to make is sorted like the rest: bitcode, or a native object. */
static void add_item_to_link(struct link *link, unsigned i)
{
	const struct item *item = &link->arguments->items[i];
	const char *made = link->made->paths[i];

	invariant(made || (item->kind != ITEM_SOURCE && item->kind != ITEM_ASSEMBLY));
	switch (item->kind) {
	case ITEM_ASSEMBLY: list_add(&link->link, made); /* fallthrough */
	case ITEM_SOURCE: add_instrument_input(link, made); break;
	case ITEM_OBJECT: add_object(link, item->text, item->text); break;
	case ITEM_LIBRARY: add_library(link, item->text); break;
	case ITEM_LIBRARY_PATH: list_add_own(&link->link, xasprintf("-L%s", item->text)); break;
	case ITEM_FLAG:
	case ITEM_LINK_FLAG: add_link_flag(link, item); break;
	case ITEM_COMPILE_FLAG: break;
	}
}

/* ---- messages of the linker ---- */

static char *replace_all(char *text, const char *from, const char *to)
{
	char *at;

	invariant(*from && !strstr(to, from)); /* it would be found again for ever */
	while ((at = strstr(text, from))) {
		char *changed = xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));

		free(text);
		text = changed;
	}
	return text;
}

/* The linker knows our scratch files and the new name of main; the user does not. */
static void print_errors(char *errors, const struct link *link)
{
	const struct intermediates *made = link->made;
	char *line, *rest;

	errors = replace_all(errors, link->object, "the program");
	errors = replace_all(errors, "__inspect_main", "main");
	for (unsigned i = 0; i < made->count; i++)
		if (made->paths[i])
			errors = replace_all(errors, made->paths[i], link->arguments->items[i].text);
	for (rest = errors; (line = strsep(&rest, "\n"));)
		if (*line && !strstr(line, "linker command failed")) {
			fprintf(stderr, "%s\n", line);
			if (made->files)
				buffer_printf(&made->files->messages, "%s\n", line);
		}
	free(errors);
}

/* ---- the steps ---- */

static void add_driver_command(struct list *command, const struct link *link)
{
	add_compiler(command, arguments_link_cplusplus(link->arguments));
	list_add_all(command, program_flags);
	list_add(command, link->object);
	list_add(command, "-Wl,--whole-archive");
	list_add(command, build_runtime_library());
	list_add(command, "-Wl,--no-whole-archive");
	for (unsigned i = 0; i < link->link.count; i++)
		list_add(command, link->link.items[i]);
	list_add(command, "-ldl");
	list_add(command, "-o");
	list_add(command, link->output);
}

/* The driver wants to see its inputs, of which it only needs the names. */
static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		failure("cannot write %s: %s", path, strerror(errno));
	close(fd);
}

static void ask_driver(struct link *link)
{
	struct list command = {0};
	int fd = open(link->answer, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	invariant(!link->driver);
	if (fd < 0)
		failure("cannot write %s: %s", link->answer, strerror(errno));
	make_file(link->object);
	for (unsigned i = 0; i < link->made->count; i++)
		if (link->arguments->items[i].kind == ITEM_ASSEMBLY)
			make_file(link->made->paths[i]);
	add_driver_command(&command, link);
	list_add(&command, "-###");
	link->driver = spawn(&command, -1, fd);
	list_release(&command);
	close(fd);
}

static void start_instrumentor(struct link *link)
{
	int ends[2];

	invariant(!link->instrumentor);
	/* a socket: it may be written to when the other side is gone */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		failure("socketpair: %s", strerror(errno));
	link->instrumentor = spawn(&link->instrument, ends[1], -1);
	close(ends[1]);
	link->inputs_ready = ends[0];
}

struct link *link_make(const struct arguments *arguments, const struct intermediates *made, const char *output)
{
	struct link *link = xcalloc(1, sizeof *link);

	invariant(arguments->action == ACTION_LINK);
	invariant(made->count == arguments->count);
	invariant(*output);
	link->arguments = arguments;
	link->made = made;
	link->output = output;
	link->object = xasprintf("%s/program.o", made->scratch);
	link->answer = xasprintf("%s/driver", made->scratch);
	link->rules = xasprintf("%s/program.d", made->scratch);
	list_add(&link->instrument, build_instrumentor());
	list_add(&link->instrument, "-i");
	if (arguments->stateful)
		list_add(&link->instrument, "-s");
	list_add(&link->instrument, "-o");
	list_add(&link->instrument, link->object);
	for (unsigned i = 0; i < arguments->count; i++)
		add_item_to_link(link, i);
	return link;
}

void link_begin(struct link *link)
{
	start_instrumentor(link);
	ask_driver(link);
}

static void link_free(struct link *link)
{
	list_release(&link->instrument);
	list_release(&link->link);
	free(link->object);
	free(link->answer);
	free(link->rules);
	free(link);
}

void link_abandon(struct link *link)
{
	invariant(link->instrumentor && link->driver);
	close(link->inputs_ready);
	spawn_wait(link->instrumentor);
	spawn_wait(link->driver);
	link_free(link);
}

/* The linker itself, or the driver when it did not answer in a way that we understand. */
static void add_linker_command(struct list *command, const struct link *link)
{
	struct files_read *files = link->made->files;
	struct view answer = file_map(link->answer);

	invariant(!command->count);
	if (!driver_linker_command((const char *)answer.bytes, answer.size, command)) {
		add_driver_command(command, link);
		if (files)
			files->unknown = true;
	} else if (files) {
		files_read_add_linker(files, command);
		list_add_own(command, xasprintf("--dependency-file=%s", link->rules));
	}
	file_unmap(answer);
}

/* Libraries that have bitcode only are unknown to the linker. */
static void note_libraries(const struct link *link)
{
	for (unsigned i = 0; i < link->arguments->count; i++) {
		const struct item *item = &link->arguments->items[i];

		if (item->kind == ITEM_LIBRARY)
			files_read_add_library(link->made->files, item->text);
		else if (item->kind == ITEM_LIBRARY_PATH)
			files_read_add_library_directory(link->made->files, item->text);
	}
}

static void note_files_read(const struct link *link)
{
	struct files_read *files = link->made->files;

	invariant(files);
	note_libraries(link);
	files_read_add_rules(files, link->rules, &files->objects);
	for (unsigned i = 0; i < link->instrument.count; i++)
		if (*link->instrument.items[i] != '-')
			files_read_add_object(files, link->instrument.items[i]);
}

static int run_linker(const struct link *link)
{
	struct list command = {0};
	char *errors;
	int status;

	add_linker_command(&command, link);
	status = spawn_and_capture(&command, &errors);
	print_errors(errors, link);
	if (!status && link->made->files)
		note_files_read(link);
	list_release(&command);
	return status ? STATUS_USAGE : 0;
}

static int run_instrumentor(struct link *link)
{
	int status;

	invariant(link->instrumentor);
	send(link->inputs_ready, "", 1, MSG_NOSIGNAL); /* if it is gone, its status says so */
	close(link->inputs_ready);
	status = spawn_wait(link->instrumentor);
	if (status >= 128)
		failure("the instrumentor was ended by signal %d", status - 128);
	return status;
}

int link_finish(struct link *link)
{
	int status = run_instrumentor(link);

	invariant(link->driver);
	spawn_wait(link->driver);
	if (!status)
		status = run_linker(link);
	link_free(link);
	return status;
}

int link_native(const struct arguments *arguments, const struct intermediates *made)
{
	struct list command = {0};
	int status;

	invariant(arguments->action == ACTION_LINK_NATIVE);
	invariant(made->count == arguments->count);
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
