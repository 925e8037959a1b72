/*
 * The steps of a build, each one or more runs of other programs.
 */
#ifndef INSPECT_BUILD_DRIVER_STEPS_H
#define INSPECT_BUILD_DRIVER_STEPS_H

#include "build/driver/arguments.h"
#include "build/driver/files_read.h"
#include "common/list.h"

/* compile.c */

/* Intermediate files of one build: entry i belongs to item i of the arguments, NULL where there is none. */
struct intermediates {
	const char *scratch;
	char **paths;
	unsigned count;
	struct files_read *files; /* what the build reads is noted there; NULL when nobody wants to know */
};

/* The names; `scratch` must outlive them. */
void intermediates_init(struct intermediates *made, const struct arguments *arguments, const char *scratch);
void intermediates_release(struct intermediates *made);

/* The command's first words. */
void add_compiler(struct list *command, bool cplusplus);

/* For a compiler whose messages go to a terminal by way of a file: as it would have printed them itself. */
void add_terminal_flags(struct list *command);

/* Bitcode for the instrumentor, or native objects with the bitcode inside. */
enum object_form { FORM_BITCODE, FORM_NATIVE };

/*
 * Compile all sources into the intermediates.  Several compilers run at a time, the first of
 * which are running when compile_begin returns; compile_finish returns the worst exit status.
 */
struct compilation *compile_begin(const struct arguments *arguments, enum object_form form,
				  const struct intermediates *made);
int compile_finish(struct compilation *work);

/* The command with -c: objects where the user wants them. */
int compile_objects(const struct arguments *arguments);

/* link.c */

/* Ends the command with one line when an input is missing or is nothing that can be compiled or linked. */
void check_inputs(const struct arguments *arguments);

/*
 * Instrument and link a program.
 *
 *   link_make     sorts the inputs; ends the command with one line when one is damaged
 *   link_begin    starts, while the sources are compiled, what takes long to load
 *   link_finish   when all intermediates are there, as bitcode: does the work; the return
 *                 value is an exit status, the message has been printed
 *   link_abandon  when they will never be: ends what was begun
 *
 * The last two free the link, which borrows all that it is given.
 */
struct link *link_make(const struct arguments *arguments, const struct intermediates *made, const char *output);
void link_begin(struct link *link);
int link_finish(struct link *link);
void link_abandon(struct link *link);

/* Link a shared object or a relocatable object; the objects keep their bitcode. */
int link_native(const struct arguments *arguments, const struct intermediates *made);

#endif
