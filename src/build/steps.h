/*
 * The steps of a build, each one or more runs of other programs.
 */
#ifndef INSPECT_BUILD_STEPS_H
#define INSPECT_BUILD_STEPS_H

#include "build/arguments.h"
#include "build/list.h"

/* compile.c */

/* Intermediate files of one build: entry i belongs to item i of the arguments, NULL where there is none. */
struct intermediates {
	const char *scratch;
	char **paths;
	unsigned count;
};

/* The command's first words. */
void add_compiler(struct list *command, bool cplusplus);

/* Bitcode for the instrumentor, or native objects with the bitcode inside. */
enum object_form { FORM_BITCODE, FORM_NATIVE };

/* Compile all sources into the scratch directory; returns the compiler's exit status. */
int compile_sources(const struct arguments *arguments, enum object_form form, struct intermediates *made);

/* The command with -c: objects where the user wants them. */
int compile_objects(const struct arguments *arguments);

/* link.c */

/* Ends the command with one line when an input is missing or is nothing that can be compiled or linked. */
void check_inputs(const struct arguments *arguments);

/* Instrument and link a program; the return value is an exit status, the message has been printed. */
int link_program(const struct arguments *arguments, const struct intermediates *made, const char *output);

/* Link a shared object or a relocatable object; the objects keep their bitcode. */
int link_native(const struct arguments *arguments, const struct intermediates *made);

/* paths.c: where inspect.h is, or NULL. */
const char *include_directory(void);
/* Headers that come before the system's; NULL when they are missing. */
const char *override_directory(void);

#endif
