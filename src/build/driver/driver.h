/*
 * What the compiler driver answers when it is asked, with -###, what it would run.
 */
#ifndef INSPECT_BUILD_DRIVER_DRIVER_H
#define INSPECT_BUILD_DRIVER_DRIVER_H

#include "common/list.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The command line of the one program that the driver would run.  False, and nothing added,
 * when the answer has anything else in it (a warning, a second program): then the driver
 * itself is to be run.
 */
bool driver_linker_command(const char *answer, size_t size, struct list *command);

#endif
