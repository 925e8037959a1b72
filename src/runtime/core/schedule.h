/*
 * The scheduler.  A fiber runs until its next visible operation, calls point(), and goes on when the scheduler has
 * chosen it; so at any time every live thread has exactly one pending operation that is visible, and no two
 * threads ever run at once.  Who moves next is what the plan says, then the rule in wire/plan.h.
 */
#ifndef INSPECT_RUNTIME_CORE_SCHEDULE_H
#define INSPECT_RUNTIME_CORE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/runtime.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/*
 * Announce an operation and return when it is this thread's turn to perform it.
 * Returns the event that was recorded, whose kind may have become more exact
 * (ATOMIC_CAS_FAIL …) and whose `choice` is the outcome to take.  In a phase
 * without scheduling it returns NULL at once: just perform the operation.
 */
struct event *point(const struct op *op);
/* The first half of point(): when it returns the thread may perform the operation, at its next point(). */
void wait_to_be_chosen(const struct op *op);
/* Like point(), with a time limit if `timed` is not TIMED_NO; the kind tells whether it was reached. */
struct event *timed_point(const struct op *op, enum timed timed);
/* Record an EV_LOCAL operation: no other thread runs. */
void local_event(const struct op *op);
/* The size of the synchronisation object in memory that the operation is about; 0: there is none. */
uint32_t sync_object_size(const struct op *op);
/* Whether blocked threads can go on may have changed: those that wait for this object, one thread, or all. */
void reconsider_object(uint64_t object);
void reconsider_thread(unsigned thread);
void reconsider_all(void);
/* Let another fiber run; returns when this one is switched back to. */
void switch_to(unsigned thread);
/* Called when the running thread has ended: another one runs, or the execution ends. */
void schedule_away(void) __attribute__((noreturn));

/* --- the execution --- */

/* End the execution: back to the executor's loop, or the end of a standalone process. */
void end_execution(enum ending ending) __attribute__((noreturn));
/*
 * End it with a message that reaches the user: our own limit, not a bug.  Outside an
 * execution it ends the process, and the search.
 */
void fail_execution(const char *message) __attribute__((noreturn));
/* --- pending.c: what a thread's pending operation could do now --- */

bool pending_is_enabled(const struct thread *thread);
/* What it would turn out to be if it were performed now. */
enum event_kind pending_kind(const struct thread *thread);
/* Does it, if it is an atomic operation that writes, pass on what the thread has done? */
bool pending_releases(const struct thread *thread);
/* Is it an access that leaves memory as it is, whether it counts as a write or not? */
bool pending_leaves_memory(const struct thread *thread);
/* The same for the conflict with an operation that comes before it and may change its kind. */
enum event_kind pending_kind_after_others(const struct thread *thread);
bool is_timeout(enum event_kind kind);

/* --- stacks.c --- */

void stack_capture(uint64_t frames[MAX_FRAMES]);

#pragma GCC visibility pop

#endif
