/*
 * Response files: an argument @FILE stands for the arguments written in FILE,
 * separated by blanks, with the quoting rules of GNU tools ('…', "…", \c).
 */
#ifndef INSPECT_BUILD_DRIVER_RESPONSE_H
#define INSPECT_BUILD_DRIVER_RESPONSE_H

#include "common/list.h"

/* Append the arguments to the list, files expanded; a file that cannot be opened stays as it is. */
void expand_response_files(struct list *list, char *const argv[]);

#endif
