/*
 * How results reach people and scripts.
 *
 * A `struct symbols` answers questions about the program's file: sites (from the
 * site table), lines of code addresses and types of variables (DWARF, through
 * libdw) and names of data addresses (ELF symbols).  It is opened once per
 * program and only reads; what takes time is read when it is first asked for.
 */
#ifndef INSPECT_REPORT_REPORT_H
#define INSPECT_REPORT_REPORT_H

#include <stdio.h>

#include "explore/finding.h"

struct symbols;

/* A place in the source.  Strings live as long as the symbols; file is "" when unknown. */
struct place {
	const char *file;
	const char *directory;
	const char *function;
	const char *variable;
	unsigned line, column;
};

/* NULL, with one line in *why (malloced), when the file is no program built by `inspect cc`. */
struct symbols *symbols_open(const char *program, char **why);
void symbols_free(struct symbols *symbols);
uint64_t symbols_program_id(const struct symbols *symbols);
struct place symbols_site(const struct symbols *symbols, uint32_t site);
/* The name of the place's file without the directories that all files of the program have in common. */
const char *symbols_short_file(const struct symbols *symbols, struct place place);
/* The line of a code address of the running program (PIE at its usual place without ASLR). */
struct place symbols_code(struct symbols *symbols, uint64_t pc);
/* Is it part of our runtime? */
bool symbols_is_runtime(const struct symbols *symbols, uint64_t pc);
/*
 * A readable name of a data address: "counter", "stats.hits", "table[3]",
 * "heap of main.1+0x40", "stack of main.1", "0x…".  `names` are the threads of the
 * execution.
 */
void symbols_data(const struct symbols *symbols, uint64_t address, const struct thread_name *names, char *text,
		  size_t size);
/*
 * The same for variables of the program only (global or static): false for any
 * other address.  `size` is how many bytes are accessed: 24 bytes of a structure
 * are "stats", its first four "stats.hits".  0 means an object of unknown size.
 */
bool symbols_variable(const struct symbols *symbols, uint64_t address, uint32_t size, char *text, size_t text_size);
/* The name of the function that starts at this address, or NULL. */
const char *symbols_function(const struct symbols *symbols, uint64_t address);
/* The text of a source line without leading blanks, or NULL. */
const char *symbols_source_line(struct symbols *symbols, struct place place);

/* "main", "main.1" (first child of main), "main.1.2" … */
void thread_name_format(const struct thread_name *names, uint32_t thread, char *text, size_t size);

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
