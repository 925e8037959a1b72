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
#ifndef INSPECT_RUNTIME_CORE_RUNTIME_H
#define INSPECT_RUNTIME_CORE_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/arch/arch.h"
#include "wire/channel.h"
#include "wire/hooks.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

#define PAGE 4096ull
#define EMERGENCY_SIZE (16 * PAGE) /* a stack to die on, at the low end of each stack */

/* Memory that is rolled back between executions (snapshot.c). */
struct region {
	uint64_t start, size;
};

enum thread_state { THREAD_FREE, THREAD_STARTING, THREAD_LIVE, THREAD_EXITED };

/* Whether a wait may end without what it waits for. */
enum timed {
	TIMED_NO,
	TIMED_FREE, /* at any time */
	TIMED_LATE, /* when nobody can do anything else */
};

enum { MAX_TIMEOUTS = 64, MAX_HELD_READS = 16 };

/* Read locks of one rwlock that a thread holds. */
struct held_read {
	uint64_t rwlock;
	uint32_t count; /* 0: unused */
};

#define NO_ROUND UINT64_MAX /* of changes: the round that has begun is not like another one */

/* The head of a loop that the thread is in, as it was last there (rounds.c). */
struct loop {
	uint32_t site;
	uint32_t nreads; /* so many had been done */
	uint32_t rounds; /* that were for nothing, one after the other */
	uint32_t alone; /* … since another thread has moved, … */
	uint64_t switches; /* … which was then */
	uint32_t jumps; /* how often time was made to pass */
	uint64_t frame, state, changes;
	uint64_t moment; /* when that was */
	uint64_t clock_reads; /* so many had been done */
	uint64_t clock; /* of the thread, then */
};

/* What a round has looked at; with size 0 the thread whose number is the address. */
struct read_done {
	uint64_t address, hash;
	uint32_t size, site;
	bool memory, atomic;
	bool update; /* it was tried to update it */
};

/* A lock that was taken since the thread is in a loop. */
struct section {
	uint64_t object, began;
};

/* The value of the location that a thread awaits, and what a round comes to with it (await.c). */
struct awaited {
	struct await known; /* as it goes into the trace */
	uint32_t
		joins; /* a set: with which of the values the round begins with a load and an update that can be joined */
	uint32_t
		nchecked; /* among the first so many values, what happens if one replaces another in mid-round is known */
	uint32_t pair[2]; /* being tried: the load sees the first, the update the second, indices of values; */
	bool moves; /* … if this is set */
	bool weaker; /* the operation that is pending is a joined one whose load acquires more than the update does */
	uint64_t value; /* that was tried last; of now, once the thread waits */
	uint32_t location; /* index into the channel's */
};

/* An operation as it was announced, with what pending.c must know of it. */
struct announced {
	struct op op;
	uint64_t expected, wanted;
	uint8_t failure_order, update;
};

/* A round that is run only to see how it ends, then taken back (trial.c). */
enum { MAX_TRIAL_STACK = 16384, MAX_TRIAL_LOOPS = 4 };

struct trial {
	bool active;
	bool moves; /* the location gets another value after the first look */
	bool fails; /* the result: the round is for nothing */
	bool seen; /* its first operation, below */
	bool writes; /* that one writes the location */
	bool acquires; /* one of the reads does */
	bool fenced; /* there was a fence after the first operation */
	bool joins; /* the first operation is a load, the next one, below as well, updates what it has read */
	bool weaker; /* … and acquires less */
	uint32_t nops, nloops;
	struct loop head;
	struct loop inner[MAX_TRIAL_LOOPS];
	struct announced first, joined;
	struct announced own; /* the thread's, to be put back, and what else is: */
	int error;
	uint32_t site;
	uint64_t live_values[2], outside;
	struct arch_mark mark;
	uint64_t stack_size;
	uint8_t stack[MAX_TRIAL_STACK];
};

enum { MAX_LOOPS = 16, MAX_READS = 4096, MAX_SECTIONS = 8 };

