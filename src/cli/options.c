#define _GNU_SOURCE
#include "cli/options.h"

#include "cli/table.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "explore/explore.h"
#include "explore/strategies.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct option_row option_table[] = {
#define SECTION(title) {.kind = OPTION_SECTION, .name = title},
#define OPTION(kind, field, name, letter, value, minimum, maximum, initial, help)                                      \
	{OPTION_##kind,                                                                                                \
	 offsetof(struct check_options, field),                                                                        \
	 name,                                                                                                         \
	 letter,                                                                                                       \
	 value,                                                                                                        \
	 (double)(minimum),                                                                                            \
	 (double)(maximum),                                                                                            \
	 initial,                                                                                                      \
	 help},
#include "cli/options.def"
#undef OPTION
#undef SECTION
};
const size_t option_count = sizeof option_table / sizeof *option_table;

/* --- values --- */

static char *parse_count(const struct option_row *row, const char *text, uint64_t *count)
{
	char *end;

	invariant(row->minimum <= row->maximum);
	errno = 0;
	*count = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end)
		return xasprintf("--%s needs a whole number, not `%s'", row->name, text);
	uint64_t most = row->maximum < 0x1p64 ? (uint64_t)row->maximum : UINT64_MAX;
	if (errno == ERANGE || *count > most)
		return xasprintf("--%s=%s is too large: at most %" PRIu64, row->name, text, most);
	if ((double)*count < row->minimum)
		return xasprintf("--%s=%s is too small: at least %.0f", row->name, text, row->minimum);
	return NULL;
}

/* What a number is of: the table says so in place of the value. */
static const char *unit_of(const struct option_row *row)
{
	if (!strcmp(row->value, "S"))
		return " of seconds";
	return strcmp(row->value, "MB") ? "" : " of megabytes";
}

static char *parse_number(const struct option_row *row, const char *text, double *number)
{
	char *end;

	*number = strtod(text, &end);
	/* digits first: no sign, no blanks, no "inf", "nan" or hexadecimal */
	if (!(isdigit((unsigned char)text[0]) || text[0] == '.') || *end || strpbrk(text, "xX"))
		return xasprintf("--%s needs a number%s, not `%s'", row->name, unit_of(row), text);
	if (!isfinite(*number) || *number > row->maximum)
		return xasprintf("--%s=%s is too large: at most %.0f", row->name, text, row->maximum);
	if (*number < row->minimum || *number <= 0)
		return row->minimum > 0 ? xasprintf("--%s=%s is too small: at least %g", row->name, text, row->minimum)
					: xasprintf("--%s=%s is too small", row->name, text);
	return NULL;
}

static char *parse_choice(const struct option_row *row, const char *text, unsigned *choice)
{
	const char *word = row->value;
	size_t length;

	invariant(strchr(row->value, '|')); /* several to choose from */
	for (*choice = 0;; (*choice)++, word += length + 1) {
		length = strcspn(word, "|");
		if (strlen(text) == length && !strncmp(word, text, length))
			return NULL;
		if (!word[length])
			break;
	}
	return xasprintf("--%s=%s is not known; it is one of %s", row->name, text, row->value);
}

static bool is_planned(const char *search)
{
	static const char *const planned[] = {"optimal", "bounded", "random", "pct", "surw", "tdv"};

	for (size_t i = 0; i < sizeof planned / sizeof *planned; i++) {
		if (!strcmp(search, planned[i]))
			return true;
	}
	return false;
}

static char *parse_search(const char *text, const char **search)
{
	char *available = xstrdup(""), *why;

	*search = text;
	for (const struct strategy *strategy = named_strategy(NULL); strategy; strategy = named_strategy(strategy)) {
		char *longer = xasprintf("%s%s%s", available, *available ? ", " : "", strategy->name);
		free(available);
		available = longer;
		if (!strcmp(strategy->name, text)) {
			free(available);
			return NULL;
		}
	}
	why = xasprintf("--search=%s is not %s; available: %s", text,
			is_planned(text) ? "available in this version" : "known", available);
	free(available);
	return why;
}

static char *parse_value(struct check_options *options, const struct option_row *row, const char *text)
{
	void *field = (char *)options + row->offset;

	invariant(row->offset < sizeof *options);
	switch (row->kind) {
	case OPTION_FLAG: *(bool *)field = true; return NULL;
	case OPTION_COUNT: return parse_count(row, text, field);
	case OPTION_NUMBER: return parse_number(row, text, field);
	case OPTION_CHOICE: return parse_choice(row, text, field);
	case OPTION_SEARCH: return parse_search(text, field);
	case OPTION_TEXT:
		*(const char **)field = text;
		return *text ? NULL : xasprintf("--%s needs a value: --%s=%s", row->name, row->name, row->value);
	case OPTION_SECTION: break;
	}
	invariant(!"an option of unknown kind");
	return NULL;
}

/* --- typing errors --- */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters must be changed, added, removed or swapped; words are short. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t rows[3][64], n = strlen(b);

	if (n >= 64)
		return SIZE_MAX;
	invariant(n < 64);
	for (size_t j = 0; j <= n; j++)
		rows[0][j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = smaller(above[j - 1] + (a[i - 1] != b[j - 1]), smaller(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smaller(row[j], twice[j - 2] + 1);
		}
	}
	return rows[strlen(a) % 3][n];
}

const char *closest_word(const char *word, const char *const *words)
{
	size_t best = strlen(word) < 4 ? 2 : 4, distance;
	const char *found = NULL;

	for (; *words; words++) {
		distance = edit_distance(word, *words);
		if (distance < best) {
			best = distance;
			found = *words;
		} else if (!found && strlen(word) >= 3 && !strncmp(word, *words, strlen(word))) {
			found = *words;
		}
	}
	return found;
}

