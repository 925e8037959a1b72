/*
 * Reports as text: of each finding heading, explanation, interleaving, what the program printed and how to see it again;
 * then the verdict and what is to be said besides.
 */
#include "report/format/format.h"

#include "common/buffer.h"
#include "common/invariant.h"
#include "common/utf8.h"
#include "report/format/page.h"
#include "report/format/table.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define MAX_OUTPUT_LINES 20
#define SOURCE_INDENT 8

/* --- a finding --- */

static void print_passages(const struct page *page, const struct account *account)
{
	for (unsigned i = 0; i < account->npassages; i++) {
		const struct passage *passage = &account->passages[i];
		switch (passage->kind) {
		case PASSAGE_STATEMENT: page_paragraph(page, 2, passage->text); break;
		case PASSAGE_DETAIL: page_paragraph(page, 4, passage->text); break;
		case PASSAGE_SOURCE: page_line(page, SOURCE_INDENT, passage->text); break;
		}
	}
}

static void print_interleaving(const struct page *page, const struct account *account)
{
	const struct finding *finding = account->finding;
	uint32_t nevents = finding->execution.nevents;

	if (!account->interleaving.nrows)
		return;
	fprintf(page->out, "\nInterleaving: %" PRIu32 " operation%s, %" PRIu32 " preemption%s", nevents,
		nevents == 1 ? "" : "s", finding->preemptions, finding->preemptions == 1 ? "" : "s");
	if (finding->count > 1)
		fprintf(page->out, "; this bug was seen in %" PRIu64 " executions", finding->count);
	fprintf(page->out, "\n\n");
	print_table(page, &account->interleaving, nevents);
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

static void print_output(const struct page *page, const struct output *output, unsigned lines)
{
	const char *text = output->text;
	size_t shown = lines_end(text, output->size, lines), end;

	if (!output->size)
		return;
	fprintf(page->out, "\n%s:\n", output->title);
	for (size_t at = 0; at < shown; at = end) {
		end = at + lines_end(text + at, shown - at, 1);
		invariant(end > at && end <= shown);
		fputs("  | ", page->out);
		page_foreign(page, text + at, end - at);
		if (text[end - 1] != '\n')
			fputc('\n', page->out);
	}
	if (shown < output->size)
		fprintf(page->out, "  | … %u more lines\n", count_lines(text + shown, output->size - shown));
}

static void print_details(const struct page *page, const struct account *account, enum report_detail detail)
{
	unsigned lines = detail == REPORT_FULL ? UINT_MAX : MAX_OUTPUT_LINES;

	if (account->source && *account->source)
		fprintf(page->out, "%*s%s\n", SOURCE_INDENT, "", account->source);
	fputc('\n', page->out);
	print_passages(page, account);
	print_interleaving(page, account);
	for (unsigned i = 0; i < 2; i++)
		print_output(page, &account->outputs[i], lines);
	fputc('\n', page->out);
}

void print_account(FILE *out, const struct account *account, enum report_detail detail)
{
	struct page page = page_open(out);

	invariant(utf8_width(account->heading) <= HEADING_WIDTH);
	page_heading(&page, account->heading);
	if (detail != REPORT_BRIEF)
		print_details(&page, account, detail);
	if (account->replay)
		fprintf(out, "replay: %s\n", account->replay);
	fputc('\n', out);
}

/* --- the result --- */

void print_verdict(FILE *out, const struct report *report)
{
	struct page page = page_open(out);

	page_paragraph(&page, 0, report->sentence);
	page_paragraph(&page, 0, report->numbers);
}

/* "note: x.c:12: …"; the text is empty afterwards. */
static void print_remark(const struct page *page, const char *label, struct place place, struct buffer *text)
{
	struct buffer line = {0};

	buffer_printf(&line, "%s: ", label);
	if (*place.file)
		buffer_printf(&line, "%s:%u: ", place.file, place.line);
	buffer_add_text(&line, buffer_text(text));
	page_paragraph(page, 0, buffer_text(&line));
	buffer_release(&line);
	buffer_clear(text);
}

static void print_limits(const struct page *page, const struct report *report)
{
	struct buffer text = {0};

	for (unsigned i = 0; i < report->result->nlimits; i++) {
		const struct remark *limit = &report->limits[i];
		buffer_add_text(&text, limit->message);
		if (limit->count > 1)
			buffer_printf(&text, " (%" PRIu64 " executions)", limit->count);
		print_remark(page, "limit", limit->place, &text);
	}
	buffer_release(&text);
}

static void print_warnings(const struct page *page, const struct report *report)
{
	struct buffer text = {0};

	for (unsigned i = 0; i < report->result->nwarnings; i++) {
		const struct account *warning = &report->warnings[i];
		const char *advice = finding_table[warning->finding->kind].advice;
		invariant(advice); /* kinds without it are never warnings */
		buffer_printf(&text, "%s (%s)", warning->finding->message, advice);
		print_remark(page, "warning", warning->place, &text);
	}
	buffer_release(&text);
}

static void print_notes(const struct page *page, const struct report *report)
{
	struct buffer text = {0};

	for (unsigned i = 0; i < report->result->nnotes; i++) {
		buffer_add_text(&text, report->notes[i].message);
		print_remark(page, "note", report->notes[i].place, &text);
	}
	buffer_release(&text);
}

/* Who of several workers did how much. */
static void print_workers(FILE *out, const struct result *result)
{
	double seconds = result->wall_seconds > 1e-9 ? result->wall_seconds : 1e-9;

	if (!result->nworkers)
		return;
	fprintf(out, "worker     units  executions    idle  messages       bytes\n");
	for (unsigned i = 0; i < result->nworkers; i++) {
		const struct worker_share *share = &result->workers[i];
		fprintf(out, "%6u  %8" PRIu64 "  %10" PRIu64 "  %5.1f%%  %8" PRIu64 "  %10" PRIu64 "\n", i + 1,
			share->units, share->executions, 100 * share->idle / seconds, share->messages, share->bytes);
	}
	double balance = result_balance(result);
	/* the busiest did not do less than the average, and not more than all */
	invariant(balance >= 1 && balance <= result->nworkers);
	fprintf(out, "The busiest worker did %.2f times the average: at most %.1f times as fast as one.\n", balance,
		result->nworkers / balance);
}

/* What the program does that is not supported is said elsewhere, and is no verdict. */
void print_text(FILE *out, const struct report *report)
{
	const struct result *result = report->result;
	struct page page = page_open(out);

	for (unsigned i = 0; i < result->nfindings; i++)
		print_account(out, &report->findings[i], report->detail);
	print_limits(&page, report);
	if (!result->refusal || result->nfindings)
		print_verdict(out, report);
	if (report->detail == REPORT_FULL)
		print_workers(out, result);
	if (report->detail == REPORT_BRIEF)
		return;
	print_warnings(&page, report);
	if (!result->refusal)
		print_notes(&page, report);
}
