/*
 * Threads of the program (thread.c), how they are cancelled and end from the inside (cancel.c), and the real threads whose
 * stacks they run on (donors.c).
 *
 * Life of a program thread (struct thread):
 *
 *     THREAD_FREE ──create──▶ THREAD_STARTING ──first point()──▶ THREAD_LIVE ──exit──▶ THREAD_EXITED
 *                                    └──────────────exit──────────────────────────────────▲
 *
 *   FREE      the number is unused in this execution, and in no set of the scheduler's
 *   STARTING  runs its private beginning inside its creator's transition: nobody chooses it
 *   LIVE      `pending` is valid whenever the thread is not running; the sets of the scheduler say what it waits for
 *   EXITED    `result` is valid; join succeeds; its handlers have been run, and its stack is nobody's
 *
 * thread_assert_state() says the same, where the state changes and, in debug builds, at each decision.
 *
 * Numbers belong to names (parent, index): a thread has the same one in every execution in which it exists.
 */
#ifndef INSPECT_RUNTIME_CORE_THREAD_H
#define INSPECT_RUNTIME_CORE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/await/data.h"
#include "runtime/cxx/data.h"
#include "runtime/process/data.h"
#include "runtime/state/data.h"
#include "runtime/sync/data.h"
#include "wire/channel.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

#define EMERGENCY_SIZE (16 * PAGE) /* a stack to die on, at the low end of each stack */

enum thread_state { THREAD_FREE, THREAD_STARTING, THREAD_LIVE, THREAD_EXITED };

/* Whether a wait may end without what it waits for. */
enum timed {
	TIMED_NO,
	TIMED_FREE, /* at any time */
	TIMED_LATE, /* when nobody can do anything else */
};

/*
 * A handler of the runtime's own, run like those of pthread_cleanup_push when the thread
 * ends inside; the struct lives in the frame of the caller.
 */
struct cleanup {
	struct cleanup *next;
	void (*routine)(void *); /* NULL: jump to the program's own buffer instead */
	void *argument;
};

/* How a thread can be cancelled (cancel.c). */
struct thread_cancel {
	bool disabled, asynchronous; /* as the thread has set them */
	bool pending; /* somebody has cancelled it */
	bool possible; /* the pending operation can be cancelled */
	uint32_t npoints, points_since; /* cancellation points that it has passed since event points_since */
	struct cleanup *cleanups; /* innermost handler of pthread_cleanup_push */
};

/*
 * What is behind `message` is not cleared when a thread begins: counts before it say what is valid.  A resume point copies all
 * before it, and of the rest as much as is valid (process/resume.c).
 */
struct thread {
	uint8_t state; /* enum thread_state */
	bool detached, joined;
	bool waiting; /* in COND_WAKE or BARRIER_LEAVE, not let through yet */
	uint8_t timed; /* enum timed, of the pending operation */
	bool ending; /* runs its cleanup handlers and destructors */
	bool fenced; /* it has executed a fence that releases: all that it writes after it does so */
	bool stack_ended; /* nobody may touch its stack any more; the last thread, which runs exit handlers there, may */
	bool left; /* it has been decided whether it is the last thread */
	uint8_t creator; /* runs again when the beginning is over */
	uint16_t nchildren;
	uint16_t atomic_depth; /* atomic blocks that it is in */
	bool changed; /* of rt, while it does not run; with a stateful search so are these: */
	uint64_t live_values[2], outside;

	struct op pending;
	uint64_t expected, wanted; /* of a pending ATOMIC_CAS; the first is also the operand of an ATOMIC_RMW */
	uint8_t failure_order; /* of the former */
	uint8_t update; /* enum update, of the latter */

	struct thread_cancel cancel;
	struct thread_await await;
	struct rounds rounds;
	struct thread_sync sync;
	struct thread_states states;
	struct thread_system system;
	struct fault fault;
	struct thread_cxx cxx;

	uint64_t sp; /* saved fiber */
	uint64_t thread_pointer;
	uint64_t caller_state; /* when it called a STATEFUL() function (arch/arch.h) */
	void *(*start)(void *);
	void *argument;
	void *result;
	uint64_t joins; /* threads that it has joined, and that those have: with whom it need not compete any more */
	char name[16];

	char message[MAX_MESSAGE]; /* of a pending anomaly */
	struct sync_lists sync_lists;
	struct round_lists round_lists;
	struct awaited awaited;
};

/* Real threads of which program threads have the stack, the TLS block and the descriptor (donors.c). */
enum { FIRST_DONORS = 8 }; /* main included */

struct donors {
	uint64_t pointer[MAX_THREADS];
	uint64_t top[MAX_THREADS]; /* where the fiber's stack begins */
	uint32_t ready;
	uint32_t count; /* threads that can be run, main included */
};

/* --- thread.c --- */

/* What holds in the state that the thread is in.  Not for the running one, between two of its operations. */
void thread_assert_state(unsigned thread);
/* A thread in THREAD_FREE begins: it is THREAD_STARTING then, and can be switched to. */
void thread_prepare(unsigned thread, void *(*start)(void *), void *argument);
int thread_of(pthread_t handle); /* -1: not one of ours */
/* Runs handlers and destructors and ends the running thread. */
void thread_finish(void *result) __attribute__((noreturn));
bool thread_has_ended(unsigned thread);
/* How many have not left yet: the last of them ends the process. */
unsigned threads_to_leave(void);
/* Note that the program does something that few do; the search starts again if that is new. */
void use_feature(enum feature feature);
/* … which changes something only together with the other one. */
void use_feature_with(enum feature feature, enum feature other);

/* --- cancel.c --- */

/* A place where the running thread can be cancelled; does not return if it is. */
void cancellation_point(void);
/*
 * Where it is left open whether a request is acted upon: both are explored, and true is to act.  So it is in what POSIX says
 * may be a cancellation point, and when a request comes after a wait is over, but before it has returned (2.9.5.2).
 */
bool cancel_is_chosen(void);
void possible_cancellation_point(void);
/* Mark the operation as one during which the running thread can be cancelled. */
void make_cancellable(struct op *op);
/* The operation ended as cancelled. */
void act_on_cancel(void) __attribute__((noreturn));
bool cancel_is_due(const struct thread *thread);
/* Run the handlers of pthread_cleanup_push, innermost first, then thread_finish(). */
void unwind_thread(void *result) __attribute__((noreturn));
void cleanup_push(struct cleanup *cleanup, void (*routine)(void *), void *argument);
/* It must be the innermost one. */
void cleanup_pop(struct cleanup *cleanup);

/* --- donors.c --- */

/* So many in all, main's included. */
void donors_make(unsigned count);
/* How many there should be for all threads that have a name. */
unsigned donors_wanted(void);

#pragma GCC visibility pop

#endif
