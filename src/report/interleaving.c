#define _GNU_SOURCE
#include "report/interleaving.h"

#include "common/trouble.h"
#include "common/utf8.h"
#include "report/explain.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LONG_TRACE 200 /* rows; of a longer one only the ends are shown */
#define SHOWN_FIRST 60
#define SHOWN_LAST 120
#define MIN_COLUMN 9
#define MAX_COLUMN 36
#define MAX_PLACE 24
#define MIN_SOURCE 30
#define MAX_LISTED 40 /* source lines below the table */
#define GAP 2

enum mark { MARK_SWITCH = 1, MARK_PREEMPTION = 2, MARK_KEY = 4 };

struct row {
	uint32_t step; /* NO_STEP for a pending operation */
	uint32_t thread;
	unsigned marks;
	char *text;
	char *where;
	const char *source; /* may be NULL */
};

struct table {
	const struct page *page;
	const struct story *story;
	struct row *rows;
	size_t nrows;
	uint32_t left_out; /* operations between the first and the last rows */
	size_t cut; /* the row before which they were left out */
	unsigned marks; /* all that occur */

	/* layout, in columns */
	bool list; /* one column for all threads */
	unsigned step_width, where_width, source_width; /* source_width 0: no room */
	unsigned start[MAX_THREADS]; /* of a thread's column; of the only one, when list is set */
	unsigned source_start;
	uint64_t threads; /* set of those that have a column */
};

/* --- rows --- */

/* Long paths keep their end, which says more than their beginning. */
static char *place_text(const struct story *story, struct place place)
{
	struct buffer text = {0};
	char *full;
	size_t size;

	if (*place.file)
		add_place(&text, story, place);
	full = buffer_take(&text);
	size = strlen(full);
	if (utf8_width(full) <= MAX_PLACE)
		return full;
	char *cut = full + size - (MAX_PLACE - 1);
	char *slash = strchr(cut, '/');
	char *shorter = xasprintf("…%s", slash ? slash : cut);
	free(full);
	return shorter;
}

static unsigned switch_mark(const struct execution *execution, uint32_t step)
{
	const struct event *event = &execution->events[step];
	unsigned before = step ? event[-1].thread : event->thread;

	if (before == event->thread || event->forced)
		return 0;
	return event->enabled >> before & 1 ? MARK_PREEMPTION : MARK_SWITCH;
}

static struct row *row_add(struct table *table, uint32_t step, uint32_t thread, struct place place)
{
	struct row *row = &table->rows[table->nrows++];

	*row = (struct row){
		.step = step,
		.thread = thread,
		.where = place_text(table->story, place),
		.source = symbols_source_line(table->story->symbols, place),
	};
	table->threads |= 1ull << thread;
	return row;
}

static void row_add_step(struct table *table, uint32_t step)
{
	const struct event *event = &table->story->execution->events[step];
	struct row *row = row_add(table, step, event->thread, step_place(table->story, step));
	struct buffer text = {0};

	describe_step(&text, table->story, step);
	row->text = buffer_take(&text);
	row->marks = switch_mark(table->story->execution, step);
}

static void row_add_pending(struct table *table, const struct pending *pending)
{
	struct place place = symbols_site(table->story->symbols, pending->op.site);
	struct row *row = row_add(table, NO_STEP, pending->thread, place);
	struct buffer text = {0};

	describe_pending(&text, table->story, pending);
	row->text = buffer_take(&text);
}

static void mark_key_rows(struct table *table, const struct finding *finding)
{
	uint32_t first = NO_STEP, second = NO_STEP, nevents = table->story->execution->nevents;

	if (finding->kind == FINDING_RACE) {
		first = finding_step(table->story, finding->thread, finding->site);
		second = finding_step(table->story, finding->other_thread, finding->other_site);
	} else if (finding_is_held_lock(finding)) {
		first = finding_step(table->story, finding->thread, finding->site);
		second = table->story->last[finding->thread];
	} else if (finding->kind != FINDING_DEADLOCK && finding->kind != FINDING_NONDETERMINISM && nevents) {
		first = second = nevents - 1;
	}
	for (size_t i = 0; i < table->nrows; i++) {
		struct row *row = &table->rows[i];
		bool blocked = row->step == NO_STEP && finding->kind == FINDING_DEADLOCK;
		if (blocked || (row->step != NO_STEP && (row->step == first || row->step == second)))
			row->marks |= MARK_KEY;
		table->marks |= row->marks;
	}
}

