/*
 * A report as plain data: what is said, before a format decides how it looks.
 *
 * A report tells of a whole result, an account of one finding in it. Both are built once, here; formats (report/format)
 * only read them. What they own is what their release functions free. Besides, they borrow: the result and its findings,
 * and strings of the symbols (places, lines of source). These must live longer.
 */
#ifndef INSPECT_REPORT_ACCOUNT_ACCOUNT_H
#define INSPECT_REPORT_ACCOUNT_ACCOUNT_H

#include "program/symbols.h"
#include "result/finding.h"

/* How much of a finding is told. */
enum report_detail {
	REPORT_BRIEF, /* the heading and where the trace is */
	REPORT_NORMAL, /* explanation and interleaving, the middle of a long one left out */
	REPORT_FULL, /* every operation */
};

/* The explanation: why it is a bug, in words. A detail belongs to the statement before it, as does a line of source. */
enum passage_kind { PASSAGE_STATEMENT, PASSAGE_DETAIL, PASSAGE_SOURCE };
struct passage {
	enum passage_kind kind;
	char *text;
};

enum mark {
	MARK_SWITCH = 1, /* switched because the thread before had ended or had to wait */
	MARK_PREEMPTION = 2, /* switched away from a thread that could have gone on */
	MARK_KEY = 4, /* what the finding is about */
};

/* An operation of the interleaving. */
struct row {
	uint32_t step; /* from 1; 0: it was not done, the thread waits */
	uint32_t thread;
	unsigned marks; /* set of enum mark */
	char *text; /* "lock(mutex)" */
	char *where; /* "race.c:12", "" when unknown */
	const char *source; /* the line, or NULL */
};

/* The rows are in the order in which things happened; those of waiting threads come last. */
struct interleaving {
	struct row *rows;
	size_t nrows;
	size_t cut; /* the row before which operations were left out: */
	uint32_t left_out;
	unsigned marks; /* all that occur */
	uint64_t threads; /* set of those that have a row, and so have names below */
	struct column {
		char *name, *role; /* "main.1", "main.1 (worker)" */
	} columns[MAX_THREADS];
};

/* One side of a race, at the moment of the access. */
struct access {
	char *thread;
	struct place place;
	bool known; /* what follows is */
	char *variable;
	const char *operation; /* "write" */
	bool atomic;
	char **locks; /* nlocks: their names */
	unsigned nlocks;
	struct place stack[MAX_FRAMES]; /* nstack: the access itself, and where that was called */
	unsigned nstack;
};

/* What the program wrote in this execution; not valid as text in any encoding. */
struct output {
	const char *title;
	const char *text;
	size_t size;
};

/* Bugs and warnings alike, though a warning has no heading of its own in text. */
struct account {
	const struct finding *finding;
	char *thread;
	struct place place; /* the exact line of a crash if it is known */
	char *heading; /* at most HEADING_WIDTH columns: kind, what, place */
	const char *source; /* the line at the place; NULL: not known, or the explanation quotes it */
	struct passage *passages;
	unsigned npassages;
	struct access *accesses; /* of a race: two; else NULL */
	struct interleaving interleaving; /* no rows if nothing was recorded */
	struct output outputs[2];
	char *replay; /* the command that shows it again, NULL if no trace was written */
};

enum { HEADING_WIDTH = 100 };

/* Of a finding whose message is finished. */
void account_init(struct account *account, const struct finding *finding, struct symbols *symbols,
		  enum report_detail detail);
void account_release(struct account *account);

/*
 * The search knows addresses only: puts names into the finding's message ("data race on counter: …") and takes out what
 * every report says beside it.
 */
void finding_finish_message(struct finding *finding, struct symbols *symbols);

/* A limit that was reached, or a note: one sentence and its place. */
struct remark {
	struct place place;
	char *message;
	char *thread; /* of a limit; else NULL */
	uint64_t count; /* executions */
};

struct report {
	const struct result *result; /* its numbers are told as they are */
	enum report_detail detail; /* of the text; the accounts have no less than REPORT_NORMAL, for other formats */
	const char *verdict; /* one word */
	const char *const *reductions; /* what makes the search faster than trying all interleavings: NULL-terminated */
	char *sentence; /* the verdict, which says no more than is true */
	char *numbers; /* how much was done */
	struct account *findings, *warnings; /* as many as the result has, in its order; and so */
	struct remark *limits, *notes;
};

void report_init(struct report *report, const struct result *result, struct symbols *symbols,
		 enum report_detail detail);
void report_release(struct report *report);

#endif