struct cleanup;

/* What is behind `message` is not cleared when a thread begins: counts before it say what is valid. */
struct thread {
	uint8_t state; /* enum thread_state */
	bool detached, joined;
	bool waiting; /* in COND_WAKE or BARRIER_LEAVE, not let through yet */
	uint8_t timed; /* enum timed, of the pending operation */
	bool cancel_disabled, cancel_asynchronous; /* as the thread has set them */
	bool cancel_pending; /* somebody has cancelled it */
	bool cancellable; /* the pending operation can be cancelled */
	uint32_t npoints, points_since; /* cancellation points that it has passed since event points_since (cancel.c) */
	bool ending; /* runs its cleanup handlers and destructors */
	bool fenced; /* it has executed a fence that releases: all that it writes after it does so */
	bool stack_ended; /* nobody may touch its stack any more; the last thread, which runs exit handlers there, may */
	bool left; /* it has been decided whether it is the last thread */
	uint8_t creator; /* runs again when the beginning is over */
	uint16_t nchildren;
	uint16_t atomic_depth; /* atomic blocks that it is in */
	uint64_t sp; /* saved fiber */
	uint64_t thread_pointer;
	void *(*start)(void *);
	void *argument;
	void *result;
	struct op pending;
	struct state known; /* what it knows (state.c) */
	struct state part; /* of the program's state, as it was last */
	struct state kept; /* … and what the runtime keeps for it: its allocations, its values of keys */
	uint64_t expected, wanted; /* of a pending ATOMIC_CAS; the first is also the operand of an ATOMIC_RMW */
	uint8_t failure_order; /* of the former */
	uint8_t update; /* enum update, of the latter */
	uint64_t wait_cond, wait_mutex; /* the condition variable it waits on, and with which mutex */
	uint64_t passed_over; /* the others that waited when it was chosen by a signal, until it has returned */
	struct cleanup *cleanups; /* innermost handler of pthread_cleanup_push (cancel.c) */
	void **specific; /* values of keys (keys.c), nspecific of them */
	uint32_t nspecific;
	pthread_mutex_t *robust; /* robust mutexes it holds, a list (mutex.c) */
	uint64_t signal_mask; /* of the first 64 signals */
	uint64_t caller_state; /* when it called a STATEFUL() function (arch/arch.h) */
	uint32_t ntimeouts, nloops, nreads, nheld, nsections;
	uint64_t moment; /* counts heads of loops and sections */
	uint64_t clock_reads; /* how often it has asked for the time */
	bool shares_reads; /* for a round of its loop: it may wait for what it thinks its own (rounds.c) */
	bool changed; /* of rt, while it does not run; with a stateful search so are these: */
	uint64_t live_values[2], outside;
	bool awaits; /* it is at the head of a loop, before the operation that is pending */
	bool ready; /* … and a round would come to something */
	bool trying; /* its round, with values that the location had before */
	uint32_t skip; /* reads that are part of its pending operation */
	bool chosen; /* its pending operation has been chosen to be performed */
	uint64_t changes; /* how often it was found to have changed something */
	uint32_t spin_from; /* the first read of the round that it spins in */
	char name[16];
	struct destructor *destructors; /* of its thread_local objects, see cxx.c */
	uint64_t no_exception[16]; /* zeros: where the C++ library looks for what it keeps about its own exceptions */
	uint64_t exception[8] __attribute__((aligned(16))); /* of a forced unwinding */
	uint64_t clock; /* virtual nanoseconds, see time.c */
	uint64_t next_mapping; /* mappings.c; 0: the first one */
	uint32_t calls_system; /* it is in a call that was announced (system.h) */
	uint32_t stream; /* the descriptor of the stream that it has used last, + 1 */
	uint64_t joins; /* threads that it has joined, and that those have: with whom it need not compete any more */
	uint64_t fault_address, fault_pc;
	struct block_info block; /* of a pending anomaly: what memory it is about */
	int32_t signal, exit_status;
	char message[MAX_MESSAGE]; /* of a pending anomaly */
	uint64_t timeouts[MAX_TIMEOUTS]; /* where it has timed out freely (timeout.c) */
	struct held_read reads[MAX_HELD_READS]; /* rwlock.c */
	struct section sections[MAX_SECTIONS]; /* that are open, the oldest first */
	struct loop loops[MAX_LOOPS]; /* that it is in, the outermost first */
	struct read_done reads_done[MAX_READS]; /* in them, the last ones */
	struct awaited awaited;
	uint64_t now; /* the location's own value meanwhile */
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
	EXIT_DONORS = 100, /* it needs more donors; ENDING_AGAIN */
};

