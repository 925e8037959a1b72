/*
 * The text report of one finding: heading, explanation, interleaving, what the
 * program printed, how to see it again.
 */
#define _GNU_SOURCE
#include "report/explain.h"
#include "report/interleaving.h"
#include "report/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OUTPUT_LINES 20

struct place report_place(const struct finding *finding, struct symbols *symbols)
{
	struct place place = {.file = ""};

	if (finding->fault_pc)
		place = symbols_code(symbols, finding->fault_pc);
	return *place.file ? place : symbols_site(symbols, finding->site);
}

static void print_heading(const struct page *page, const struct finding *finding, const struct story *story)
{
	struct place place = report_place(finding, story->symbols);
	struct buffer text = {0};

	for (const char *c = finding_kind_name(finding->kind); *c; c++)
		buffer_add_char(&text, (char)toupper((unsigned char)*c));
	buffer_printf(&text, ": %s", finding->message);
	if (*place.file)
		buffer_printf(&text, ", at %s:%u", place.file, place.line);
	if (*place.function)
		buffer_printf(&text, " in %s", place.function);
	page_heading(page, buffer_text(&text));
	buffer_release(&text);
}

static void print_where(const struct page *page, const struct finding *finding, const struct story *story)
{
	const char *line = symbols_source_line(story->symbols, report_place(finding, story->symbols));

	/* a deadlock and a race quote their lines in the explanation */
	if (line && *line && finding->kind != FINDING_DEADLOCK && finding->kind != FINDING_RACE)
		fprintf(page->out, "        %s\n", line);
}

static void print_interleaving_title(const struct page *page, const struct finding *finding,
				     const struct execution *execution)
{
	fprintf(page->out, "\nInterleaving: %" PRIu32 " operation%s, %" PRIu32 " preemption%s", execution->nevents,
		execution->nevents == 1 ? "" : "s", finding->preemptions, finding->preemptions == 1 ? "" : "s");
	if (finding->count > 1)
		fprintf(page->out, "; this bug was seen in %" PRIu64 " executions", finding->count);
	fprintf(page->out, "\n\n");
}

/* The end of the first `lines` lines of the text. */
static size_t lines_end(const char *text, size_t size, unsigned lines)
{
	size_t at = 0;

	while (at < size && lines) {
		const char *end = memchr(text + at, '\n', size - at);
		at = end ? (size_t)(end - text) + 1 : size;
		lines--;
	}
	return at;
}

static unsigned count_lines(const char *text, size_t size)
{
	unsigned lines = 0;

	for (size_t at = 0; at < size; at = lines_end(text + at, size - at, 1) + at)
		lines++;
	return lines;
}

static void print_output(const struct page *page, const char *title, const char *text, size_t size, unsigned lines)
{
	size_t shown = lines_end(text, size, lines), end;

	if (!size)
		return;
	fprintf(page->out, "\n%s:\n", title);
	for (size_t at = 0; at < shown; at = end) {
		end = at + lines_end(text + at, shown - at, 1);
		fputs("  | ", page->out);
		page_foreign(page, text + at, end - at);
		if (text[end - 1] != '\n')
			fputc('\n', page->out);
	}
	if (shown < size)
		fprintf(page->out, "  | … %u more lines\n", count_lines(text + shown, size - shown));
}

static void print_details(const struct page *page, const struct finding *finding, const struct story *story,
			  enum report_detail detail)
{
	const struct execution *execution = &finding->execution;
	unsigned lines = detail == REPORT_FULL ? UINT_MAX : MAX_OUTPUT_LINES;

	print_where(page, finding, story);
	fputc('\n', page->out);
	explain_finding(page, finding, story);
	if (execution->nevents) {
		print_interleaving_title(page, finding, execution);
		print_interleaving(page, finding, story, detail);
	}
	print_output(page, "Program output", execution->output, execution->stdout_size, lines);
	print_output(page, "Program errors (stderr)", execution->errors, execution->stderr_size, lines);
	fputc('\n', page->out);
}

void report_finding(FILE *out, const struct finding *finding, struct symbols *symbols, enum report_detail detail)
{
	struct page page = page_open(out);
	struct story story;

	story_init(&story, &finding->execution, symbols);
	print_heading(&page, finding, &story);
	if (detail != REPORT_BRIEF)
		print_details(&page, finding, &story, detail);
	if (finding->trace_path)
		fprintf(out, "replay: inspect replay %s\n", finding->trace_path);
	fputc('\n', out);
}
