/*
 * Sources to bitcode.  The compiler must not optimise: what it simplifies away
 * can no longer be checked.  -O1 is given with all passes off, because -O0 would
 * mark every function as never to be touched.
 */
#define _GNU_SOURCE
#include "program/elf.h"
#include "build/driver/paths.h"
#include "build/driver/spawn.h"
#include "build/driver/steps.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const our_flags[] = {
	"-g",
	"-O1",
	"-Xclang",
	"-disable-llvm-passes",
	"-fstack-clash-protection", /* a large frame must not jump over the guard into another thread's stack */
	"-fno-omit-frame-pointer", /* for call stacks in reports */
	"-fno-crash-diagnostics", /* which would stay in the directory for temporary files */
	"-U_FORTIFY_SOURCE", /* the checking variants of library functions have no model */
	"-D_GLIBCXX_ASSERTIONS", /* … and std::string is compiled with the program, so that its accesses are seen */
	"-Wno-unused-command-line-argument",
	NULL,
};

static const char *const native_flags[] = {"-c", "-Xclang", "-fembed-bitcode=bitcode", NULL};
static const char *const bitcode_flags[] = {"-c", "-emit-llvm", NULL};
static const char *const assembly_flags[] = {"-c", NULL};

/* The one binary is a C and a C++ compiler; the mode decides what a .c file is and which libraries are linked. */
void add_compiler(struct list *command, bool cplusplus)
{
	list_add(command, INSPECT_CLANG);
	if (cplusplus)
		list_add(command, "--driver-mode=g++");
}

/* Where C and C++ are compiled by one command, -std=… belongs to one of them. */
static bool fits_language(const char *flag, bool cplusplus)
{
	if (strncmp(flag, "-std=", 5))
		return true;
	return cplusplus == (strstr(flag, "++") != NULL);
}

void add_terminal_flags(struct list *command)
{
	const char *type = getenv("TERM");
	struct winsize size = {0};

	if (!isatty(STDERR_FILENO) || !type || !strcmp(type, "dumb") || getenv("NO_COLOR"))
		return;
	list_add(command, "-fcolor-diagnostics");
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		list_add_own(command, xasprintf("-fmessage-length=%u", size.ws_col));
}

/* `source` is the only one to be compiled, or NULL. */
static void add_flags(struct list *command, const struct arguments *arguments, const struct item *source)
{
	const char *include = include_directory(), *override = override_directory();

	for (unsigned i = 0; i < arguments->count; i++) {
		const struct item *item = &arguments->items[i];

		if (item->kind != ITEM_FLAG && item->kind != ITEM_COMPILE_FLAG)
			continue;
		if (source && !fits_language(item->text, item_is_cplusplus(arguments, source)))
			continue;
		list_add(command, item->text);
		if (item->value)
			list_add(command, item->value);
	}
	list_add_all(command, our_flags);
	if (override) {
		list_add(command, "-isystem");
		list_add(command, override);
	}
	if (include) {
		list_add(command, "-idirafter");
		list_add(command, include);
	}
}

static bool is_compiled(const struct item *item)
{
	return item->kind == ITEM_SOURCE || item->kind == ITEM_ASSEMBLY;
}

static void add_source(struct list *command, const struct item *item)
{
	invariant(is_compiled(item));
	if (item->language) {
		list_add(command, "-x");
		list_add(command, item->language);
	}
	list_add(command, item->text);
	if (item->language) {
		list_add(command, "-x");
		list_add(command, "none");
	}
}

/* "dir/name.c" → "name" + suffix: where compilers put things by default. */
static char *default_name(const char *source, const char *suffix)
{
	const char *slash = strrchr(source, '/');
	const char *base = slash ? slash + 1 : source;
	const char *dot = strrchr(base, '.');

	return xasprintf("%.*s%s", (int)(dot ? dot - base : (long)strlen(base)), base, suffix);
}

/* The bitcode gets a section name that no linker plugin claims. */
static void finish_object(const char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISREG(status.st_mode))
		elf_rename_section(path, COMPILER_BITCODE_SECTION, BITCODE_SECTION);
}

int compile_objects(const struct arguments *arguments)
{
	struct list command = {0};
	int status;

	invariant(arguments->action == ACTION_COMPILE);
	add_compiler(&command, arguments->cplusplus);
	add_flags(&command, arguments, NULL);
	list_add_all(&command, native_flags);
	for (unsigned i = 0; i < arguments->count; i++)
		if (is_compiled(&arguments->items[i]))
			add_source(&command, &arguments->items[i]);
	if (arguments->output) {
		list_add(&command, "-o");
		list_add(&command, arguments->output);
	}
	status = spawn_and_wait(&command);
	for (unsigned i = 0; i < arguments->count && !status; i++) {
		char *path;

		if (!is_compiled(&arguments->items[i]))
			continue;
		path = arguments->output ? xstrdup(arguments->output) : default_name(arguments->items[i].text, ".o");
		finish_object(path);
		free(path);
	}
	list_release(&command);
	return status;
}

/* Dependency rules go where the compiler would have put them, had it not been given a scratch file's name. */
static void add_rules_file(struct list *command, const struct item *item)
{
	list_add(command, "-MF");
	list_add_own(command, default_name(item->text, ".d"));
	list_add(command, "-MT");
	list_add_own(command, default_name(item->text, ".o"));
}

/* A -std=… that fits none of the sources is the compiler's to complain about. */
static bool is_only_language(const struct arguments *arguments, const struct item *item)
{
	for (unsigned i = 0; i < arguments->count; i++)
		if (arguments->items[i].kind == ITEM_SOURCE &&
		    item_is_cplusplus(arguments, &arguments->items[i]) != item_is_cplusplus(arguments, item))
			return false;
	return true;
}