enum { FIRST_DONORS = 8 }; /* main included */

#define MAX_OUTPUT (64ull << 20) /* bytes that one execution may write */

/* The state of an execution between two of its steps (checkpoint.c). */
struct checkpoint {
	uint64_t copies; /* where they are: the runtime's own state, then the dirty pages, until `end` */
	uint64_t end;
	uint32_t ndirty; /* pages that were dirty */
	uint32_t nnames;
	uint32_t nevents, nawaits, nawait_writes; /* of the trace */
	uint32_t culprits[CULPRIT_COUNT];
	int64_t input, output, errors; /* the place in standard input, the sizes of what was written */
};

/* What is known of the program's state between two captures (state.c). */
enum { MAX_OPEN = 8, STATE_PLACES = 1 << 22, EXACT_PLACES = 1 << 16 };

struct states {
	struct state memory; /* a sum over all words that were written */
	struct state threads; /* a sum over all threads */
	uint64_t stale; /* threads whose part of it may be another now, besides the running one */
	struct state path; /* the last state, and the steps since */
	struct state hidden; /* what was done to state inside the C library and the runtime */
	struct region open[MAX_OPEN]; /* being written: not part of the sum */
	uint32_t nopen;
	bool live; /* the program tells what is live */
	bool lost; /* something was done that nothing is known about */
	uint64_t errno_offset; /* from the thread pointer */
};

/* What a descriptor of the program stands for (descriptors.c). */
enum { MAX_DESCRIPTORS = 1024, MAX_ORIGINALS = 32 };

struct descriptor {
	uint8_t what;
	bool inherited; /* open since before main */
	uint16_t opened_as; /* the descriptor of which it is a copy, of a copy …: they share the position in the file */
	int64_t place; /* of an inherited one: the position when main began */
	int32_t flags; /* … and its flags */
};

/* Synchronisation objects of this or an earlier execution (objects.c). */
enum { MAX_OBJECTS = 4096, OBJECT_PLACES_LOG = 13, OBJECT_PLACES = 1 << OBJECT_PLACES_LOG };

struct objects {
	bool full; /* there are more */
	uint32_t count;
	uint64_t known[MAX_OBJECTS];
	uint32_t places[OBJECT_PLACES]; /* hash table by word: index into known, + 1 */
};

enum { MAX_REGIONS = 128, MAX_DIRTY = 1 << 20, MAX_STREAM_LOCKS = 256, MAX_TEMPORARIES = 256 };

