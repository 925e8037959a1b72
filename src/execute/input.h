/*
 * Standard input of the program under test.
 *
 * A file is read again from the same place in every execution, by several workers at the same time.  So the program
 * gets an open file of its own: neither other workers nor the user, whose shell may go on reading, share its place in it.
 * What is in a pipe to which nobody writes any more is as good as a file.
 */
#ifndef INSPECT_EXECUTE_INPUT_H
#define INSPECT_EXECUTE_INPUT_H

#include "wire/channel.h"

/* Can our standard input be read again and again? */
enum input input_kind(void);

/* In the process that becomes the program: give it what INPUT_FILE promised, or say in what else that ends. */
enum input input_make_own(void);

/* Why a program cannot read what it has for input: not INPUT_FILE. */
const char *input_refusal(enum input input);

#endif
