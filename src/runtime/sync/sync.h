/*
 * The primitives of the threads library, one file for each.  The state of an object is in the object, in fields that static
 * initialisers leave zero, so that the snapshot rolls it back and nothing is looked up; who waits is in the threads.
 *
 * A function of the program's (pthread_mutex_lock …) announces what it does by point(), and then does it: between the two
 * others may have destroyed the object, so it looks again.  An object that is none, or none any more, is a misuse, which
 * ends the execution where it is used.  Whatever may let a blocked thread go on is followed by reconsider_object() or
 * reconsider_thread().  Here is what others need to know of the primitives.
 */
#ifndef INSPECT_RUNTIME_SYNC_SYNC_H
#define INSPECT_RUNTIME_SYNC_SYNC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runtime/core/runtime.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/*
 * The state of an object, given by its address, for those who decide whether a pending operation can be performed.  They
 * only read, and what is no object is as good as one that nobody waits for.
 */
uint64_t cond_waiters(uint64_t cond); /* of a futex, too */
bool mutex_is_free(uint64_t mutex);
bool mutex_is_mine(uint64_t mutex);
bool mutex_is_lost(uint64_t mutex);
bool mutex_is_robust(uint64_t mutex);
uint32_t sem_value(uint64_t semaphore);

/* The mutex is free and it is the running thread's turn: the result of locking it. */
int mutex_take_over(uint64_t mutex);
/* It gives up one that it holds; one whose owner had died, and that is not consistent again, for ever. */
void mutex_give_back(uint64_t mutex);

/* --- the end of a thread --- */

void keys_run_destructors(void);
void mutexes_abandon(void); /* robust ones that it still holds */

/* --- objects.c: synchronisation objects as memory --- */

/* The operation is about to be announced. */
void object_use(struct op *op);
/* The write that was recorded last is about to happen. */
void objects_written(struct event *write);

/* --- timeout.c --- */

/* How a wait until the given time may end; the first operation after must be the wait. */
enum timed timeout_mode(clockid_t clock, const struct timespec *until);
/* The wait ended at its time limit. */
void timeout_happened(clockid_t clock, const struct timespec *until);
/* May a wait end spuriously here? */
bool spurious_allowed(void);
bool time_is_valid(const struct timespec *time);

/* --- objects that were never initialised --- */

/*
 * What a variable that went out of scope, or a block that was freed, leaves in memory says
 * nothing about the object that is there now.
 */
static inline bool is_in_reused_memory(const volatile void *object)
{
	return is_on_stacks((uint64_t)object) || (uint64_t)object - HEAP_ADDRESS < MAX_THREADS * HEAP_SIZE;
}

/*
 * Static storage of a program in which every initialised object is marked: one that is zero was
 * never initialised.  Elsewhere zero is what a static initialiser may have left.
 */
extern const uint32_t initialisers_marked __asm__(INITIALISERS_MARKED) __attribute__((weak));
static inline bool zero_is_uninitialised(const volatile void *object)
{
	extern const char __executable_start[], _end[];

	return &initialisers_marked && (const volatile char *)object >= __executable_start &&
	       (const volatile char *)object < _end;
}

/*
 * The event is the first that uses an object that nobody initialised, which works all the same: it is to be told, and the
 * caller marks the object, so that it is told once.  False where there is no event.
 */
static inline bool note_uninitialised(struct event *event)
{
	if (!event || event->op.kind == EV_TIMEOUT)
		return false;
	event->instead = INSTEAD_UNINITIALISED;
	return true;
}

#pragma GCC visibility pop

#endif
