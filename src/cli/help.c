/*
 * The options table as text: for --help, for the man page, for bash.
 */
#include "cli/options.h"

#include "cli/table.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "explore/explore.h"
#include "explore/strategies.h"

#include <stdlib.h>
#include <string.h>

#define HELP_INDENT 26
#define HELP_WIDTH 80

/* --- --help --- */

/* The words of the text from the current column on, wrapped and indented. */
static void print_wrapped(FILE *out, const char *text, unsigned column, unsigned indent)
{
	bool first = true;

	invariant(indent < HELP_WIDTH);
	while (*text) {
		size_t length = strcspn(text, " ");
		if (!first && column + 1 + length > HELP_WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)length, text);
		column += (unsigned)length;
		text += length + strspn(text + length, " ");
		first = false;
	}
	fputc('\n', out);
}

void options_print_wrapped(FILE *out, const char *text)
{
	print_wrapped(out, text, 0, 0);
}

static char *help_text(const struct option_row *row)
{
	invariant(row->kind != OPTION_SECTION);
	if (*row->initial && row->kind != OPTION_SEARCH)
		return xasprintf("%s (default: %s)", row->help, row->initial);
	return xstrdup(row->help);
}

static void print_option(FILE *out, const struct option_row *row)
{
	char *text = help_text(row);
	int column = row->letter ? fprintf(out, "  -%c, ", row->letter) : fprintf(out, "  ");

	column += fprintf(out, "--%s%s%s", row->name, *row->value ? "=" : "", row->value);
	if (column + 2 > HELP_INDENT)
		fprintf(out, "\n%*s", HELP_INDENT, "");
	else
		fprintf(out, "%*s", HELP_INDENT - column, "");
	print_wrapped(out, text, HELP_INDENT, HELP_INDENT);
	free(text);
}

static void print_strategies(FILE *out, const char *initial)
{
	for (const struct strategy *strategy = named_strategy(NULL); strategy; strategy = named_strategy(strategy)) {
		char *text = xasprintf("%s%s", strategy->help, strcmp(strategy->name, initial) ? "" : " (the default)");
		fprintf(out, "%*s%-8s ", HELP_INDENT, "", strategy->name);
		print_wrapped(out, text, HELP_INDENT + 9, HELP_INDENT + 9);
		free(text);
	}
}

void options_print_help(FILE *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		if (row->kind == OPTION_SECTION) {
			fprintf(out, "\n%s:\n", row->name);
			continue;
		}
		print_option(out, row);
		if (row->kind == OPTION_SEARCH)
			print_strategies(out, row->initial);
	}
}

/* --- man page --- */

static void print_roff(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '`')
			fputs("\\(oq", out);
		else if (*text == '\'')
			fputs("\\(cq", out);
		else
			fputc(*text, out);
	}
}

static void print_roff_option(FILE *out, const struct option_row *row)
{
	char *text = help_text(row);

	invariant(*text); /* every option says what it does */
	fputs(".TP\n", out);
	if (row->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB\\-\\-", out);
	print_roff(out, row->name);
	fputs("\\fR", out);
	if (*row->value) {
		fputs("=\\fI", out);
		print_roff(out, row->value);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	print_roff(out, text);
	fputs(strchr(":.", text[strlen(text) - 1]) ? "\n" : ".\n", out);
	free(text);
}

static void print_roff_strategies(FILE *out, const char *initial)
{
	fputs(".RS\n", out);
	for (const struct strategy *strategy = named_strategy(NULL); strategy; strategy = named_strategy(strategy)) {
		fprintf(out, ".TP\n.B %s\n", strategy->name);
		print_roff(out, strategy->help);
		fputs(strcmp(strategy->name, initial) ? ".\n" : " (the default).\n", out);
	}
	fputs(".RE\n", out);
}

void options_print_man(FILE *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		if (row->kind == OPTION_SECTION) {
			fprintf(out, ".SS %s\n", row->name);
			continue;
		}
		print_roff_option(out, row);
		if (row->kind == OPTION_SEARCH)
			print_roff_strategies(out, row->initial);
	}
}

/* --- bash --- */

static void print_words(FILE *out, const struct option_row *row)
{
	fprintf(out, "\t--%s) words=\"", row->name);
	if (row->kind == OPTION_SEARCH) {
		for (const struct strategy *strategy = named_strategy(NULL); strategy;
		     strategy = named_strategy(strategy))
			fprintf(out, "%s%s", strategy == strategies ? "" : " ", strategy->name);
	} else {
		for (const char *c = row->value; *c; c++)
			fputc(*c == '|' ? ' ' : *c, out);
	}
	fputs("\" ;;\n", out);
}

void options_print_completion(FILE *out)
{
	fputs("_inspect()\n{\n\tlocal words current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\t[ \"$before\" = \"=\" ] && before=${COMP_WORDS[COMP_CWORD-2]}\n\t[ \"$current\" = \"=\" ] && "
	      "current=\n"
	      "\tcase $before in\n\tinspect) words=\"check cc c++ replay functions help --help --version\" ;;\n",
	      out);
	for (size_t i = 0; i < option_count; i++) {
		if (option_table[i].kind == OPTION_CHOICE || option_table[i].kind == OPTION_SEARCH)
			print_words(out, &option_table[i]);
	}
	fputs("\t*) case $current in -*) words=\"--help", out);
	for (size_t i = 0; i < option_count; i++) {
		if (option_table[i].kind != OPTION_SECTION)
			fprintf(out, " --%s%s", option_table[i].name, *option_table[i].value ? "=" : "");
	}
	fputs("\" ;; esac ;;\n\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	      "\tcase ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac\n}\n"
	      "complete -o default -F _inspect inspect\n",
	      out);
}
