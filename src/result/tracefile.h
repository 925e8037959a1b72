/*
 * The trace file: one schedule, as text, enough to run it again exactly.
 *
 *   inspect-trace 3
 *   program-id 0123456789abcdef
 *   kind deadlock
 *   message all%202%20threads%20wait%20for%20each%20other
 *   directory /where/it/was/checked
 *   program PATH            as it was given, or its name when it was built from sources
 *   build FILE.c            source files and compiler flags, one per line; none for a program
 *   arg ARG                 the program's arguments, one per line
 *   max-steps N
 *   isolation snapshot      or fork
 *   ending N STATUS SIGNAL  how the execution ended: enum ending, exit status, signal
 *   at THREAD SITE THREAD SITE PC PREEMPTIONS COUNT WEAK    the finding, and its other access
 *   thread 1 0 1            number, parent, index; in the order of the numbers, main is left out
 *   shared THREAD PIECE     stack memory that counted as shared, one line a piece; or other memory, then THREAD is 64
 *   await ADDRESS SIZE FLAGS     a location that was awaited (enum await_flag)
 *   await-loop SITE         a loop in which that was done
 *   step THREAD CHOICE KIND SITE OBJECT      one per event
 *   end
 *
 * Strings are percent-encoded where they hold blanks, control characters or '%'.
 * Numbers are decimal, addresses (OBJECT, PC) and the program id hexadecimal.
 * Lines of one name may only be repeated where it says so.  A file without the
 * last line is damaged, and said to be.
 */
#ifndef INSPECT_RESULT_TRACEFILE_H
#define INSPECT_RESULT_TRACEFILE_H

#include "result/finding.h"

/* The finding and, in finding.execution, its schedule: of each event thread, choice, kind, site and object; the rest is 0. */
struct tracefile {
	uint64_t program_id;
	char *directory, *program;
	char **build; /* NULL-terminated; build[0] is NULL when a program was given */
	char **args; /* NULL-terminated */
	uint32_t max_steps;
	enum isolation isolation;
	struct modes modes;
	struct finding
		finding; /* up to count, but for object; of the execution what was said, and what was known then */
};

/*
 * Written to a temporary name and renamed, except where `path` is a device or
 * a pipe.  False, with errno, when that fails.
 */
bool tracefile_write(const char *path, const struct tracefile *tracefile);
/*
 * NULL on success, else one malloced line that says what is wrong with the file;
 * *tracefile is to be released in either case.
 */
char *tracefile_read(const char *path, struct tracefile *tracefile);
void tracefile_release(struct tracefile *tracefile);

#endif
