/*
 * A directory for intermediate files that never stays behind: it is removed by
 * run_cleanups(), at every way out of the command.
 */
#ifndef INSPECT_BUILD_WORKDIR_H
#define INSPECT_BUILD_WORKDIR_H

/* Make the directory, under $TMPDIR or /tmp; once in a process. */
const char *workdir_make(void);

#endif
