/*
 * Phrases that several tellings share: places, locks held.
 */
#ifndef INSPECT_REPORT_HOLDING_H
#define INSPECT_REPORT_HOLDING_H

#include "order/held.h"
#include "report/story.h"

/* "race.c:12 in worker" */
void add_place_and_function(struct buffer *text, const struct story *story, struct place place);
/* The lock by its name: "m". */
void add_lock(struct buffer *text, const struct story *story, const struct held_lock *lock);
/* Was it taken as one of several readers? */
bool is_for_reading(const struct story *story, const struct held_lock *lock);
/* "(locked at db.c:20)" */
void add_locked_at(struct buffer *text, const struct story *story, const struct held_lock *lock);
/* "a (since db.c:20, step 4) and b (…)", or "no lock". */
void add_held(struct buffer *text, const struct story *story, const struct held *held, uint32_t thread);
/* The same for one line: "a (locked at db.c:20) and b (…)", or "no lock". */
void add_held_briefly(struct buffer *text, const struct story *story, const struct held *held, uint32_t thread);
bool holds_any(const struct held *held, uint32_t thread);

#endif
