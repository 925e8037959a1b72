/*
 * A deadlock in words: who waits, for what, who holds it, and the cycle.
 *
 * When all threads of the execution stand still, all of them are told; when the
 * process ended all the same, those that could never have gone on.
 */
#ifndef INSPECT_REPORT_DEADLOCK_H
#define INSPECT_REPORT_DEADLOCK_H

#include "report/page.h"
#include "report/story.h"

/* One line; the caller's to free. */
char *deadlock_message(const struct story *story);
/* One paragraph per thread. */
void explain_deadlock(const struct page *page, const struct story *story);

#endif