struct runtime {
	uint32_t current_site; /* written by instrumented code: must be first */
	uint32_t changed; /* so is this one, DIRTY: must be second (wire/hooks.h) */
	uint64_t live_values[2]; /* and LIVE, the running thread's local state: third, */
	uint64_t outside; /* and OUTSIDE: fourth */
	uint32_t phase; /* enum phase */
	uint32_t current; /* running thread */
	uint32_t nthreads; /* created so far in this execution, main included */
	uint32_t nevents; /* recorded so far */
	uint32_t turn_began; /* the running thread has taken all steps since then */
	uint64_t live; /* threads STARTING or LIVE */
	uint64_t enabled; /* LIVE threads whose pending operation can run */
	uint64_t blocking; /* LIVE threads whose pending operation is EV_BLOCKING */
	uint64_t sleep;
	uint64_t spinning; /* LIVE threads in EV_SPIN */
	uint64_t resuming; /* … in EV_RESUME */
	uint64_t awaiting; /* LIVE threads that await */
	int32_t asker; /* the thread that has made another one try its round, or -1 */
	uint32_t last_await_write[MAX_AWAIT_LOCATIONS]; /* as await.write */
	uint64_t late; /* LIVE threads whose pending operation can end when nobody can go on */
	bool stateful; /* the program's states are kept */
	bool quiet; /* nobody can go on: those of `late` can */
	int32_t atomic_owner; /* the thread inside an atomic block, or -1 */
	uint32_t guided; /* steps of the plan taken after those that are certain */
	uint16_t guided_choice; /* the outcome for the next one */
	uint64_t pending_signals; /* sent while blocked */
	int32_t kill_target; /* the thread that a signal is sent to, or -1: the running one */
	uint64_t stack_low; /* of the running thread */
	bool stack_is_shared; /* some piece of its stack */
	uint32_t owner; /* of memory: the running thread's number + 1; nobody while it shares what it reads */
	bool took_away; /* somebody has unmapped or protected memory: memory_is_there() has to look */
	uint64_t switches; /* how often another thread went on */
	bool refresh_due; /* what was written last may let others go on */
	bool touching; /* the runtime itself reads the program's memory: a fault is the program's */
	bool kernel_changed; /* kernel state was changed: the executor must not be used again */
	bool stdin_moved;
	bool flags_changed; /* of an open file, perhaps one that was open before main began */
	uint64_t signals_interrupt; /* siginterrupt() was called for these */
	bool wrote; /* to standard output or error */
	uint64_t written; /* bytes of output in this execution */
	uint32_t last_access; /* event whose value after is still to be recorded, + 1 */
	struct exit_handler *exit_handlers; /* that are still to be run, the next one first (exit.c) */
	int32_t exit_owner; /* the thread that has called exit, or -1 */
	uint64_t exit_users; /* threads that have registered handlers or called exit */
	struct key *keys;
	struct named_semaphore *named; /* all that were opened in this execution */
	char *strtok_place; /* libc/string.c */
	uint64_t system_changes; /* how often a system call has changed something that others may see */
	struct states states;
	struct thread threads[MAX_THREADS];

	/* what is above belongs to the execution, and checkpoints keep it; where there is some of this, they are not made: */
	struct trial trial;
	struct region temporaries[MAX_TEMPORARIES]; /* libc/announce.c; size 0: free */
	uint32_t ntemporaries;
	bool stream_locks_used;
	struct stream_lock {
		const void *stream; /* NULL: free */
		pthread_mutex_t mutex;
	} stream_locks[MAX_STREAM_LOCKS]; /* libc/streamlock.c */

	/* of the process */
	struct descriptor descriptors[MAX_DESCRIPTORS]; /* where they change, so does the process with the execution */
	bool inherits; /* some but standard input and output are open since before main */
	struct objects objects;
	void *originals[MAX_ORIGINALS]; /* system.h */
	struct channel *channel;
	bool standalone; /* no explorer: one execution, output and exit as usual */
	bool has_fsgsbase;
	int64_t stdin_offset; /* where the program's input begins */
	struct patience patience; /* with the next request */
	uint64_t run_began; /* when profiling: in ticks */
	uint64_t loop_sp; /* the executor's loop */
	uint32_t nsteps, nguided, common, plan_flags, sure; /* of the plan, as they were when it came */
	bool ahead; /* it has not come yet, and */
	uint32_t nnames; /* … so many threads had names when the execution was begun */
	uint32_t next_checkpoint; /* to be made when there are so many events; ahead of the plan: to be waited at */
	bool checkpoint_due; /* that is now */
	uint32_t ncheckpoints;
	uint32_t memory_at; /* between executions: memory is as it was at this checkpoint, or, with 0, at the start */
	struct checkpoint checkpoints[MAX_CHECKPOINTS];

