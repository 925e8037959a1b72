#define _GNU_SOURCE
#include "report/format/table.h"

#include "common/buffer.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "common/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MIN_COLUMN 9
#define MAX_COLUMN 36
#define MAX_PLACE 24
#define MIN_SOURCE 30
#define MAX_LISTED 40 /* source lines below the table */
#define GAP 2

struct table {
	const struct page *page;
	const struct interleaving *interleaving;
	uint32_t nevents;
	char **where; /* of each row, not wider than its column */

	/* layout, in columns */
	bool list; /* one column for all threads */
	unsigned step_width, where_width, source_width; /* source_width 0: no room */
	unsigned start[MAX_THREADS]; /* of a thread's column; of the only one, when list is set */
	unsigned source_start;
};

/* --- places --- */

/* Long paths keep their end, which says more than their beginning. */
static char *short_place(const char *where)
{
	if (utf8_width(where) <= MAX_PLACE)
		return xstrdup(where);
	const char *cut = where + strlen(where) - (MAX_PLACE - 1);
	const char *slash = strchr(cut, '/');
	return xasprintf("…%s", slash ? slash : cut);
}

static void places_make(struct table *table)
{
	table->where = xcalloc(table->interleaving->nrows + 1, sizeof *table->where);
	for (size_t i = 0; i < table->interleaving->nrows; i++)
		table->where[i] = short_place(table->interleaving->rows[i].where);
}

static void places_release(struct table *table)
{
	for (size_t i = 0; i < table->interleaving->nrows; i++)
		free(table->where[i]);
	free(table->where);
}

/* --- layout --- */

static unsigned at_most(size_t value, unsigned limit)
{
	return value < limit ? (unsigned)value : limit;
}

static unsigned at_least(size_t value, unsigned limit)
{
	return value > limit ? (unsigned)value : limit;
}

static bool has_column(const struct table *table, uint32_t thread)
{
	return table->interleaving->threads >> thread & 1;
}

static unsigned name_width(const struct table *table, uint32_t thread)
{
	invariant(table->interleaving->columns[thread].name);
	return (unsigned)utf8_width(table->interleaving->columns[thread].name);
}

/* The widest text of each thread, and what all rows have in common. */
static void measure(struct table *table, unsigned widest[MAX_THREADS])
{
	char number[16];

	for (unsigned t = 0; t < MAX_THREADS; t++)
		widest[t] = has_column(table, t) ? name_width(table, t) : 0;
	for (size_t i = 0; i < table->interleaving->nrows; i++) {
		const struct row *row = &table->interleaving->rows[i];
		widest[row->thread] = at_least(utf8_width(row->text), widest[row->thread]);
		table->where_width = at_least(utf8_width(table->where[i]), table->where_width);
		table->source_width = at_least(row->source ? utf8_width(row->source) : 0, table->source_width);
	}
	snprintf(number, sizeof number, "%" PRIu32, table->nevents);
	table->step_width = at_least(strlen(number), 4);
}

/*
 * Places the columns so that each is at most `limit` wide; returns where the last
 * text ends.  Only the texts themselves say how much the right edge needs.
 */
static unsigned place_columns(struct table *table, const unsigned widest[MAX_THREADS], unsigned limit)
{
	unsigned at = GAP + 1 + table->step_width + GAP + table->where_width + GAP, end = at;

	invariant(limit >= MIN_COLUMN && limit <= MAX_COLUMN);
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		if (!has_column(table, t))
			continue;
		table->start[t] = at;
		end = at_least(at + widest[t], end);
		at += at_least(at_most(widest[t], limit), name_width(table, t)) + GAP;
	}
	return end;
}

static void list_columns(struct table *table, const unsigned widest[MAX_THREADS], unsigned *end)
{
	unsigned at = GAP + 1 + table->step_width + GAP, names = 6, texts = 0;

	table->list = true;
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		if (has_column(table, t))
			names = at_least(name_width(table, t), names);
		texts = at_least(widest[t], texts);
	}
	for (unsigned t = 0; t < MAX_THREADS; t++)
		table->start[t] = at + names + GAP + table->where_width + GAP;
	*end = table->start[0] + texts;
}

static void layout(struct table *table)
{
	unsigned widest[MAX_THREADS], limit = MAX_COLUMN, width = table->page->width, end;

	measure(table, widest);
	end = place_columns(table, widest, limit);
	while (end > width && limit > MIN_COLUMN)
		end = place_columns(table, widest, --limit);
	if (end > width)
		list_columns(table, widest, &end);
	table->source_start = end + GAP;
	if (table->source_start + at_most(table->source_width, MIN_SOURCE) > width)
		table->source_width = 0;
	else
		table->source_width = at_most(table->source_width, width - table->source_start);
	invariant(!table->source_width || table->source_start + table->source_width <= width);
}

/* --- printing --- */

/* One line as it grows from left to right. */
struct line {
	struct buffer text;
	unsigned column;
};

static void line_go(struct line *line, unsigned column)
{
	while (line->column < column) {
		buffer_add_char(&line->text, ' ');
		line->column++;
	}
}

static void line_put(struct line *line, const char *text, unsigned limit)
{
	size_t size = utf8_fit(text, limit);

	if (text[size] && limit > 1) {
		buffer_add(&line->text, text, utf8_fit(text, limit - 1));
		buffer_add_text(&line->text, "…");
		line->column += limit;
	} else {
		buffer_add(&line->text, text, size);
		line->column += (unsigned)utf8_width(text);
	}
}

static void line_flush(struct line *line, FILE *out)
{
	fprintf(out, "%s\n", buffer_text(&line->text));
	buffer_clear(&line->text);
	line->column = 0;
}

