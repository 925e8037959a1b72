/*
 * `inspect functions`: what becomes of the functions that a program calls, from the same
 * tables that the runtime is made of.
 */
#include "cli/commands.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 2, GAP = 2 };

enum group { MODELLED, ACCEPTED, PURE, REFUSED, ANNOUNCED, GROUPS };

static const char *const explanations[GROUPS] = {
	[MODELLED] = "Modelled: their effect is explored",
	[ACCEPTED] = "Accepted: they succeed and have no effect on which interleavings there are",
	[PURE] = "Used from libc as they are: they only look at their arguments",
	[REFUSED] = "Refused: a program that calls one is not checked any further",
	[ANNOUNCED] = "Announced: what they read and write counts as accesses of the caller",
};

struct function {
	const char *name;
	enum group group;
};

/* One table of functions. */
struct table {
	const char *title;
	const struct function *rows;
	size_t count;
};

static const struct function threads[] = {
#define MODELLED(name, use) {#name, MODELLED},
#define ACCEPTED(name, use) {#name, ACCEPTED},
#define PURE(name, use) {#name, PURE},
#define REFUSED(name) {#name, REFUSED},
#include "wire/functions.def"
#undef MODELLED
#undef ACCEPTED
#undef PURE
#undef REFUSED
};

/* Other names of the same functions, and names that only headers know, are left out. */
static const struct function memory[] = {
#define LIBC(name, effects) {#name, ANNOUNCED},
#define ALIAS(name, function)
#include "wire/libc.def"
#undef LIBC
#undef ALIAS
};

static const struct table tables[] = {
	{"Threads (<pthread.h>, <semaphore.h>, <threads.h>)", threads, sizeof threads / sizeof *threads},
	{"Memory through pointers (<string.h>, <stdio.h>, <time.h> …)", memory, sizeof memory / sizeof *memory},
};

static void print_usage(FILE *out)
{
	fputs("Usage: inspect functions\n"
	      "\n"
	      "List the functions that Inspect knows: those whose effect is explored, those that\n"
	      "have none, those that are used as they are, those that end a check, and those of\n"
	      "the C library whose accesses to memory are seen.\n",
	      out);
}

static size_t count_members(const struct table *table, enum group group)
{
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += table->rows[i].group == group;
	return count;
}

static size_t widest(const struct table *table)
{
	size_t width = 0;

	for (size_t i = 0; i < table->count; i++) {
		size_t length = strlen(table->rows[i].name);
		width = length > width ? length : width;
	}
	invariant(width < WIDTH);
	return width;
}

/* Columns of equal width, the names in the order of the table from left to right. */
static void print_group(const struct table *table, enum group group)
{
	size_t width = widest(table) + GAP, columns = (WIDTH - INDENT + GAP) / width, n = 0;
	size_t left = count_members(table, group);

	invariant(columns); /* every name fits on a line */
	if (!left)
		return;
	printf("\n%s (%zu)\n", explanations[group], left);
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].group != group)
			continue;
		invariant(left);
		bool last = --left == 0 || n % columns == columns - 1;
		printf("%*s%-*s%s", n % columns ? 0 : INDENT, "", last ? 0 : (int)width, table->rows[i].name,
		       last ? "\n" : "");
		n++;
	}
}

int command_functions(char **arguments)
{
	if (*arguments && (!strcmp(*arguments, "--help") || !strcmp(*arguments, "-h"))) {
		print_usage(stdout);
		return finish_output(0);
	}
	if (*arguments)
		die("`inspect functions' takes no arguments, but was given %s", *arguments);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		printf("%s%s\n", i ? "\n" : "", tables[i].title);
		for (enum group group = 0; group < GROUPS; group++)
			print_group(&tables[i], group);
	}
	return finish_output(0);
}
