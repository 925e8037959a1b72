#define _GNU_SOURCE
#include "build/driver/arguments.h"

#include "build/driver/response.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <stdlib.h>
#include <string.h>

enum meaning {
	PASS, /* to the compiler, always */
	COMPILE, /* when compiling only */
	LINK, /* when linking only */
	DROP, /* not compatible with instrumentation, or decided by us */
	PLAIN, /* this command line is not for us */
	REFUSE,
	OUTPUT,
	LANGUAGE,
	ACTION_C,
	NATIVE, /* links something that is not a program */
	LIBRARY,
	LIBRARY_PATH,
	MAKE_RULES,
	RULES_FILE,
	STATEFUL,
};

/* How an option is written. */
enum form {
	EXACT, /* "-c" */
	PREFIX, /* "-O…" */
	SEPARATE, /* "-MF FILE" */
	JOINED, /* "-IDIR" or "-I DIR" */
};

/* The first entry that fits decides; an option that is not here is PASS, EXACT. */
static const struct option {
	const char *text;
	enum form form;
	enum meaning meaning;
} options[] = {
	{"-c", EXACT, ACTION_C},
	{"-o", JOINED, OUTPUT},
	{"-x", JOINED, LANGUAGE},
	{"--stateful", EXACT, STATEFUL}, /* our own */
	/* decided by us */
	{"-O", PREFIX, DROP},
	{"-flto", PREFIX, DROP},
	{"-fno-lto", EXACT, DROP},
	{"-ffat-lto-objects", EXACT, DROP},
	{"-fuse-linker-plugin", EXACT, DROP},
	{"-fembed-bitcode", PREFIX, DROP},
	{"-fsanitize", PREFIX, DROP},
	{"-fno-sanitize", PREFIX, DROP},
	{"-fprofile", PREFIX, DROP},
	{"-fcoverage", PREFIX, DROP},
	{"-ftest-coverage", EXACT, DROP},
	{"--coverage", EXACT, DROP},
	{"-pg", EXACT, DROP},
	{"-p", EXACT, DROP},
	{"-save-temps", PREFIX, DROP},
	{"--save-temps", PREFIX, DROP},
	{"-fno-integrated-as", EXACT, DROP},
	{"-fno-pie", EXACT, DROP},
	{"-fno-PIE", EXACT, DROP},
	{"-fno-pic", EXACT, DROP},
	{"-fno-PIC", EXACT, DROP},
	{"-no-pie", EXACT, DROP},
	{"-nopie", EXACT, DROP},
	{"-pie", EXACT, DROP},
	{"-static-libgcc", EXACT, LINK},
	{"-static-libstdc++", EXACT, LINK},
	{"-static", PREFIX, REFUSE},
	{"-m32", EXACT, REFUSE},
	{"-mx32", EXACT, REFUSE},
	{"-s", EXACT, DROP},
	/* another kind of output */
	{"-E", EXACT, PLAIN},
	{"-S", EXACT, PLAIN},
	{"-M", EXACT, PLAIN},
	{"-MM", EXACT, PLAIN},
	{"-fsyntax-only", EXACT, PLAIN},
	{"-emit-llvm", EXACT, PLAIN},
	{"-###", EXACT, PLAIN},
	{"--version", EXACT, PLAIN},
	{"--help", PREFIX, PLAIN},
	{"-dump", PREFIX, PLAIN},
	{"-print-", PREFIX, PLAIN},
	{"--print-", PREFIX, PLAIN},
	{"-V", EXACT, PLAIN},
	{"-qversion", EXACT, PLAIN},
	{"-shared", EXACT, NATIVE},
	{"--shared", EXACT, NATIVE},
	{"-r", EXACT, NATIVE},
	{"-nostartfiles", EXACT, LINK},
	/* libraries */
	{"-l", JOINED, LIBRARY},
	{"-L", JOINED, LIBRARY_PATH},
	{"--library-path", SEPARATE, LIBRARY_PATH},
	{"-Wl,", PREFIX, LINK},
	{"-Xlinker", SEPARATE, LINK},
	{"-T", JOINED, LINK},
	{"-undef", EXACT, COMPILE},
	{"-u", JOINED, LINK},
	{"-z", JOINED, LINK},
	{"-e", JOINED, LINK},
	{"-rpath", SEPARATE, LINK},
	{"-rdynamic", EXACT, LINK},
	{"-framework", SEPARATE, LINK},
	/* dependency rules; all before -M…, and harmless when linking */
	{"-MD", EXACT, MAKE_RULES},
	{"-MMD", EXACT, MAKE_RULES},
	{"-MF", JOINED, RULES_FILE},
	{"-MT", JOINED, COMPILE},
	{"-MQ", JOINED, COMPILE},
	{"-MP", EXACT, COMPILE},
	{"-MG", EXACT, COMPILE},
	{"-MJ", JOINED, COMPILE},
	/* with a value of their own */
	{"-D", JOINED, COMPILE},
	{"-U", JOINED, COMPILE},
	{"-I", JOINED, COMPILE},
	{"-include", SEPARATE, COMPILE},
	{"-imacros", SEPARATE, COMPILE},
	{"-include-pch", SEPARATE, COMPILE},
	{"-isystem", JOINED, COMPILE},
	{"-iquote", JOINED, COMPILE},
	{"-idirafter", JOINED, COMPILE},
	{"-iprefix", JOINED, COMPILE},
	{"-iwithprefixbefore", JOINED, COMPILE},
	{"-iwithprefix", JOINED, COMPILE},
	{"-isysroot", SEPARATE, PASS},
	{"--sysroot", SEPARATE, PASS},
	{"-B", JOINED, PASS},
	{"-Xclang", SEPARATE, COMPILE},
	{"-Xpreprocessor", SEPARATE, COMPILE},
	{"-Xassembler", SEPARATE, COMPILE},
	{"-Wp,", PREFIX, COMPILE},
	{"-Wa,", PREFIX, COMPILE},
	{"-mllvm", SEPARATE, COMPILE},
	{"-arch", SEPARATE, PASS},
	{"-target", SEPARATE, PASS},
	{"--param", SEPARATE, COMPILE},
	{"-gcc-toolchain", SEPARATE, PASS},
	{"-g", PREFIX, DROP},
};

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool fits(const struct option *option, const char *argument)
{
	if (option->form == EXACT || option->form == SEPARATE)
		return !strcmp(argument, option->text);
	return has_prefix(argument, option->text);
}