static unsigned where_start(const struct table *table)
{
	unsigned at = GAP + 1 + table->step_width + GAP;

	return table->list ? table->start[0] - table->where_width - GAP : at;
}

/* Is there room for the names of the functions that the threads run? */
static bool roles_fit(const struct table *table)
{
	unsigned end = 0;

	for (unsigned t = 0; t < MAX_THREADS; t++) {
		if (!has_column(table, t))
			continue;
		if (table->start[t] < end)
			return false;
		end = table->start[t] + at_most(utf8_width(table->interleaving->columns[t].role), MAX_COLUMN) + GAP;
	}
	return end <= table->page->width + GAP;
}

static void print_header(const struct table *table, struct line *line)
{
	bool roles = roles_fit(table);

	line_go(line, GAP + 1 + table->step_width - 4);
	line_put(line, "step", 4);
	if (table->list) {
		line_go(line, GAP + 1 + table->step_width + GAP);
		line_put(line, "thread", 6);
	}
	line_go(line, where_start(table));
	line_put(line, "where", 5);
	if (table->list) {
		line_go(line, table->start[0]);
		line_put(line, "operation", 9);
	}
	for (unsigned t = 0; t < MAX_THREADS && !table->list; t++) {
		if (!has_column(table, t))
			continue;
		const struct column *column = &table->interleaving->columns[t];
		line_go(line, table->start[t]);
		line_put(line, roles ? column->role : column->name, MAX_COLUMN);
	}
	line_flush(line, table->page->out);
}

static void print_row(const struct table *table, size_t index, struct line *line)
{
	const struct row *row = &table->interleaving->rows[index];
	unsigned end = table->source_width ? table->source_start - GAP : table->page->width;
	char number[16] = "-";

	invariant(has_column(table, row->thread));
	invariant(row->step <= table->nevents);
	line_put(line, row->marks & MARK_KEY ? "!" : " ", 1);
	line_put(line, row->marks & MARK_PREEMPTION ? "*" : row->marks & MARK_SWITCH ? ">" : " ", 1);
	if (row->step)
		snprintf(number, sizeof number, "%" PRIu32, row->step);
	line_go(line, GAP + 1 + table->step_width - (unsigned)strlen(number));
	line_put(line, number, table->step_width);
	if (table->list) {
		line_go(line, GAP + 1 + table->step_width + GAP);
		line_put(line, table->interleaving->columns[row->thread].name, MAX_COLUMN);
	}
	line_go(line, where_start(table));
	line_put(line, table->where[index], MAX_PLACE);
	line_go(line, table->start[row->thread]);
	line_put(line, row->text, at_least(end, table->start[row->thread] + 8) - table->start[row->thread]);
	if (table->source_width && row->source) {
		line_go(line, table->source_start);
		line_put(line, row->source, table->source_width);
	}
	line_flush(line, table->page->out);
}

static void print_legend(const struct table *table)
{
	unsigned marks = table->interleaving->marks;
	FILE *out = table->page->out;

	if (!marks)
		return;
	fputc('\n', out);
	if (marks & MARK_KEY)
		fprintf(out, "  !   what this finding is about\n");
	if (marks & MARK_PREEMPTION)
		fprintf(out, "   *  switched away from a thread that could have gone on\n");
	if (marks & MARK_SWITCH)
		fprintf(out, "   >  switched because the thread before had ended or had to wait\n");
}

/* A row as one of the source lines. */
struct listed {
	const char *where, *source;
};

static int compare_listed(const void *a, const void *b)
{
	return strverscmp(((const struct listed *)a)->where, ((const struct listed *)b)->where);
}

/* The source lines of the rows, each once. */
static void print_sources(const struct table *table)
{
	size_t nrows = table->interleaving->nrows, count = 0, printed = 0;
	struct listed *listed = xcalloc(nrows + 1, sizeof *listed);

	for (size_t i = 0; i < nrows; i++) {
		const char *source = table->interleaving->rows[i].source;
		if (source && *source)
			listed[count++] = (struct listed){table->where[i], source};
	}
	qsort(listed, count, sizeof *listed, compare_listed);
	for (size_t i = 0; i < count && printed < MAX_LISTED; i++) {
		struct line line = {0};
		if (i && !strcmp(listed[i].where, listed[i - 1].where))
			continue;
		fputs(printed++ ? "" : "\nSource lines:\n", table->page->out);
		line_go(&line, GAP + 1);
		line_put(&line, listed[i].where, MAX_PLACE);
		line_go(&line, GAP + 1 + table->where_width + GAP);
		line_put(&line, listed[i].source, table->page->width - line.column);
		line_flush(&line, table->page->out);
		buffer_release(&line.text);
	}
	free(listed);
}

void print_table(const struct page *page, const struct interleaving *interleaving, uint32_t nevents)
{
	struct table table = {.page = page, .interleaving = interleaving, .nevents = nevents};
	struct line line = {0};

	invariant(interleaving->nrows > 0);
	invariant(interleaving->cut <= interleaving->nrows);
	places_make(&table);
	layout(&table);
	print_header(&table, &line);
	for (size_t i = 0; i < interleaving->nrows; i++) {
		if (i == interleaving->cut && interleaving->left_out)
			fprintf(page->out, "   … %" PRIu32 " operations left out; `inspect replay -v` shows them all\n",
				interleaving->left_out);
		print_row(&table, i, &line);
	}
	print_legend(&table);
	if (!table.source_width)
		print_sources(&table);
	buffer_release(&line.text);
	places_release(&table);
}
