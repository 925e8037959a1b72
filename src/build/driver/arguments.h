/*
 * What a compiler's command line asks for.
 *
 * Each argument becomes one item in the order given; response files (@file) are
 * expanded first.  The table of options that matter is in arguments.c; every
 * other option is handed to the compiler as it is, for compiling and linking.
 */
#ifndef INSPECT_BUILD_DRIVER_ARGUMENTS_H
#define INSPECT_BUILD_DRIVER_ARGUMENTS_H

#include "common/list.h"

#include <stdbool.h>

enum item_kind {
	ITEM_FLAG, /* for compiling and linking */
	ITEM_COMPILE_FLAG,
	ITEM_LINK_FLAG,
	ITEM_SOURCE,
	ITEM_ASSEMBLY, /* .s, .S: compiled, but there is no bitcode in it */
	ITEM_OBJECT, /* an object, archive, shared object or linker script */
	ITEM_LIBRARY, /* -lNAME */
	ITEM_LIBRARY_PATH, /* -LDIR */
};

struct item {
	enum item_kind kind;
	const char *text; /* the argument; of a library or its path the name only */
	const char *value; /* that follows as an argument of its own, or NULL */
	const char *language; /* of a source, when -x says it: the argument after -x; else NULL */
};

enum action {
	ACTION_PLAIN, /* nothing for us: the compiler runs unchanged */
	ACTION_COMPILE, /* -c */
	ACTION_LINK, /* a program */
	ACTION_LINK_NATIVE, /* a shared object, or -r: linked as it is, the bitcode stays inside */
};

struct arguments {
	enum action action;
	struct item *items;
	unsigned count;
	const char *output; /* -o, or NULL */
	const char *unsupported; /* an option that rules checking out (-static), or NULL */
	bool dependencies; /* -MD or -MMD without -MF: the compiler chooses the file's name */
	bool cplusplus; /* the command is `inspect c++`: C sources are C++ as well, the C++ library is linked */
	bool stateful; /* --stateful: the program tells the runtime what its threads know (wire/hooks.h) */
	bool configure_test; /* an input is one of the small programs that configure scripts make */
	struct list expanded; /* the arguments after expansion of response files */
};

/* Is this the name of a C or C++ source? */
bool is_source(const char *argument);

/* `argv` without the command's own name, NULL-terminated. */
void arguments_init(struct arguments *arguments, char *const argv[], bool cplusplus);
void arguments_release(struct arguments *arguments);

/* How many items of the kind there are. */
unsigned arguments_count(const struct arguments *arguments, enum item_kind kind);

/* Is the item a source that is compiled as C++? */
bool item_is_cplusplus(const struct arguments *arguments, const struct item *item);

/* Does a link need the C++ library: for the command's own sake, or for a source among the inputs? */
bool arguments_link_cplusplus(const struct arguments *arguments);

#endif
