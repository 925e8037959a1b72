/*
 * Running other programs: no shell, no system().
 */
#ifndef INSPECT_BUILD_DRIVER_SPAWN_H
#define INSPECT_BUILD_DRIVER_SPAWN_H

#include "common/list.h"

#include <sys/types.h>

/* The compiler of the LLVM that the instrumentor is built with; Debian's package has the same name. */
#ifndef LLVM_MAJOR
#define LLVM_MAJOR 19
#endif
#define CLANG_OF(major) "clang-" #major
#define CLANG_OF_MAJOR(major) CLANG_OF(major)
#ifndef INSPECT_CLANG
#define INSPECT_CLANG CLANG_OF_MAJOR(LLVM_MAJOR)
#endif

/*
 * Start the program named by the first argument; ends the command with one line
 * when it is not installed.  `input` is its stdin and `errors` its stderr; -1 for ours.
 */
pid_t spawn(const struct list *arguments, int input, int errors);

/* The exit status; 128 + n when signal n ended the program. */
int spawn_wait(pid_t child);

/* Both.  The second form returns what the program wrote to stderr, to be freed. */
int spawn_and_wait(const struct list *arguments);
int spawn_and_capture(const struct list *arguments, char **errors);

/* Become the program; does not return. */
_Noreturn void spawn_replace(const struct list *arguments);

/*
 * From now on an interrupt or termination signal lets running programs end,
 * runs the clean-ups of common/trouble.h, and then ends us by the same signal.
 */
void spawn_handle_signals(void);

#endif
