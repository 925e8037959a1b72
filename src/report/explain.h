/*
 * Why it is a bug, in words: the part of the report between the heading and the
 * interleaving, by kind of finding.
 */
#ifndef INSPECT_REPORT_EXPLAIN_H
#define INSPECT_REPORT_EXPLAIN_H

#include "report/page.h"
#include "report/story.h"

void explain_finding(const struct page *page, const struct finding *finding, const struct story *story);

/* The step at which the thread passed the site for the last time, or NO_STEP. */
uint32_t finding_step(const struct story *story, uint32_t thread, uint32_t site);

#endif