static void rows_make(struct table *table, const struct finding *finding, enum report_detail detail)
{
	const struct execution *execution = table->story->execution;
	bool all = detail == REPORT_FULL || execution->nevents <= LONG_TRACE;
	uint32_t resume = all ? 0 : execution->nevents - SHOWN_LAST;

	table->rows = xcalloc((size_t)execution->nevents + execution->npending, sizeof *table->rows);
	for (uint32_t i = 0; !all && i < SHOWN_FIRST; i++)
		row_add_step(table, i);
	table->cut = table->nrows;
	table->left_out = all ? 0 : resume - SHOWN_FIRST;
	for (uint32_t i = resume; i < execution->nevents; i++)
		row_add_step(table, i);
	/* pending operations matter where they are what the finding is about */
	for (uint32_t i = 0; finding->kind == FINDING_DEADLOCK && i < execution->npending; i++)
		if (!execution->pending[i].enabled)
			row_add_pending(table, &execution->pending[i]);
	mark_key_rows(table, finding);
}

static void rows_release(struct table *table)
{
	for (size_t i = 0; i < table->nrows; i++) {
		free(table->rows[i].text);
		free(table->rows[i].where);
	}
	free(table->rows);
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

static unsigned name_width(const struct story *story, uint32_t thread)
{
	struct buffer text = {0};
	unsigned width;

	add_thread(&text, story, thread);
	width = (unsigned)utf8_width(buffer_text(&text));
	buffer_release(&text);
	return width;
}

/* The widest text of each thread, and what all rows have in common. */
static void measure(struct table *table, unsigned widest[MAX_THREADS])
{
	char number[16];

	for (unsigned t = 0; t < MAX_THREADS; t++)
		widest[t] = table->threads >> t & 1 ? name_width(table->story, t) : 0;
	for (size_t i = 0; i < table->nrows; i++) {
		struct row *row = &table->rows[i];
		widest[row->thread] = at_least(utf8_width(row->text), widest[row->thread]);
		table->where_width = at_least(utf8_width(row->where), table->where_width);
		table->source_width = at_least(row->source ? utf8_width(row->source) : 0, table->source_width);
	}
	snprintf(number, sizeof number, "%" PRIu32, table->story->execution->nevents);
	table->step_width = at_least(strlen(number), 4);
}

/*
 * Places the columns so that each is at most `limit` wide; returns where the last
 * text ends.  Only the texts themselves say how much the right edge needs.
 */
static unsigned place_columns(struct table *table, const unsigned widest[MAX_THREADS], unsigned limit)
{
	unsigned at = GAP + 1 + table->step_width + GAP + table->where_width + GAP, end = at;

	for (unsigned t = 0; t < MAX_THREADS; t++) {
		if (!(table->threads >> t & 1))
			continue;
		table->start[t] = at;
		end = at_least(at + widest[t], end);
		at += at_least(at_most(widest[t], limit), name_width(table->story, t)) + GAP;
	}
	return end;
}

static void list_columns(struct table *table, const unsigned widest[MAX_THREADS], unsigned *end)
{
	unsigned at = GAP + 1 + table->step_width + GAP, names = 6, texts = 0;

	table->list = true;
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		if (table->threads >> t & 1)
			names = at_least(name_width(table->story, t), names);
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

static void add_header(struct buffer *text, const struct table *table, unsigned thread, bool roles)
{
	if (roles)
		add_thread_role(text, table->story, thread);
	else
		add_thread(text, table->story, thread);
}

/* Is there room for the names of the functions that the threads run? */
static bool roles_fit(const struct table *table)
{
	struct buffer name = {0};
	bool fit = true;
	unsigned end = 0;

	for (unsigned t = 0; t < MAX_THREADS && fit; t++) {
		if (!(table->threads >> t & 1))
			continue;
		fit = table->start[t] >= end;
		buffer_clear(&name);
		add_thread_role(&name, table->story, t);
		end = table->start[t] + at_most(utf8_width(buffer_text(&name)), MAX_COLUMN) + GAP;
	}
	buffer_release(&name);
	return fit && end <= table->page->width + GAP;
}

static void print_header(const struct table *table, struct line *line)
{
	struct buffer name = {0};
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
		if (!(table->threads >> t & 1))
			continue;
		buffer_clear(&name);
		add_header(&name, table, t, roles);
		line_go(line, table->start[t]);
		line_put(line, buffer_text(&name), MAX_COLUMN);
	}
	buffer_release(&name);
	line_flush(line, table->page->out);
}

static void print_row(const struct table *table, const struct row *row, struct line *line)
{
	unsigned end = table->source_width ? table->source_start - GAP : table->page->width;
	char number[16] = "-";
	struct buffer name = {0};

	line_put(line, row->marks & MARK_KEY ? "!" : " ", 1);
	line_put(line, row->marks & MARK_PREEMPTION ? "*" : row->marks & MARK_SWITCH ? ">" : " ", 1);
	if (row->step != NO_STEP)
		snprintf(number, sizeof number, "%" PRIu32, row->step + 1);
	line_go(line, GAP + 1 + table->step_width - (unsigned)strlen(number));
	line_put(line, number, table->step_width);
	if (table->list) {
		line_go(line, GAP + 1 + table->step_width + GAP);
		add_thread(&name, table->story, row->thread);
		line_put(line, buffer_text(&name), MAX_COLUMN);
		buffer_release(&name);
	}
	line_go(line, where_start(table));
	line_put(line, row->where, MAX_PLACE);
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
	FILE *out = table->page->out;

	if (!table->marks)
		return;
	fputc('\n', out);
	if (table->marks & MARK_KEY)
		fprintf(out, "  !   what this finding is about\n");
	if (table->marks & MARK_PREEMPTION)
		fprintf(out, "   *  switched away from a thread that could have gone on\n");
	if (table->marks & MARK_SWITCH)
		fprintf(out, "   >  switched because the thread before had ended or had to wait\n");
}

static int compare_rows(const void *a, const void *b)
{
	return strverscmp((*(const struct row *const *)a)->where, (*(const struct row *const *)b)->where);
}

/* The source lines of the rows, each once. */
static void print_sources(const struct table *table)
{
	const struct row **rows = xcalloc(table->nrows, sizeof *rows);
	size_t count = 0, listed = 0;

	for (size_t i = 0; i < table->nrows; i++) {
		if (table->rows[i].source && *table->rows[i].source)
			rows[count++] = &table->rows[i];
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	for (size_t i = 0; i < count && listed < MAX_LISTED; i++) {
		struct line line = {0};
		if (i && !strcmp(rows[i]->where, rows[i - 1]->where))
			continue;
		fputs(listed++ ? "" : "\nSource lines:\n", table->page->out);
		line_go(&line, GAP + 1);
		line_put(&line, rows[i]->where, MAX_PLACE);
		line_go(&line, GAP + 1 + table->where_width + GAP);
		line_put(&line, rows[i]->source, table->page->width - line.column);
		line_flush(&line, table->page->out);
		buffer_release(&line.text);
	}
	free(rows);
}

void print_interleaving(const struct page *page, const struct finding *finding, const struct story *story,
			enum report_detail detail)
{
	struct table table = {.page = page, .story = story};
	struct line line = {0};

	rows_make(&table, finding, detail);
	layout(&table);
	print_header(&table, &line);
	for (size_t i = 0; i < table.nrows; i++) {
		if (i == table.cut && table.left_out)
			fprintf(page->out, "   … %" PRIu32 " operations left out; `inspect replay -v` shows them all\n",
				table.left_out);
		print_row(&table, &table.rows[i], &line);
	}
	print_legend(&table);
	if (!table.source_width)
		print_sources(&table);
	buffer_release(&line.text);
	rows_release(&table);
}
