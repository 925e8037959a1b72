/*
 * Trouble, in four kinds.  A bug found in the program under test is data (see
 * result/finding.h) and never goes through here; a limit reached is part of the
 * search result.  The other two end the command at once:
 *
 *   die()     the user's mistake or a broken input: one line, exit status 2
 *   failure() our own failure or the system's: one line, exit status 4
 *
 * Both print "inspect: " first, run the functions given to on_trouble() (last
 * registered first: they remove temporary files and child processes), and exit.
 */
#ifndef INSPECT_COMMON_TROUBLE_H
#define INSPECT_COMMON_TROUBLE_H

enum exit_status {
	STATUS_VERIFIED = 0,
	STATUS_BUG = 1,
	STATUS_USAGE = 2,
	STATUS_INCOMPLETE = 3,
	STATUS_FAILURE = 4,
};

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lines are given to the function instead of being printed: for a process whose user looks at another one.  The status
 * is that with which die() and failure() will end the command, and 0 for warn(). */
void trouble_divert(void (*function)(int status, const char *line));

/*
 * invariant_failed() calls this instead of ending the command, in a process that is not the command's own.  The text
 * lasts as long as the code does.
 */
void trouble_elsewhere(void (*function)(const char *what) __attribute__((noreturn)));

/* Register a clean-up; at most 8.  Also run it at a normal end with run_cleanups(). */
void on_trouble(void (*function)(void));
void run_cleanups(void);

/* malloc and friends that end the command with failure() instead of returning NULL. */
void *xmalloc(unsigned long size);
void *xcalloc(unsigned long count, unsigned long size);
void *xrealloc(void *old, unsigned long size);
char *xstrdup(const char *string);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
