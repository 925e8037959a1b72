/*
 * The process in which the program runs: how it begins and serves requests (start.c), how it is put back to its start
 * (snapshot.c) or to a resume point (resume.c) between executions, how it runs ahead of the plan (ahead.c), and how it ends
 * (process.c, exit.c).  System calls are in system.h.
 */
#ifndef INSPECT_RUNTIME_PROCESS_PROCESS_H
#define INSPECT_RUNTIME_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runtime/core/runtime.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* How an executor tells the zygote why it is gone. */
enum {
	EXIT_RENEW = 96, /* it is used up; nothing went wrong */
	EXIT_BROKEN = 97, /* it cannot work at all; trace.message */
	EXIT_HANG = 98, /* the watchdog asked; trace.ending */
	EXIT_FAULT = 99, /* a fault outside the program */
	EXIT_DONORS = 100, /* it needs more donors; ENDING_AGAIN */
};

/* --- process.c: the end of the process --- */

void install_fault_handlers(void);
/* From a signal handler: the interrupted thread ends the process, or ends with EV_REFUSED. */
void exit_in_handler(void *context, int status);
void crash_in_handler(void *context, int signal);
void refuse_in_handler(void *context, const char *first, const char *second);
/* need_plan() there; false when the interrupted thread is not to go on. */
bool need_plan_in_handler(void *context);

/* --- exit.c --- */

/* Run the handlers that are left, in the thread that has called exit. */
void run_exit_handlers(void);

/* --- culprits.c --- */

void note_culprit(enum culprit culprit, uint32_t site);
/* Note what the system call with these arguments is suspicious of. */
void note_call(long number, const long a[6]);

/* --- start.c --- */

/* Until the explorer asks for one more execution, or ends us. */
void wait_for_request(void);
/* What others see of an execution up to where it is now, which others have not seen yet. */
void begin_trace(void);

/* --- guest.c --- */

/* The guest is mapped, if there is one. */
void guest_arrive(void);
/* An execution has ended, and nobody knows yet: has the guest made a plan for the next one? */
bool guest_goes_on(void);

/* --- execution.c --- */

/* The runtime's state as it is when an execution begins. */
void begin_execution(void);
/* Run it from where that state says; returns when it has ended. */
void continue_execution(void);
/* What the trace says besides its events, as it is when an execution begins. */
void clear_trace(void);

/* --- ahead.c: steps that are taken before the plan is there --- */

/* A plan has come. */
void take_plan(void);
/* The execution goes on by itself, whatever was planned. */
void forget_plan(void);
/* Run ahead, and then what the explorer asked for to its end.  False when that is still to be run. */
bool ahead_run(void);
/* The step is reached at which to wait for the plan; returns when the execution goes on with it. */
void ahead_reach(void);
/* The same anywhere else. */
void ahead_end(void);
/* … or tell whether it can go on. */
bool ahead_suits(void);
/* This is not what the explorer will ask for. */
void ahead_give_up(void) __attribute__((noreturn));
/* Something is about to be done that others see. */
static inline void need_plan(void)
{
	if (__builtin_expect(rt->course.ahead, 0))
		ahead_end();
}

/* --- snapshot.c --- */

void snapshot_take(void);
/* There are more donors than there were. */
void snapshot_add_stacks(void);
/* Call for every private writable mapping of the program: not for the heap, stacks and the runtime's own. */
void mappings_visit(void (*visit)(uint64_t start, uint64_t end));
void snapshot_protect(void);
bool snapshot_fault(uint64_t address);
/* Copy all dirty pages to `pages`; returns how many there are. */
uint32_t snapshot_copy(void *pages);
/* Put memory back to the start, but the first `count` dirty pages to what snapshot_copy() copied. */
void snapshot_restore(const void *pages, uint32_t count);
void snapshot_touch(const void *start, uint64_t size);

/* --- resume.c --- */

/* Where the plan wants the next one, after the given number of events. */
void resume_point_look_ahead(uint32_t nevents);
/* The running thread is where one is to be made; returns when it goes on. */
void resume_point_reach(void);
/* Make it, in the executor's loop. */
void resume_point_take(void);
/* An execution has ended: put memory back to where the next one probably goes on. */
void resume_point_rewind(void);
/*
 * Another one is to be run: put everything back to where it can go on.  False when that is
 * the start: then it is memory alone that is put back.
 */
bool resume_point_use(void);
/* The parts of that: the state of the runtime as it was at the last resume point, false when there is none; */
bool resume_point_put_back_state(void);
/* … and what others see.  Where memory was put back to must not have changed. */
bool resume_point_put_back_shared(void);
/* How many events there were at the last resume point. */
uint32_t resume_point_nevents(void);

/* --- syscalls.c --- */

void syscalls_install(void);

/* --- time.c: the running thread's virtual clock --- */

/* Much time passes; more if it is not the first time.  False if it was long enough. */
bool clock_jump(uint32_t times);
bool clock_is_past(clockid_t clock, const struct timespec *time);
void clock_advance(clockid_t clock, const struct timespec *time);

#pragma GCC visibility pop

#endif