static const struct option *find_option(const char *argument)
{
	static const struct option other = {"", EXACT, PASS};

	for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
		if (fits(&options[i], argument))
			return &options[i];
	return &other;
}

/* No row is hidden behind one above it, which would decide in its place. */
static bool options_are_reachable(void)
{
	for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
		if (find_option(options[i].text) != &options[i])
			return false;
	return true;
}

static bool has_suffix(const char *text, const char *const suffixes[])
{
	const char *dot = strrchr(text, '.');

	for (; dot && *suffixes; suffixes++)
		if (!strcmp(dot, *suffixes))
			return true;
	return false;
}

static bool is_cplusplus(const char *name)
{
	return has_suffix(name, (const char *const[]){".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp", ".ii", NULL});
}

bool is_source(const char *argument)
{
	return argument[0] != '-' &&
	       (has_suffix(argument, (const char *const[]){".c", ".i", NULL}) || is_cplusplus(argument));
}

static bool is_header(const char *name)
{
	return has_suffix(name, (const char *const[]){".h", ".hh", ".hpp", ".hxx", ".h++", ".H", NULL});
}

static bool is_assembly(const char *name)
{
	return has_suffix(name, (const char *const[]){".s", ".S", ".sx", NULL});
}

static void add_item(struct arguments *arguments, struct item item)
{
	unsigned n = arguments->count++;

	invariant(item.text);
	arguments->items = xrealloc(arguments->items, arguments->count * sizeof *arguments->items);
	arguments->items[n] = item;
}

/* Later arguments do not take back what an earlier one said; a plain command stays plain. */
static void set_action(struct arguments *arguments, enum action action)
{
	if (arguments->action == ACTION_LINK || action == ACTION_PLAIN)
		arguments->action = action;
}

static void add_input(struct arguments *arguments, const char *name, const char *language)
{
	enum item_kind kind = ITEM_OBJECT;

	if (!language && is_header(name)) {
		set_action(arguments, ACTION_PLAIN); /* a header to precompile */
	} else if (language) {
		kind = has_prefix(language, "assembler") ? ITEM_ASSEMBLY : ITEM_SOURCE;
	} else if (is_source(name)) {
		kind = ITEM_SOURCE;
	} else if (is_assembly(name)) {
		kind = ITEM_ASSEMBLY;
	}
	invariant(language || kind == ITEM_OBJECT || name[0] != '-');
	add_item(arguments, (struct item){kind, name, NULL, language});
}