static char *intermediate_name(const struct intermediates *made, const struct item *item, unsigned n)
{
	char *base = default_name(item->text, "");
	char *path = xasprintf("%s/%u-%s.o", made->scratch, n, base);

	free(base);
	return path;
}

void intermediates_init(struct intermediates *made, const struct arguments *arguments, const char *scratch)
{
	invariant(*scratch == '/'); /* messages of the linker are searched for these names */
	*made = (struct intermediates){.scratch = scratch, .count = arguments->count};
	made->paths = xcalloc(arguments->count + 1, sizeof *made->paths);
	for (unsigned i = 0; i < arguments->count; i++)
		if (is_compiled(&arguments->items[i]))
			made->paths[i] = intermediate_name(made, &arguments->items[i], i);
}

void intermediates_release(struct intermediates *made)
{
	for (unsigned i = 0; i < made->count; i++)
		free(made->paths[i]);
	free(made->paths);
}

/* ---- what the compiler reads and says, when somebody wants to know ---- */

static char *rules_name(const char *output)
{
	return xasprintf("%s.d", output);
}

static char *messages_name(const char *output)
{
	return xasprintf("%s.messages", output);
}

static void add_watching_flags(struct list *command, const char *output)
{
	list_add(command, "-MD");
	list_add(command, "-MF");
	list_add_own(command, rules_name(output));
	list_add(command, "-Xclang");
	list_add(command, "-v");
}

/* Where the compiler's messages go: -1 for where ours go. */
static int open_messages(const struct files_read *files, const char *output)
{
	char *name;
	int fd;

	if (!files)
		return -1;
	invariant(output);
	name = messages_name(output);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		failure("cannot write %s: %s", name, strerror(errno));
	free(name);
	return fd;
}

static void print_messages(struct files_read *files, const char *output)
{
	char *name = messages_name(output), *messages;
	struct view file = file_map(name);
	char *text = xasprintf("%.*s", (int)file.size, file.bytes ? (const char *)file.bytes : "");

	messages = files_read_take_search_list(files, text);
	fputs(messages, stderr);
	buffer_add_text(&files->messages, messages);
	file_unmap(file);
	free(messages);
	free(text);
	free(name);
}

static void note_files_read(struct files_read *files, const char *output)
{
	char *rules = rules_name(output);

	files_read_add_rules(files, rules, &files->sources);
	free(rules);
}

/* ---- all sources, one compiler for each processor at a time ---- */

struct compilation {
	const struct arguments *arguments;
	const struct intermediates *made;
	enum object_form form;
	pid_t *children; /* as the items; 0 = none */
	unsigned next; /* the item to look at next */
	unsigned waited; /* children before this one have ended */
	unsigned running, limit;
	int worst; /* exit status so far; nothing more is started after a failure */
};

static pid_t start_compiler(const struct compilation *work, unsigned n)
{
	const struct arguments *arguments = work->arguments;
	const struct item *item = &arguments->items[n];
	const char *output = work->made->paths[n];
	struct list command = {0};
	const struct files_read *files = work->made->files;
	int messages = open_messages(files, output);
	pid_t child;

	invariant(is_compiled(item) && output);
	add_compiler(&command, arguments->cplusplus);
	if (files)
		add_terminal_flags(&command);
	add_flags(&command, arguments, is_only_language(arguments, item) ? NULL : item);
	if (item->kind == ITEM_ASSEMBLY)
		list_add_all(&command, assembly_flags);
	else
		list_add_all(&command, work->form == FORM_NATIVE ? native_flags : bitcode_flags);
	if (arguments->dependencies)
		add_rules_file(&command, item);
	if (files)
		add_watching_flags(&command, output);
	add_source(&command, item);
	list_add(&command, "-o");
	list_add(&command, output);
	child = spawn(&command, -1, messages);
	if (messages >= 0)
		close(messages);
	list_release(&command);
	return child;
}

static void start_some(struct compilation *work)
{
	for (; work->next < work->arguments->count && work->running < work->limit && !work->worst; work->next++) {
		if (!is_compiled(&work->arguments->items[work->next]))
			continue;
		invariant(!work->children[work->next]);
		work->children[work->next] = start_compiler(work, work->next);
		work->running++;
	}
}

static void wait_for_one(struct compilation *work)
{
	struct files_read *files = work->made->files;
	int status;

	invariant(work->running);
	while (!work->children[work->waited])
		work->waited++;
	invariant(work->waited < work->next); /* one that runs was started before */
	status = spawn_wait(work->children[work->waited]);
	if (files)
		print_messages(files, work->made->paths[work->waited]);
	if (files && !status)
		note_files_read(files, work->made->paths[work->waited]);
	work->waited++;
	work->worst = status > work->worst ? status : work->worst;
	work->running--;
}

struct compilation *compile_begin(const struct arguments *arguments, enum object_form form,
				  const struct intermediates *made)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct compilation *work = xcalloc(1, sizeof *work);

	invariant(made->count == arguments->count);
	work->arguments = arguments;
	work->made = made;
	work->form = form;
	work->limit = processors < 1 ? 1 : processors > 16 ? 16 : (unsigned)processors;
	work->children = xcalloc(arguments->count + 1, sizeof *work->children);
	start_some(work);
	return work;
}

int compile_finish(struct compilation *work)
{
	int status;

	while (work->running) {
		wait_for_one(work);
		start_some(work);
	}
	invariant(work->worst || work->next == work->arguments->count);
	for (unsigned i = 0; i < work->made->count && !work->worst && work->form == FORM_NATIVE; i++)
		if (work->made->paths[i])
			finish_object(work->made->paths[i]);
	status = work->worst;
	free(work->children);
	free(work);
	return status;
}
