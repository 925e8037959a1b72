/*
 * Busy waiting.  A round of a loop that changed nothing might as well not have happened: the thread does not go on in this
 * execution (rounds.c) or, if its rounds look at one atomic location, waits at the head of the loop until a round would come to
 * something (await.c), which is found out by running it and taking it back (trial.c).
 *
 * Others tell what happens, and ask whether a thread that waits in this way can go on.
 */
#ifndef INSPECT_RUNTIME_AWAIT_AWAIT_H
#define INSPECT_RUNTIME_AWAIT_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/runtime.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* --- rounds.c: busy waiting --- */

/* The running thread performs the operation: does it change something, or only look? */
void round_note(const struct op *op);
/* The running thread has made a system call, which changed something that others may see, or only looked. */
void round_note_system(bool changed);
/* Is there an execution with the same end in which a thread that spins has not begun its last round? */
bool rounds_are_redundant(void);
/* Has anything that the thread, in EV_RESUME, looked at in its last round been changed? */
bool round_may_differ(const struct thread *thread);
/* The threads that spin although what they have read has changed. */
uint64_t rounds_late(void);

/* --- await.c: busy waiting for one location --- */

/* A round of the loop with this site was for nothing, and looked at one location. */
void await_learn(uint32_t site);
/* The running thread is at the head of a loop; if that is an await, returns when the round comes to something. */
void await_at_head(const struct loop *head, const void *frame);
/* Some location may have another value: are those who await it enabled now?  Runs other threads. */
void await_refresh(void);
/* The event is about to write memory. */
void await_note_write(const struct op *op, uint32_t event);
/* Put what is known of the thread's await into the trace; returns its number there, + 1. */
uint32_t await_publish(const struct thread *thread);
/* In a trial: somebody changes the location now. */
void await_move(const struct thread *thread);

/* --- trial.c: rounds of loops that are taken back --- */

bool trial_is_possible(const void *frame);
/* Run the program as a trial from here on; rt->trial.mark is where it comes back to. */
void trial_begin(const struct loop *head, const void *frame);
/* In a trial: the thread comes to this operation, or to the head of a loop.  Returns if the trial goes on. */
void trial_op(const struct op *op);
void trial_fence(void);
void trial_loop(const struct loop *head, bool again);
void trial_end(bool fails) __attribute__((noreturn));
/* Make it the thread's pending operation. */
void announce_as(struct thread *thread, const struct announced *announced);

#pragma GCC visibility pop

#endif
