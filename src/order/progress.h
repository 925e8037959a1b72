/*
 * Does an event bring its thread further, or does the thread only find out that something is not so?
 */
#ifndef INSPECT_ORDER_PROGRESS_H
#define INSPECT_ORDER_PROGRESS_H

#include <stdbool.h>

struct event;

/* Something has changed by it. */
bool event_is_progress(const struct event *event);
/* It has looked at something, or tried to get it in vain. */
bool event_is_attempt(const struct event *event);

#endif
