/*
 * How results reach people and scripts.
 */
#ifndef INSPECT_REPORT_REPORT_H
#define INSPECT_REPORT_REPORT_H

#include <stdio.h>

#include "program/symbols.h"
#include "result/finding.h"

/*
 * The search knows addresses only: puts names into the finding's message ("data
 * race on counter: …") and takes out what every report says beside it.
 */
void report_finish_message(struct finding *finding, struct symbols *symbols);

/* How much of a finding is printed. */
enum report_detail {
	REPORT_BRIEF, /* the heading and where the trace is */
	REPORT_NORMAL, /* explanation and interleaving, the middle of a long one left out */
	REPORT_FULL, /* every operation */
};

/*
 * The text report: each finding with its interleaving, then the summary.  Fits
 * the terminal, or 80 columns (COLUMNS if set) when `out` is none.
 */
void report_finding(FILE *out, const struct finding *finding, struct symbols *symbols, enum report_detail detail);
void report_summary(FILE *out, const struct result *result);
/* A table of the workers, if there were several. */
void report_workers(FILE *out, const struct result *result);
/* How many times the average the busiest of them did. */
double report_balance(const struct result *result);

/* One line per note: "note: x.c:12: mutex m is initialised here and never destroyed". */
void report_notes(FILE *out, const struct result *result, const struct symbols *symbols);
/* What a note says, without its place; the caller's to free. */
char *report_note_message(const struct note *note, const struct symbols *symbols);

/* One line per warning: "warning: x.c:12: data race on the hidden state of rand: …". */
void report_warnings(FILE *out, const struct result *result, struct symbols *symbols);
/* Where the bug, or warning, shows: the exact line of a crash if it is known. */
struct place report_place(const struct finding *finding, struct symbols *symbols);

/* One line per limit that was reached: "limit: x.c:12: main.1 was in a loop here when …". */
void report_limits(FILE *out, const struct result *result, struct symbols *symbols);
/* What such a line says, without its place, the caller's to free; and the place. */
char *report_limit_message(const struct result *result, const struct limit *limit);
struct place report_limit_place(const struct limit *limit, struct symbols *symbols);

/* The result as one JSON object. */
void report_json(FILE *out, const struct result *result, struct symbols *symbols);

/* What makes the named search faster than trying every interleaving: NULL-terminated. */
const char *const *report_reductions(const char *search);

#endif
