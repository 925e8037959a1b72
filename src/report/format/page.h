/*
 * Where a text report is written to: its width and whether bold is welcome.
 */
#ifndef INSPECT_REPORT_FORMAT_PAGE_H
#define INSPECT_REPORT_FORMAT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct page {
	FILE *out;
	unsigned width;
	bool terminal; /* somebody looks at it: no program */
	bool bold;
};

/*
 * The width of the terminal; of other files COLUMNS if set, else 80.  Bold only
 * on a terminal and without NO_COLOR.
 */
struct page page_open(FILE *out);
/* What looks like a terminal here is none: launchers of MPI give their processes one, wherever the output goes. */
void page_set_no_terminal(void);

/* In bold, if that is welcome; one line, but on a terminal wrapped at blanks. */
void page_heading(const struct page *page, const char *text);
/* The text, wrapped at blanks, with `indent` before the first line and 4 more before the others. */
void page_paragraph(const struct page *page, unsigned indent, const char *text);
/* What fits on one line, indented. */
void page_line(const struct page *page, unsigned indent, const char *text);
/* What the program wrote: control characters made visible, so that they cannot spoil the report. */
void page_foreign(const struct page *page, const char *text, size_t size);

#endif