static char *unknown_option(const char *name)
{
	const char *names[option_count + 2], *found;
	size_t count = 0;

	for (size_t i = 0; i < option_count; i++) {
		if (option_table[i].kind != OPTION_SECTION)
			names[count++] = option_table[i].name;
	}
	names[count++] = "help";
	invariant(count < sizeof names / sizeof *names);
	names[count] = NULL;
	found = closest_word(name, names);
	if (found)
		return xasprintf("unknown option --%s: did you mean --%s?", name, found);
	return xasprintf("unknown option --%s: `inspect check --help' lists them", name);
}

/* --- the command line --- */

static const struct option_row *find_row(const char *name, size_t length)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		if (row->kind != OPTION_SECTION && strlen(row->name) == length && !strncmp(row->name, name, length))
			return row;
	}
	return NULL;
}

static const struct option_row *find_letter(const char *argument)
{
	for (size_t i = 0; i < option_count; i++) {
		if (option_table[i].letter && argument[1] == option_table[i].letter && !argument[2])
			return &option_table[i];
	}
	return NULL;
}

/* Flags of the compiler that begin with two dashes. */
static bool is_long_compiler_flag(const char *name)
{
	return !strncmp(name, "sysroot=", 8) || !strncmp(name, "std=", 4) || !strncmp(name, "target=", 7);
}

/* An argument that begins with "--" and goes on; takes the next argument if it needs it. */
static char *parse_long(struct check_options *options, char ***next)
{
	char *name = *(*next)++ + 2, *equals = strchrnul(name, '='), *why;
	const struct option_row *row = find_row(name, (size_t)(equals - name));

	invariant(name >= (*next)[-1] + 2);
	if (!row) {
		char *bare = strndup(name, (size_t)(equals - name));
		why = unknown_option(bare);
		free(bare);
		return why;
	}
	if (row->kind == OPTION_FLAG)
		return *equals ? xasprintf("--%s takes no value", row->name) : parse_value(options, row, "");
	if (*equals)
		return parse_value(options, row, equals + 1);
	if (!**next)
		return xasprintf("--%s needs a value: --%s=%s", row->name, row->name, row->value);
	return parse_value(options, row, *(*next)++);
}

bool takes_next_argument(const char *argument)
{
	static const char *const flags[] = {
		"-D",	       "-U",	     "-I",	 "-L",	      "-l",	  "-include", "-isystem",
		"-iquote",     "-idirafter", "-imacros", "-isysroot", "-Xlinker", "-Xclang",  "-Xpreprocessor",
		"-Xassembler", "-u",	     "-z",	 "-T",	      "-x"};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (!strcmp(argument, flags[i]))
			return true;
	}
	return false;
}

/* Flags that would take the build out of our hands. */
static bool is_refused_flag(const char *argument)
{
	return !strncmp(argument, "-o", 2) || !strcmp(argument, "-c") || !strcmp(argument, "-S") ||
	       !strcmp(argument, "-E") || !strcmp(argument, "-shared");
}

static char *parse_input(struct check_options *options, char ***next)
{
	char *argument = *(*next)++;

	if (is_refused_flag(argument))
		return xasprintf("%s has no place here: inspect check builds and runs the whole program", argument);
	list_add(&options->inputs, argument);
	if (takes_next_argument(argument)) {
		if (!**next)
			return xasprintf("%s needs a value", argument);
		list_add(&options->inputs, *(*next)++);
	}
	return NULL;
}

static char *parse_argument(struct check_options *options, char ***next)
{
	const char *argument = **next;
	const struct option_row *row = argument[0] == '-' ? find_letter(argument) : NULL;

	if (!strcmp(argument, "--help") || !strcmp(argument, "-h")) {
		options->help = true;
		(*next)++;
		return NULL;
	}
	if (row) {
		(*next)++;
		return parse_value(options, row, "");
	}
	if (!*argument)
		return xstrdup("an empty argument is neither a file nor an option");
	if (!strncmp(argument, "--", 2) && !is_long_compiler_flag(argument + 2))
		return parse_long(options, next);
	return parse_input(options, next);
}

/* No name or letter twice: the first row of that name would take everything. */
static bool table_is_valid(void)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		char argument[] = {'-', row->letter, '\0'};
		if (row->kind != OPTION_SECTION && find_row(row->name, strlen(row->name)) != row)
			return false;
		if (row->letter && (find_letter(argument) != row || row->kind != OPTION_FLAG))
			return false;
	}
	return true;
}

static void set_initial(struct check_options *options)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		char *why = NULL;
		if (row->kind != OPTION_SECTION && *row->initial)
			why = parse_value(options, row, row->initial);
		if (why)
			failure("option table: %s", why);
	}
}

char *options_parse(struct check_options *options, char **arguments)
{
	char *why = NULL;

	*options = (struct check_options){0};
	debug_invariant(table_is_valid());
	list_init(&options->inputs);
	set_initial(options);
	while (!why && !options->help && *arguments && strcmp(*arguments, "--"))
		why = parse_argument(options, &arguments);
	options->arguments = *arguments ? arguments + 1 : arguments;
	if (!why && options->quiet && options->verbose && !options->help)
		why = xstrdup("-q and -v exclude each other");
	invariant(options->inputs.items[options->inputs.count] == NULL);
	invariant(options->search);
	return why;
}

void options_release(struct check_options *options)
{
	list_release(&options->inputs);
}