/* `joined` is the value of an option that has one, wherever it was written. */
static void add_option(struct arguments *arguments, const struct option *option, const char *text, const char *value,
		       const char *joined)
{
	invariant(text[0] == '-' && text[1]);
	invariant(!value || value == joined);
	switch (option->meaning) {
	case PASS: add_item(arguments, (struct item){ITEM_FLAG, text, value, NULL}); break;
	case MAKE_RULES:
		arguments->dependencies = true;
		add_item(arguments, (struct item){ITEM_COMPILE_FLAG, text, value, NULL});
		break;
	case RULES_FILE:
	case COMPILE: add_item(arguments, (struct item){ITEM_COMPILE_FLAG, text, value, NULL}); break;
	case LINK: add_item(arguments, (struct item){ITEM_LINK_FLAG, text, value, NULL}); break;
	case PLAIN: set_action(arguments, ACTION_PLAIN); break;
	case REFUSE: arguments->unsupported = text; break;
	case OUTPUT: arguments->output = joined; break;
	case ACTION_C: set_action(arguments, ACTION_COMPILE); break;
	case NATIVE:
		set_action(arguments, ACTION_LINK_NATIVE);
		add_item(arguments, (struct item){ITEM_LINK_FLAG, text, NULL, NULL});
		break;
	case LIBRARY: add_item(arguments, (struct item){ITEM_LIBRARY, joined, NULL, NULL}); break;
	case LIBRARY_PATH: add_item(arguments, (struct item){ITEM_LIBRARY_PATH, joined, NULL, NULL}); break;
	case STATEFUL: arguments->stateful = true; break;
	case LANGUAGE:
	case DROP: break;
	}
}

static void parse(struct arguments *arguments)
{
	const char *language = NULL;
	bool rules_file = false;

	for (char **at = arguments->expanded.items; at && *at; at++) {
		const struct option *option = find_option(*at);
		const char *text = *at, *value = NULL, *joined;

		if (text[0] != '-' || !text[1]) {
			add_input(arguments, text, language);
			continue;
		}
		joined = text + strlen(option->text);
		if (option->form == SEPARATE || (option->form == JOINED && !*joined)) {
			if (!at[1])
				die("%s: a value must follow", text);
			joined = value = *++at;
		}
		if (option->meaning == LANGUAGE)
			language = strcmp(joined, "none") ? joined : NULL;
		rules_file |= option->meaning == RULES_FILE;
		add_option(arguments, option, text, value, joined);
	}
	arguments->dependencies &= !rules_file;
}

/* Test programs of configure scripts are none of our business: they are built and run by the hundred. */
static bool is_configure_test(const struct item *item)
{
	const char *slash = strrchr(item->text, '/');

	return (item->kind == ITEM_SOURCE || item->kind == ITEM_OBJECT) &&
	       has_prefix(slash ? slash + 1 : item->text, "conftest");
}

bool item_is_cplusplus(const struct arguments *arguments, const struct item *item)
{
	invariant(item->kind == ITEM_SOURCE || item->kind == ITEM_ASSEMBLY || !item->language);
	if (item->kind != ITEM_SOURCE)
		return false;
	if (item->language)
		return has_prefix(item->language, "c++");
	return is_cplusplus(item->text) || arguments->cplusplus;
}

bool arguments_link_cplusplus(const struct arguments *arguments)
{
	for (unsigned i = 0; i < arguments->count; i++)
		if (item_is_cplusplus(arguments, &arguments->items[i]))
			return true;
	return arguments->cplusplus;
}

unsigned arguments_count(const struct arguments *arguments, enum item_kind kind)
{
	unsigned count = 0;

	for (unsigned i = 0; i < arguments->count; i++)
		count += arguments->items[i].kind == kind;
	return count;
}

void arguments_init(struct arguments *arguments, char *const argv[], bool cplusplus)
{
	*arguments = (struct arguments){.action = ACTION_LINK, .cplusplus = cplusplus};
	expand_response_files(&arguments->expanded, argv);
	debug_invariant(options_are_reachable());
	parse(arguments);
	invariant(arguments->count <= arguments->expanded.count); /* an option with its value is one item */
	for (unsigned i = 0; i < arguments->count; i++)
		if (is_configure_test(&arguments->items[i]))
			arguments->configure_test = true;
	if (!arguments_count(arguments, ITEM_SOURCE) && !arguments_count(arguments, ITEM_OBJECT) &&
	    !arguments_count(arguments, ITEM_ASSEMBLY) && !arguments_count(arguments, ITEM_LIBRARY))
		arguments->action = ACTION_PLAIN;
}

void arguments_release(struct arguments *arguments)
{
	free(arguments->items);
	list_release(&arguments->expanded);
}
