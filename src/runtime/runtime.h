/*
 * The runtime: linked into the program under test, it takes the place of the
 * threads library, the allocator and the end of the process.
 *
 * All program threads are fibers on one kernel thread.  A fiber runs until its
 * next visible operation, calls point(), and goes on when the scheduler has
 * chosen it; so at any time every live thread has exactly one pending operation
 * that is visible, and no two threads ever run at once.
 *
 * The state of the runtime lives in one mapping at RUNTIME_ADDRESS, which is
 * never rolled back; nothing of it may be in .data or .bss, which are (the one
 * exception is `runtime_is_mapped`, written once before the snapshot).  During
 * an execution the runtime makes no call into libc but those named in process.c:
 * system calls go through arch_syscall().
 *
 * Life of a program thread (struct thread):
 *
 *     THREAD_FREE ──create──▶ THREAD_STARTING ──first point()──▶ THREAD_LIVE ──exit──▶ THREAD_EXITED
 *                                    └──────────────exit──────────────────────────────────▲
 *
 *   FREE      the number is unused in this execution
 *   STARTING  runs its private beginning inside its creator's transition
 *   LIVE      `pending` is valid whenever the thread is not running
 *   EXITED    `result` is valid; join succeeds
 */
#ifndef INSPECT_RUNTIME_RUNTIME_H
#define INSPECT_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/channel.h"
#include "wire/hooks.h"

#define PAGE 4096ull
#define EMERGENCY_SIZE (16 * PAGE) /* a stack to die on, at the low end of each stack */

/* Memory that is rolled back between executions (snapshot.c). */
struct region {
	uint64_t start, size;
};

enum thread_state { THREAD_FREE, THREAD_STARTING, THREAD_LIVE, THREAD_EXITED };

struct thread {
	uint8_t state; /* enum thread_state */
	bool detached, joined;
	bool waiting; /* in COND_WAKE, not signalled yet */
	uint8_t creator; /* runs again when the beginning is over */
	uint16_t nchildren;
	uint64_t sp; /* saved fiber */
	uint64_t thread_pointer;
	void *(*start)(void *);
	void *argument;
	void *result;
	struct op pending;
	uint64_t expected; /* of a pending ATOMIC_CAS */
	uint8_t failure_order; /* of the same */
	uint64_t wait_cond; /* the condition variable it waits on */
	uint64_t clock; /* virtual nanoseconds, see time.c */
	char message[MAX_MESSAGE]; /* of a pending anomaly */
	uint64_t fault_address, fault_pc;
	int32_t signal, exit_status;
	struct destructor *destructors; /* of its thread_local objects, see cxx.c */
};

struct tree_node;

enum phase {
	PHASE_START, /* before main: constructors, set-up; no scheduling */
	PHASE_RUN, /* program code under the scheduler */
	PHASE_EXIT, /* the process ends: handlers and flushing, the other threads are frozen */
	PHASE_IDLE, /* between executions */
};

/* How an executor tells the zygote why it is gone. */
enum {
	EXIT_RENEW = 96, /* it is used up; nothing went wrong */
	EXIT_BROKEN = 97, /* it cannot work at all; trace.message */
	EXIT_HANG = 98, /* the watchdog asked; trace.ending */
	EXIT_FAULT = 99, /* a fault outside the program */
};

#define MAX_OUTPUT (64ull << 20) /* bytes that one execution may write */

enum { MAX_REGIONS = 128, MAX_DIRTY = 1 << 20 };

struct runtime {
	uint32_t current_site; /* written by instrumented code: must be first */
	uint32_t phase; /* enum phase */
	uint32_t current; /* running thread */
	uint32_t nthreads; /* created so far in this execution, main included */
	uint64_t live; /* threads STARTING or LIVE */
	uint64_t enabled; /* LIVE threads whose pending operation can run */
	uint64_t blocking; /* LIVE threads whose pending operation is EV_BLOCKING */
	uint64_t sleep;
	uint64_t stack_low; /* of the running thread */
	struct channel *channel;
	struct thread threads[MAX_THREADS];

	bool standalone; /* no explorer: one execution, output and exit as usual */
	bool has_fsgsbase;
	bool touching; /* the runtime itself reads the program's memory: a fault is the program's */
	bool kernel_changed; /* kernel state was changed: the executor must not be used again */
	bool stdin_moved;
	int64_t stdin_offset; /* where the program's input begins */
	uint64_t written; /* bytes of output in this execution */
	bool wrote; /* to standard output or error */
	uint32_t spin; /* how long to look for a request before sleeping */
	uint32_t last_access; /* event whose value after is still to be recorded, + 1 */
	uint64_t loop_sp; /* the executor's loop */

	uint64_t donor_pointer[MAX_THREADS];
	uint64_t donor_top[MAX_THREADS]; /* where the fiber's stack begins */
	uint32_t donors_ready;

