/*
 * A plan goes in, a trace comes out: the two records that everything else is
 * made of, as they lie in the memory that explorer and program share.  Both are
 * plain data without pointers.
 */
#ifndef INSPECT_WIRE_PLAN_H
#define INSPECT_WIRE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/culprits.h"
#include "wire/events.h"
#include "wire/states.h"

#define MAX_THREADS 64
#define MAX_EVENTS 1000000u
#define MAX_MESSAGE 512
#define MAX_FRAMES 48 /* of a call stack */
#define MAX_AWAITS (MAX_EVENTS + MAX_THREADS) /* in one execution: each is the beginning of an operation */
#define MAX_AWAIT_VALUES 32
#define MAX_RESUME_POINTS 12

/* One step of a plan: which thread moves, and which outcome if there are several. */
struct step {
	uint8_t thread;
	uint8_t reserved;
	uint16_t choice;
};

enum plan_flag {
	PLAN_VALUES = 1, /* record the values read and written (slower; for reports) */
	PLAN_STOP = 2, /* end the execution after the last step instead of going on */
	PLAN_WHOLE = 4, /* run it from the start, not from a resume point; so is what has PLAN_VALUES */
};

/*
 * A plan as the executor gets it; src/execute/plan.h has the plan that a search makes.
 *
 * The first `nsteps` steps of the execution are given.  The last execution took the same first `common` steps, which are
 * fewer than nsteps: the trace, which shares memory with the plan, still holds its events, and the executor compares
 * as it goes.
 *
 * `sleep` is the sleep set of the state in which the last step is taken (of the
 * initial state when nsteps is 0).  Then the threads in the `nguided` steps that
 * follow move in turn; these steps are of visible operations only, not one for each
 * event, and none is of an atomic block after its beginning; but with channel.stateful there is one for each
 * decision (event_is_decision()).  At the first that is impossible the rest is forgotten.  After that the
 * executor goes on by itself: the running thread while it is enabled and not asleep,
 * else the enabled thread with the lowest number that does not sleep.  A thread that has taken
 * very many steps one after the other lets the next one have a turn.
 *
 * The executor makes a resume point (src/runtime/process/resume.c) before each of the steps in
 * `resume_points`, which are less than nsteps; of those that it has, it may use one that comes
 * after at most `common` steps.
 *
 * The next plan will probably begin with the first `sure` steps of this one, which is less than nsteps: the executor
 * may run them while it waits for it (src/runtime/process/ahead.c).
 */
struct channel_plan {
	uint32_t nsteps;
	uint32_t nguided; /* how many steps come after them */
	uint32_t flags; /* enum plan_flag */
	uint32_t common;
	uint64_t sleep;
	uint32_t sure;
	uint32_t nresume_points;
	uint32_t resume_points[MAX_RESUME_POINTS]; /* ascending */
	uint32_t watch[2]; /* with PLAN_VALUES: the steps whose call stacks are wanted, + 1; 0: none */
	struct step steps[MAX_EVENTS + MAX_THREADS];
};

/*
 * One operation that was performed.  It is written before the operation takes
 * effect, so that a crash cannot lose it.
 */
struct event {
	struct op op;
	uint8_t thread;
	uint8_t forced : 1; /* no other thread could have been chosen here (EV_LOCAL, or inside an atomic block) */
	uint8_t opens : 1; /* a write over a semaphore whose value was 0: who waits for that could not have come before */
	uint16_t choice;
	union {
		/* TIMEOUT: the kind of the operation that it ended; of synchronisation objects: EV_FREE, it had been freed,
		 * or INSTEAD_UNINITIALISED, nobody had initialised it */
		uint32_t instead;
		uint32_t await; /* memory: the number of the await that it ended in trace.awaits, + 1; 0: none */
	};
	uint64_t enabled; /* threads that were enabled in the state before it */
	union {
		uint64_t sleep; /* sleep set of the state before it */
		uint64_t
			late; /* with channel.stateful: threads in EV_SPIN for which something has changed since (rounds.c) */
	};
	/*
	 * Memory: the value before (of up to 8 bytes), only with PLAN_VALUES.
	 * COND_SIGNAL, COND_BROADCAST and BARRIER_LAST: the set of threads woken, always.
	 * SEM: the semaphore's value before, always.
	 * BARRIER_ARRIVE, THREAD_LEAVE: how many are missing, itself among them.
	 * PROCESS_EXIT: the exit status.  CRASH: the address of the code.
	 */
	uint64_t value;
};

/* Was anything decided there: who moves, or, also where nobody else can, with which outcome? */
static inline bool event_is_decision(const struct event *event)
{
	return !event->forced || event->op.choices > 1;
}

/* Is it the first use of a synchronisation object that is all zero, which nobody has initialised? */
#define INSTEAD_UNINITIALISED EV_COUNT
static inline bool event_is_uninitialised(const struct event *event)
{
	return event->instead == INSTEAD_UNINITIALISED && event_table[event->op.kind].object_class != OBJECT_MEMORY;
}

