/*
 * The interleaving: one row per operation, one column per thread.
 *
 * From left to right: marks, step, place, a column per thread and, if there is
 * room, the source line.  A row has one operation only, so its text may run over
 * the empty columns to its right; that is what lets many threads fit.  Where
 * they do not, all operations go into one column with the thread's name in
 * front.  Without room for the source lines these follow below, each once.
 */
#ifndef INSPECT_REPORT_INTERLEAVING_H
#define INSPECT_REPORT_INTERLEAVING_H

#include "report/page.h"
#include "report/story.h"

void print_interleaving(const struct page *page, const struct finding *finding, const struct story *story,
			enum report_detail detail);

#endif