	uint32_t nregions;
	struct region regions[MAX_REGIONS];
	uint64_t saved_end;
	uint32_t ndirty;

	struct destructor *early_destructors; /* of main's thread_local objects that constructors used */

	int argc;
	char **argv, **envp;
	void (*libc_exit)(int);
	int (*libc_fflush)(void *);
	int (*libc_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	/* of the C++ library, NULL when there is none: see containers.c */
	void (*tree_insert)(bool, struct tree_node *, struct tree_node *, struct tree_node *);
	struct tree_node *(*tree_erase)(struct tree_node *, struct tree_node *);

	uint8_t signal_stack[64 * 1024] __attribute__((aligned(64)));
	struct dirty_page {
		uint64_t page, saved; /* saved 0: zero the page */
	} dirty[MAX_DIRTY];
	uint32_t dirty_index[2 * MAX_DIRTY]; /* hash table by page: index into dirty, + 1 */
};

#define rt ((struct runtime *)RUNTIME_ADDRESS)

static inline struct thread *self(void)
{
	return &rt->threads[rt->current];
}

static inline uint64_t bit(unsigned thread)
{
	return 1ull << thread;
}

/* Map the runtime's memory and the heap; called by whoever comes first. */
void runtime_map(void);
extern uint32_t runtime_is_mapped;

/* --- schedule.c --- */

/*
 * Announce an operation and return when it is this thread's turn to perform it.
 * Returns the event that was recorded, whose kind may have become more exact
 * (ATOMIC_CAS_FAIL …) and whose `choice` is the outcome to take.  In a phase
 * without scheduling it returns NULL at once: just perform the operation.
 */
struct event *point(const struct op *op);
/* Record an EV_LOCAL operation: no other thread runs. */
void local_event(const struct op *op);
/* Whether blocked threads can go on may have changed, for operations on this object. */
void refresh(uint64_t object);
/* End the execution: back to the executor's loop, or the end of a standalone process. */
void end_execution(enum ending ending) __attribute__((noreturn));
/*
 * End it with a message that reaches the user: our own limit, not a bug.  Outside an
 * execution it ends the process, and the search.
 */
void fail_execution(const char *message) __attribute__((noreturn));
/* Let another fiber run; returns when this one is switched back to. */
void switch_to(unsigned thread);
/* Called when the running thread has ended: another one runs, or the execution ends. */
void schedule_away(void) __attribute__((noreturn));
/* Start an execution from its plan; returns when it has ended. */
void run_execution(void);

/* An operation of the running thread with the site it was called from. */
static inline struct op make_op(enum event_kind kind, const volatile void *object)
{
	return (struct op){.kind = kind, .site = rt->current_site, .object = (uint64_t)object};
}

/* --- process.c --- */

/* The running thread meets its end, and that of the process: EV_ANOMALY operations. */
void anomaly(enum event_kind kind, const char *message) __attribute__((noreturn));
void install_fault_handlers(void);
/* From a signal handler: the interrupted thread ends the process, or ends with EV_REFUSED. */
void exit_in_handler(void *context, int status);
void crash_in_handler(void *context, int signal);
void refuse_in_handler(void *context, const char *first, const char *second);

/* --- thread.c --- */
void thread_prepare(unsigned thread, void *(*start)(void *), void *argument);
int thread_of(pthread_t handle); /* -1: not one of ours */

/* --- cond.c --- */
uint64_t cond_waiters(uint64_t cond);

/* --- mutex.c --- */
bool mutex_is_free(uint64_t mutex);
void mutex_take(uint64_t mutex);
void mutex_release(uint64_t mutex);
bool mutex_is_mine(uint64_t mutex);

/* --- cxx.c --- */
bool guard_is_free(uint64_t guard);
/* The running thread's thread_local objects are destroyed: it or the process ends. */
void run_thread_destructors(void);
/* Before the first execution, after the donors: the C++ library must know that there are threads. */
void prepare_cxx(void);

/* --- containers.c --- */
void prepare_containers(void);

/* --- donors.c, snapshot.c, syscalls.c, start.c --- */
void donors_make(void);
void snapshot_take(void);
void snapshot_protect(void);
bool snapshot_fault(uint64_t address);
void snapshot_restore(void);
void snapshot_touch(const void *start, uint64_t size);
void syscalls_install(void);

/* --- text.c: formatting without libc --- */
void text_copy(char *to, size_t size, const char *from);
void text_append(char *to, size_t size, const char *from);
void text_append_number(char *to, size_t size, uint64_t number);
void text_write(const char *text); /* to stderr */

/* Set the running thread's message from parts, NULL-terminated. */
void message_set(char message[MAX_MESSAGE], const char *first, ...) __attribute__((sentinel));

#endif
