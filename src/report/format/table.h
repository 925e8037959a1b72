/*
 * The interleaving as a table: one row per operation, one column per thread.
 *
 * From left to right: marks, step, place, a column per thread and, if there is room, the source line. A row has one
 * operation only, so its text may run over the empty columns to its right; that is what lets many threads fit. Where they
 * do not, all operations go into one column with the thread's name in front. Without room for the source lines these
 * follow below, each once.
 */
#ifndef INSPECT_REPORT_FORMAT_TABLE_H
#define INSPECT_REPORT_FORMAT_TABLE_H

#include "report/account/account.h"
#include "report/format/page.h"

/* Rows, legend and source lines; `nevents` is how many operations the execution had. */
void print_table(const struct page *page, const struct interleaving *interleaving, uint32_t nevents);

#endif
