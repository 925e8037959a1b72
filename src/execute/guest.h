/*
 * Our code and the memory of the search in the program's processes (wire/guest.h).
 *
 * That needs an executable with a fixed address, which sanitizers do not allow (Makefile): elsewhere there is no guest.
 */
#ifndef INSPECT_EXECUTE_GUEST_H
#define INSPECT_EXECUTE_GUEST_H

#include <stdbool.h>

#include "wire/guest.h"

/* May there be one? */
bool guest_is_possible(void);
/* Fill it in for a program that is to be started, where memory_share() was called (storage/memory.h). */
void guest_invite(struct guest *guest);
/* In the process that is going to be the program: it inherits what it needs. */
void guest_bring(const struct guest *guest);
/* The program has what it needs, or is gone. */
void guest_close(struct guest *guest);

#endif