	uint64_t donor_pointer[MAX_THREADS];
	uint64_t donor_top[MAX_THREADS]; /* where the fiber's stack begins */
	uint32_t donors_ready;
	uint32_t ndonors; /* threads that can be run, main included */

	uint32_t nregions;
	uint32_t nstacks; /* that are among them */
	struct region regions[MAX_REGIONS];
	uint64_t saved_end;
	uint32_t ndirty;

	bool keeps_exit_handlers; /* from the program's first constructor on */
	struct exit_handler *start_exit_handlers; /* when main began */
	struct key *start_keys; /* when main began */
	void **start_specific; /* main's values when it began */
	uint32_t start_nspecific;
	struct destructor *early_destructors; /* of main's thread_local objects that constructors used */

	int argc;
	char **argv, **envp;
	void (*libc_exit)(int);
	int (*unwind_forced)(void *, int (*)(int, int, uint64_t, void *, void *, void *), void *); /* or NULL */
	uint64_t (*unwind_cfa)(void *);
	int (*libc_fflush)(void *);
	uint64_t libc_start, libc_end; /* where its code is */
	uint32_t unscanned; /* leaks.c: a list of blocks that are reachable */
	uint64_t scan_start, scan_end; /* … and the block found last */
	int (*libc_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	/* of the C++ library, NULL when there is none: see containers.c, exceptions.c */
	void (*tree_insert)(bool, struct tree_node *, struct tree_node *, struct tree_node *);
	struct tree_node *(*tree_erase)(struct tree_node *, struct tree_node *);
	void (*exception_release)(void **);
	void (*end_catch)(void);

	uint8_t signal_stack[64 * 1024] __attribute__((aligned(64)));
	struct dirty_page {
		uint64_t page, saved; /* saved 0: zero the page */
	} dirty[MAX_DIRTY];
	uint32_t dirty_index[2 * MAX_DIRTY]; /* hash table by page: index into dirty, + 1 */
	uint32_t nexact; /* state_exact.c: */
	uint32_t exact_used[EXACT_PLACES / 2];
	struct exact_word {
		uint64_t address, value, first; /* 0: free */
		bool dead; /* part of a stack that is nobody's for now */
	} exact[EXACT_PLACES]; /* a hash table */
	uint32_t state_mask; /* of those that are in use: */
	uint32_t state_places[STATE_PLACES]; /* hash table of the states of this execution: indices of events */
};

_Static_assert(RUNTIME_ADDRESS + offsetof(struct runtime, live_values) == LIVE_ADDRESS, "see wire/hooks.h");
_Static_assert(RUNTIME_ADDRESS + offsetof(struct runtime, outside) == OUTSIDE_ADDRESS, "see wire/hooks.h");
_Static_assert(sizeof(struct runtime) <= RUNTIME_ROOM, "reports tell what is there by the address");

#define rt ((struct runtime *)RUNTIME_ADDRESS)

static inline struct thread *self(void)
{
	return &rt->threads[rt->current];
}

/* A thread's stack and TLS block end with it; what is left there is a matter of what the runtime did last. */
static inline bool is_dead_stack(uint64_t address)
{
	uint64_t all = address - STACK_ADDRESS;

	if (__builtin_expect(all >= MAX_THREADS * STACK_SIZE, 1))
		return false;
	const struct thread *thread = &rt->threads[all / STACK_SIZE];
	return thread->stack_ended || thread->state == THREAD_EXITED || thread->state == THREAD_FREE;
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
/* The first half of point(): when it returns the thread may perform the operation, at its next point(). */
void wait_to_be_chosen(const struct op *op);
/* Like point(), with a time limit if `timed` is not TIMED_NO; the kind tells whether it was reached. */
struct event *timed_point(const struct op *op, enum timed timed);
/* Record an EV_LOCAL operation: no other thread runs. */
void local_event(const struct op *op);
/* The size of the synchronisation object in memory that the operation is about; 0: there is none. */
uint32_t sync_object_size(const struct op *op);
/* Whether blocked threads can go on may have changed, for operations on this object. */
void refresh(uint64_t object);
void refresh_thread(unsigned thread);
void refresh_all(void);
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
/* The runtime's state as it is when an execution begins. */
void begin_execution(void);
/* Run it from where that state says; returns when it has ended. */
void continue_execution(void);
/* What the trace says besides its events, as it is when an execution begins. */
void clear_trace(void);

/* --- start.c --- */

/* Until the explorer asks for one more execution, or ends us. */
void wait_for_request(void);
/* What others see of an execution up to where it is now, which others have not seen yet. */
void begin_trace(void);

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
	if (__builtin_expect(rt->ahead, 0))
		ahead_end();
}

/* --- checkpoint.c --- */

/* Where the plan wants the next one, after the given number of events. */
void checkpoint_look_ahead(uint32_t nevents);
/* The running thread is where one is to be made; returns when it goes on. */
void checkpoint_reach(void);
/* Make it, in the executor's loop. */
void checkpoint_take(void);
/* An execution has ended: put memory back to where the next one probably goes on. */
void checkpoint_rewind(void);
/*
 * Another one is to be run: put everything back to where it can go on.  False when that is
 * the start: then it is memory alone that is put back.
 */
bool checkpoint_resume(void);
/* The parts of that: the state of the runtime as it was at the last checkpoint, false when there is none; */
bool checkpoint_put_back_state(void);
/* … and what others see.  Where memory was put back to must not have changed. */
bool checkpoint_put_back_shared(void);
/* How many events there were at the last checkpoint. */
uint32_t checkpoint_nevents(void);

/* An operation of the running thread with the site it was called from. */
static inline struct op make_op(enum event_kind kind, const volatile void *object)
{
	return (struct op){.kind = kind, .site = rt->current_site, .object = (uint64_t)object};
}

/* --- exit.c --- */

/* Has no thread called exit yet? */
/* Run the handlers that are left, in the thread that has called exit. */
void run_exit_handlers(void);

/* --- process.c --- */

/* The running thread meets its end, and that of the process: EV_ANOMALY operations. */
void anomaly(enum event_kind kind, const char *message) __attribute__((noreturn));
/* The same about memory: where it is, and the heap block that it is about (or NULL). */
void anomaly_at(enum event_kind kind, const char *message, uint64_t address, const struct block_info *block)
	__attribute__((noreturn));
void install_fault_handlers(void);
/* From a signal handler: the interrupted thread ends the process, or ends with EV_REFUSED. */
void exit_in_handler(void *context, int status);
void crash_in_handler(void *context, int signal);
void refuse_in_handler(void *context, const char *first, const char *second);
/* need_plan() there; false when the interrupted thread is not to go on. */
bool need_plan_in_handler(void *context);

/* --- access.c: memory that one thread only has accessed --- */

/* The memory is accessed by a visible operation, and so counts as shared. */
void share_memory(uint64_t address, uint64_t size);
/* The running thread accesses it in another way: it is shared if others have. */
void touch_memory(uint64_t address, uint64_t size);
/* A synchronisation object is used, while there are several threads: is it also accessed as memory? */
bool object_is_accessed(uint64_t object);
/* Is it the running thread's own, as far as is known?  It accesses it, and so it is not any other's. */
bool memory_is_own(uint64_t address, uint64_t size);
/* Memory is taken away, as a visible operation if there is anybody to see it. */
void announce_range(enum event_kind kind, uint64_t address, uint64_t size);
/* Something that was thought private or unused is not: the search will start again. */
void announce_news(void);
/* The running thread has changed, or what it shares. */
static inline void update_owner(void)
{
	rt->stack_is_shared = rt->channel->stack_range[rt->current].end != 0;
	rt->owner = self()->shares_reads ? OWNER_SHARED - 1 : rt->current + 1;
}

/* --- libc/announce.c: what functions read and write through their parameters --- */

/* Announce the read, then copy to memory of the function's own; the write, then copy from there. */
void read_in(void *to, const void *from, size_t size);
void write_out(void *to, const void *from, size_t size);
/* A string, of which no more than size - 1 bytes are copied. */
void read_in_string(char *to, const char *from, size_t size);

/* --- objects.c: synchronisation objects as memory --- */

/* The operation is about to be announced. */
void object_use(struct op *op);
/* The write that was recorded last is about to happen. */
void objects_written(struct event *write);

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

/* --- culprits.c --- */
void note_culprit(enum culprit culprit, uint32_t site);
/* Note what the system call with these arguments is suspicious of. */
void note_call(long number, const long a[6]);

/* All that the running thread knows where it is not in instrumented code (wire/hooks.h). */
static inline void set_local_state(uint64_t a, uint64_t b, uint64_t outside)
{
	rt->live_values[0] = a;
	rt->live_values[1] = b;
	rt->outside = outside;
}

/* --- thread.c --- */
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

/*
 * A handler of the runtime's own, run like those of pthread_cleanup_push when the thread
 * ends inside; the struct lives in the frame of the caller.
 */
struct cleanup {
	struct cleanup *next;
	void (*routine)(void *); /* NULL: jump to the program's own buffer instead */
	void *argument;
};
void cleanup_push(struct cleanup *cleanup, void (*routine)(void *), void *argument);
void cleanup_pop(struct cleanup *cleanup);

/* --- keys.c, robust mutexes: what happens at the end of a thread --- */
void keys_run_destructors(void);
void mutexes_abandon(void);

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

/* --- timeout.c --- */

/* How a wait until the given time may end; the first operation after must be the wait. */
enum timed timeout_mode(clockid_t clock, const struct timespec *until);
/* The wait ended at its time limit. */
void timeout_happened(clockid_t clock, const struct timespec *until);
/* May a wait end spuriously here? */
bool spurious_allowed(void);
bool time_is_valid(const struct timespec *time);

/* --- time.c: the running thread's virtual clock --- */
/* Much time passes; more if it is not the first time.  False if it was long enough. */
bool clock_jump(uint32_t times);
bool clock_is_past(clockid_t clock, const struct timespec *time);
void clock_advance(clockid_t clock, const struct timespec *time);

/* --- the primitives: what others need to know of them --- */
uint64_t cond_waiters(uint64_t cond);
bool mutex_is_free(uint64_t mutex);
/* The mutex is free and it is the running thread's turn: the result of locking it. */
int mutex_take_over(uint64_t mutex);
/* It gives up one that it holds; one whose owner had died, and that is not consistent again, for ever. */
void mutex_give_back(uint64_t mutex);
bool mutex_is_mine(uint64_t mutex);
bool mutex_is_lost(uint64_t mutex);
bool mutex_is_robust(uint64_t mutex);
uint32_t sem_value(uint64_t semaphore);

/*
 * What a variable that went out of scope, or a block that was freed, leaves in memory says
 * nothing about the object that is there now.
 */
static inline bool is_in_reused_memory(const volatile void *object)
{
	return (uint64_t)object - STACK_ADDRESS < MAX_THREADS * STACK_SIZE ||
	       (uint64_t)object - HEAP_ADDRESS < MAX_THREADS * HEAP_SIZE;
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

/*
 * Can it be read, of a size that spans two pages at most?  To be asked where the runtime reads, for itself or for another thread,
 * what was announced before; where the running thread's own operation reads, a fault is what is wanted (mappings.c).
 */
bool memory_is_there(uint64_t address, uint64_t size);

/* A bad pointer faults here, where the fault counts as the caller's. */
static inline void touch(const volatile void *object)
{
	rt->touching = true;
	(void)*(const volatile uint8_t *)object;
	rt->touching = false;
}

/* --- heap.c, leaks.c --- */
void heap_prepare(void); /* once, before the first execution */
/* A synchronisation object in heap memory is about to be used by the event: it must not have been freed. */
void heap_check_object(struct event *event, uint64_t size);
/* The stream is about to be used: its memory ends when it is closed. */
void heap_check_stream(const void *stream);
/* The process ends: list the blocks in the trace that no pointer leads to any more. */
void leaks_find(void);
/* A function has returned for good: what it left on the stack must not keep blocks alive. */
void leaks_forget_frames(void);

/* --- libc: large copies that exist while others run --- */

#define TEMPORARY_ON_STACK (256 * 1024)

struct temporary {
	void *data;
	struct region *mapped; /* NULL: on the stack */
};

struct temporary temporary_map(size_t size); /* data is NULL when it is to be on the stack */
void temporary_release(struct temporary *temporary);

/* --- libc: what an execution left behind --- */
void stream_locks_reset(void);
void temporaries_reset(void);

/* --- cxx.c --- */
/* The running thread's thread_local objects are destroyed: it or the process ends. */
void run_thread_destructors(void);
/* Before the first execution, after the donors: the C++ library must know that there are threads. */
void prepare_cxx(void);

/* --- containers.c --- */
void prepare_containers(void);

/* --- exceptions.c --- */
void prepare_exceptions(void);

/* --- state.c: all of it only with channel->stateful --- */

static inline bool is_stateful(void)
{
	return __builtin_expect(rt->stateful, 0) && !rt->trial.active;
}

/* At the beginning of an execution. */
void state_begin(void);
/* The range is about to be written, by the running thread and before it comes here again. */
void state_open_range(uint64_t address, uint64_t size);
static inline void state_will_change(const void *object, uint64_t size)
{
	if (is_stateful())
		state_open_range((uint64_t)object, size);
}
/* One more, at the same time. */
void state_open_more(uint64_t address, uint64_t size);
/* What was to be written is written. */
void state_close(void);
/* What was written so far counts, while it can be looked at. */
static inline void state_settle(void)
{
	if (is_stateful())
		state_close();
}
/* Something inside the C library or the runtime changes, and the thread learns what it was. */
void state_hidden(uint64_t what);
/* The running thread changes what is kept of another one (state_of_thread() says what counts). */
void state_of_another_changes(unsigned thread);
/* Something changes that the runtime keeps for the running thread alone. */
void state_private(uint64_t what);
/* A block of the heap begins or ends. */
void state_block(uint64_t block, uint64_t what);
/* What a thread knows, such that it is not the same at any other time, nor after another step or state. */
void state_of_its_own(uint64_t words[2]);
/* Something happens that nothing is known about. */
void state_unknown(void);
/* The running thread is about to perform the operation: what does it see? */
void state_observe(const struct event *event);
/* The running thread has seen this, and will remember it in its next operations of the same call. */
void state_saw(const void *text, uint64_t size);
/* The program's state, into the trace; or that there is none to be known. */
void state_capture(void);
void state_skip(uint32_t event);
/* Was the state that was captured last there before in this execution? */
bool state_comes_again(void);
/* What the search knows about it; NULL: nothing. */
const struct state_slot *state_known(void);

/* --- state_exact.c: only with channel->exact_states --- */

void exact_begin(void);
void exact_open(uint64_t address, uint64_t size);
void exact_close(uint64_t address, uint64_t size);
/* Variables of a function that returns: whoever comes next may use the memory. */
void exact_forget(uint64_t address, uint64_t size);
/* Of the state that is written out: one word, all memory. */
void exact_put(uint64_t word);
void exact_put_memory(void);

/* --- donors.c, snapshot.c, syscalls.c, start.c --- */
/* So many in all, main's included. */
void donors_make(unsigned count);
/* How many there should be for all threads that have a name. */
unsigned donors_wanted(void);
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
void syscalls_install(void);

/* --- text.c: formatting without libc --- */
void text_copy(char *to, size_t size, const char *from);
void text_append(char *to, size_t size, const char *from);
void text_append_number(char *to, size_t size, uint64_t number);
void text_write(const char *text); /* to stderr */

/* Set the running thread's message from parts, NULL-terminated. */
void message_set(char message[MAX_MESSAGE], const char *first, ...) __attribute__((sentinel));

#pragma GCC visibility pop

#endif
