/*
 * The formats of a report. Each has a file of its own here, and a row in formats.def. A format only prints: what is said
 * is in the report (report/account/account.h) before any of them sees it.
 */
#ifndef INSPECT_REPORT_FORMAT_FORMAT_H
#define INSPECT_REPORT_FORMAT_FORMAT_H

#include <stdio.h>

#include "report/account/account.h"

struct format {
	const char *name; /* --name=FILE */
	void (*print)(FILE *out, const struct report *report);
};

enum {
#define FORMAT(name, help) FORMAT_##name,
#include "report/format/formats.def"
#undef FORMAT
	FORMATS
};

extern const struct format format_table[FORMATS];

#define FORMAT(name, help) void print_##name(FILE *out, const struct report *report);
#include "report/format/formats.def"
#undef FORMAT

/*
 * What is printed when no other format is asked for. It fits the terminal, or 80 columns (COLUMNS if set) when `out` is
 * none. The account of a finding is also printed by itself, as is the verdict with its numbers.
 */
void print_text(FILE *out, const struct report *report);
void print_account(FILE *out, const struct account *account, enum report_detail detail);
void print_verdict(FILE *out, const struct report *report);

#endif
