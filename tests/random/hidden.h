/*
 * What the random program does behind Inspect's back, in code that is not instrumented: it reads its
 * text, and keeps account of the order of operations by itself.
 *
 * Every object has a version.  What changes the object makes the next version, right after the operation
 * and so in the same step; what looks at the object is told its version.  What a thread was told is part
 * of what it prints.  So executions that differ in the order of two operations that do not commute print
 * different things, whatever Inspect thinks of these operations.
 */
#ifndef RANDOM_HIDDEN_H
#define RANDOM_HIDDEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum object { OF_PLAIN, OF_ATOMICS, OF_MUTEXES, OF_RWLOCKS, OF_SEMAPHORES, OF_BLOCKS, OF_WORDS, OF_HANDLERS, SORTS };

/*
 * The program is told that these change nothing: otherwise no state after a call would be like any
 * other (--stateful).  What they change follows from what the threads have done so far.
 */
#ifdef __clang__
#define UNSEEN __attribute__((pure))
#else
#define UNSEEN
#endif

/* End the process when its argument is no program. */
UNSEEN bool hidden_begin(void);

UNSEEN unsigned hidden_sections(void);
/* Its instruction is END after the last one. */
UNSEEN struct step hidden_step(unsigned thread, unsigned index);

/* The object's version, after it was changed or not. */
UNSEEN unsigned hidden_version(enum object sort, unsigned object, bool changes);

/* Main creates it before it does anything else, and not some thread when it comes to that. */
UNSEEN bool hidden_is_created_at_start(unsigned thread);
/* Is it for `creator' to create the thread, and not done yet? */
UNSEEN bool hidden_creates(unsigned creator, unsigned thread);
UNSEEN bool hidden_set_handle(unsigned thread, pthread_t handle);
/* 0 for itself, and for what `self' cannot know: there is no such thread yet, or another creates it in its own time. */
UNSEEN pthread_t hidden_handle(unsigned self, unsigned thread);

/*
 * What main has seen, and if it has joined all threads the memory that they left: plain and atomic (or NULL).  (Not
 * unseen: what was printed is part of how the program ends, and no part of its state.)
 */
void hidden_print(uint64_t seen, const int *plain, const int *atomics);

#endif
