/*
 * The rows of options.def as data, for the parser (options.c) and the printers
 * (help.c).
 */
#ifndef INSPECT_CLI_TABLE_H
#define INSPECT_CLI_TABLE_H

#include <stddef.h>

enum option_kind {
	OPTION_SECTION, /* no option: a title in the help */
	OPTION_FLAG,
	OPTION_COUNT,
	OPTION_NUMBER,
	OPTION_CHOICE,
	OPTION_SEARCH,
	OPTION_TEXT,
};

struct option_row {
	enum option_kind kind;
	size_t offset; /* of the field in struct check_options */
	const char *name; /* or the section's title */
	char letter;
	const char *value;
	double minimum, maximum;
	const char *initial, *help;
};

extern const struct option_row option_table[];
extern const size_t option_count;

#endif