/* Is it an operation of a synchronisation object that was gone by then?  Then it did not wait for anything. */
static inline bool event_is_too_late(const struct event *event)
{
	return event->instead == EV_FREE && event_table[event->op.kind].object_class != OBJECT_MEMORY;
}

/* What a thread that had not ended was about to do when the execution ended. */
struct pending {
	struct op op;
	uint8_t thread;
	uint8_t enabled;
	uint8_t waiting; /* COND_WAKE that no signal has reached yet */
	uint8_t timed; /* it has a time limit */
	uint8_t instead; /* SPIN that is an await, TIMEOUT: the kind of the operation that the thread waits in */
	uint32_t await; /* as in struct event */
};

/*
 * Busy waiting (src/runtime/await/await.c).  The first operation of a round of a loop is enabled
 * only if the round would come to something.  That depends on the value of one location, and
 * for the values that the location had in this execution it is known.
 */
struct await {
	uint64_t values[MAX_AWAIT_VALUES];
	uint32_t fails; /* a set: with which of them the round is for nothing */
	uint32_t writes; /* … with which of them it begins with a write of the location */
	uint32_t nvalues;
	uint32_t write; /* the last write of the location before the round, index into await_writes, + 1; 0: none */
};

/* A write of a location that somebody awaits. */
struct await_write {
	uint64_t value; /* before it */
	uint32_t event;
	uint32_t previous; /* as await.write */
};

enum ending {
	ENDING_NONE, /* still running */
	ENDING_EXIT, /* the process ended; `exit_status` */
	ENDING_DEADLOCK, /* threads are left and none of them is enabled */
	ENDING_ASLEEP, /* all enabled threads sleep: this execution is redundant */
	ENDING_STOPPED, /* PLAN_STOP and all steps taken */
	ENDING_ANOMALY, /* the last event is an EV_ANOMALY; `message` */
	ENDING_DIVERGED, /* step `divergence` was not what the plan or the earlier trace says */
	ENDING_STEPS, /* longer than the limit on steps */
	ENDING_THREADS, /* more than MAX_THREADS threads */
	ENDING_HANG, /* killed by the watchdog; `hang_pc`, `running` */
	ENDING_INPUT, /* blocked reading from a terminal */
	ENDING_KILLED, /* the executor died in a way it could not report; `signal` */
	ENDING_FAILED, /* the runtime itself cannot go on; `message` */
	ENDING_LIVELOCK, /* as a deadlock, but some of the threads spin */
	ENDING_SPUN, /* a thread went round a loop for nothing: another execution does without */
	ENDING_ASSUMED, /* an assumption does not hold, and nobody else can go on */
	ENDING_CYCLE, /* the last state is one that this execution was in before */
	ENDING_KNOWN, /* the last state is one from which nothing is left to explore */
	ENDING_AGAIN, /* the process was not prepared for so many threads: now it is, and the plan is to be run once more */
};

/* Was the execution cut short, so that nobody knows how it would have ended? */
static inline bool ending_is_cut(uint32_t ending)
{
	return ending == ENDING_STEPS || ending == ENDING_HANG;
}

/* A block of the heap: who allocated and who freed it, and where. */
struct block_info {
	uint64_t address; /* 0: there is none */
	uint32_t size;
	uint32_t alloc_site, free_site;
	uint8_t alloc_thread, free_thread;
	uint8_t freed; /* or still in use */
};

/* Blocks from one site that were never freed and that no pointer leads to. */
struct leak {
	uint32_t site, thread; /* of the first one */
	uint64_t blocks, bytes;
};

#define MAX_LEAKS 64

/*
 * One whole execution.  `nevents` and the events below it are valid at any time,
 * also after the death of the executor.
 */
struct trace {
#define FIELD(type, name, dimension) type name dimension;
#include "wire/execution.def"
#undef FIELD
	uint32_t nawaits, nawait_writes;
	struct await awaits[MAX_AWAITS];
	struct await_write await_writes[MAX_EVENTS + MAX_THREADS];
	struct pending pending[MAX_THREADS];
	struct event events[MAX_EVENTS + MAX_THREADS] __attribute__((aligned(64))); /* one cache line each */
	uint64_t after[MAX_EVENTS + MAX_THREADS]; /* values after each memory event, with PLAN_VALUES */
	/*
	 * With channel.stateful: the state in which each event was chosen; not known for those about which
	 * there was nothing to decide.  states[nevents] is the one that the execution ended in.
	 */
	struct state states[MAX_EVENTS + MAX_THREADS + 1];
};

/* Sets of threads are numbers of 64 bits. */
static inline uint64_t thread_bit(unsigned thread)
{
	return 1ull << thread;
}

#endif
