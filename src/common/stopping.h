/*
 * Work that takes long and is to be left soon, because the user wants that or because the time is up.
 *
 * Loops that may take long look at stop_due(), which costs nothing, and leave as soon as it is true, with whatever they have
 * so far: half an analysis, say.  It stays true, so who called them sees it as well, and must use nothing of that.
 */
#ifndef INSPECT_COMMON_STOPPING_H
#define INSPECT_COMMON_STOPPING_H

#include <signal.h>
#include <stdbool.h>

/* For stop_due() and stop_move() alone. */
extern volatile sig_atomic_t *stop_asked;

static inline bool stop_due(void)
{
	return __builtin_expect(*stop_asked != 0, 0);
}

/* From now on it is due.  For signal handlers, too. */
void stop_ask(void);
/* It will be in so many seconds, which replaces what was said before; 0: never. */
void stop_ask_after(double seconds);
/* What was asked for has been done, and something else begins. */
void stop_forget(void);
/* Whether it is due is written there from now on, where another process sees it. */
void stop_move(volatile sig_atomic_t *place);
/* It never will be, in this process: it decides itself when to stop, and leaves nothing half done. */
void stop_ignore(void);
/* Not so any more, in a process that this one has forked. */
void stop_heed(void);

#endif
