#define _GNU_SOURCE
#include "report/format/page.h"

#include "common/invariant.h"
#include "common/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 80
#define MIN_WIDTH 40
#define MAX_WIDTH 400

static bool no_terminal;

void page_set_no_terminal(void)
{
	no_terminal = true;
}

static bool is_terminal(int fd)
{
	return !no_terminal && fd >= 0 && isatty(fd);
}

static unsigned terminal_width(FILE *out)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	int fd = fileno(out);

	if (is_terminal(fd) && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? (unsigned)atoi(columns) : DEFAULT_WIDTH;
}

struct page page_open(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
	struct page page = {.out = out, .width = terminal_width(out)};
	int fd = fileno(out);

	if (page.width < MIN_WIDTH)
		page.width = MIN_WIDTH;
	if (page.width > MAX_WIDTH)
		page.width = MAX_WIDTH;
	invariant(page.width >= MIN_WIDTH && page.width <= MAX_WIDTH);
	page.terminal = is_terminal(fd);
	page.bold = page.terminal && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb");
	return page;
}

/* Bytes of the text that go on a line of so many columns: up to a blank, or a whole word if that is longer. */
static size_t line_length(const char *text, size_t columns)
{
	size_t fit = utf8_fit(text, columns), cut;

	if (!text[fit])
		return fit;
	for (cut = fit; cut && text[cut] != ' '; cut--)
		;
	return cut ? cut : fit + strcspn(text + fit, " ");
}

void page_paragraph(const struct page *page, unsigned indent, const char *text)
{
	unsigned margin = indent;

	invariant(indent + 4 < page->width);
	while (*text) {
		size_t length = line_length(text, page->width - margin);
		invariant(length > 0 || *text == ' '); /* so it comes to an end */
		fprintf(page->out, "%*s%.*s\n", (int)margin, "", (int)length, text);
		text += length;
		text += strspn(text, " ");
		margin = indent + 4;
	}
}

void page_line(const struct page *page, unsigned indent, const char *text)
{
	invariant(page->width > indent);
	fprintf(page->out, "%*s%.*s\n", (int)indent, "", (int)(page->width - indent), text);
}

void page_heading(const struct page *page, const char *text)
{
	if (page->bold)
		fputs("\033[1m", page->out);
	if (page->terminal)
		page_paragraph(page, 0, text);
	else
		fprintf(page->out, "%s\n", text);
	if (page->bold)
		fputs("\033[0m", page->out);
}

/* Of a valid code point: may it be printed as it is? */
static bool is_harmless(const char *text, size_t length)
{
	unsigned char first = (unsigned char)text[0];

	if (length == 1)
		return (first >= ' ' && first != 0x7f) || first == '\n' || first == '\t';
	return length > 2 || first != 0xc2 || (unsigned char)text[1] >= 0xa0; /* below: more control characters */
}

void page_foreign(const struct page *page, const char *text, size_t size)
{
	size_t length;

	for (size_t at = 0; at < size; at += length) {
		length = utf8_length(text + at, size - at);
		if (length && is_harmless(text + at, length)) {
			fwrite(text + at, 1, length, page->out);
		} else {
			fprintf(page->out, "\\x%02x", (unsigned char)text[at]);
			length = 1;
		}
	}
}
