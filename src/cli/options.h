/*
 * The command line of `inspect check`, as described by options.def.
 */
#ifndef INSPECT_CLI_OPTIONS_H
#define INSPECT_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/list.h"

#define OPTION_TYPE_FLAG bool
#define OPTION_TYPE_COUNT uint64_t
#define OPTION_TYPE_NUMBER double
#define OPTION_TYPE_CHOICE unsigned
#define OPTION_TYPE_SEARCH const char *
#define OPTION_TYPE_TEXT const char *

struct check_options {
#define SECTION(title)
#define OPTION(kind, field, name, letter, value, minimum, maximum, initial, help) OPTION_TYPE_##kind field;
#include "cli/options.def"
#undef OPTION
#undef SECTION
	bool help; /* --help or -h was given; nothing else counts then */
	struct list inputs; /* source files, the program, compiler flags: what came before -- */
	char **arguments; /* of the program: what came after --; points into the command line */
};

/*
 * NULL on success, else one malloced line that says what is wrong.  `arguments`
 * are those after the word `check`, NULL-terminated; values point into them.
 * The options are to be released in either case.
 */
char *options_parse(struct check_options *options, char **arguments);
void options_release(struct check_options *options);

/* The table as text for --help, as the OPTIONS section of the man page, as bash completion. */
void options_print_help(FILE *out);
/* A paragraph as wide as that help. */
void options_print_wrapped(FILE *out, const char *text);
void options_print_man(FILE *out);
void options_print_completion(FILE *out);

/* Is the argument a compiler flag whose value is the next argument? */
bool takes_next_argument(const char *argument);

/*
 * The known word that the user may have meant, or NULL.  `words` is
 * NULL-terminated.
 */
const char *closest_word(const char *word, const char *const *words);

#endif
