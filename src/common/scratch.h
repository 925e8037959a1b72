/*
 * The temporary directory of one command: made on demand, removed at its end
 * whatever that end is.
 */
#ifndef INSPECT_COMMON_SCRATCH_H
#define INSPECT_COMMON_SCRATCH_H

/* Makes the directory below $TMPDIR or /tmp; its absolute path.  The second time, one inside it: a program may be built twice. */
const char *scratch_make(void);

/* Removes it with all that is in it.  Only makes system calls, so that a signal handler may call it. */
void scratch_remove(void);

#endif
