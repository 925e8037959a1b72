/*
 * The runtime: linked into the program under test, it takes the place of the
 * threads library, the allocator and the end of the process.
 *
 * All program threads are fibers on one kernel thread (core/schedule.h).
 *
 * The state of the runtime lives in one mapping at RUNTIME_ADDRESS, which is
 * never rolled back; nothing of it may be in .data or .bss, which are (the one
 * exception is `runtime_is_mapped`, written once before the snapshot).  It consists of
 * what each folder keeps, which the folder's data.h defines: first what belongs to the
 * execution, then what belongs to the process.  During an execution the runtime makes no
 * call into libc but those named in process/process.c: system calls go through arch_syscall().
 *
 * This header is what all folders build upon.  What one of them does for the others is in the
 * header that has its name: sync/sync.h, memory/memory.h …, which a file includes if it needs it.
 */
#ifndef INSPECT_RUNTIME_CORE_RUNTIME_H
#define INSPECT_RUNTIME_CORE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/arch/arch.h"
#include "runtime/await/data.h"
#include "runtime/core/thread.h"
#include "runtime/cxx/data.h"
#include "runtime/libc/data.h"
#include "runtime/memory/data.h"
#include "runtime/process/data.h"
#include "runtime/state/data.h"
#include "runtime/sync/data.h"
#include "wire/channel.h"
#include "wire/hooks.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

enum phase {
	PHASE_START, /* before main: constructors, set-up; no scheduling */
	PHASE_RUN, /* program code under the scheduler */
	PHASE_EXIT, /* the process ends: handlers and flushing, the other threads are frozen */
	PHASE_IDLE, /* between executions */
};

/* Of the execution: who can move, and how the next one is chosen (schedule.c).  Sets of threads have a bit for each. */
struct schedule {
	uint64_t live; /* threads STARTING or LIVE */
	uint64_t enabled; /* LIVE threads whose pending operation can run */
	uint64_t blocking; /* LIVE threads whose pending operation is EV_BLOCKING */
	uint64_t sleep;
	uint64_t late; /* LIVE threads whose pending operation can end when nobody can go on */
	bool quiet; /* nobody can go on: those of `late` can */
	bool reconsider_due; /* what was written last may let others go on */
	uint16_t guided_choice; /* the outcome for the next one */
	uint32_t guided; /* steps of the plan taken after those that are certain */
	int32_t atomic_owner; /* the thread inside an atomic block, or -1 */
	uint32_t turn_began; /* the running thread has taken all steps since then */
	uint32_t last_access; /* event whose value after is still to be recorded, + 1 */
	uint64_t switches; /* how often another thread went on */
};

struct runtime {
	uint32_t current_site; /* written by instrumented code: must be first */
	uint32_t changed; /* so is this one, DIRTY: must be second (wire/hooks.h) */
	uint64_t live_values[2]; /* and LIVE, the running thread's local state: third, */
	uint64_t outside; /* and OUTSIDE: fourth */
	uint32_t phase; /* enum phase */
	uint32_t current; /* running thread */
	uint32_t nthreads; /* created so far in this execution, main included */
	uint32_t nevents; /* recorded so far */
	struct memory memory;
	struct schedule schedule;
	struct awaits await;
	struct system system;
	struct signals signals;
	struct exits exit;
	struct sync sync;
	struct libc libc;
	struct states states;
	struct thread threads[MAX_THREADS];

	/* what is above belongs to the execution, and resume points keep it; where there is some of this, they are not made: */
	struct trial trial;
	struct temporaries temporaries;
	struct stream_locks stream_locks;

	/* of the process */
	struct channel *channel;
	bool standalone; /* no explorer: one execution, output and exit as usual */
	struct arch arch;
	struct course course;
	struct executor executor;
	struct resume_points resume_points;
	struct descriptors descriptors;
	struct objects objects;
	struct donors donors;
	struct beginning beginning;
	struct library library;
	struct cxx cxx;
	struct leaks leaks;

	/* here nothing leads to a block of the program: leaks.c does not look at it */
	uint8_t signal_stack[64 * 1024] __attribute__((aligned(64)));
	struct snapshot snapshot;
	struct exact exact;
	struct seen seen;
};

_Static_assert(RUNTIME_ADDRESS + offsetof(struct runtime, live_values) == LIVE_ADDRESS, "see wire/hooks.h");
_Static_assert(RUNTIME_ADDRESS + offsetof(struct runtime, outside) == OUTSIDE_ADDRESS, "see wire/hooks.h");
_Static_assert(sizeof(struct runtime) <= RUNTIME_ROOM, "reports tell what is there by the address");

#define rt ((struct runtime *)RUNTIME_ADDRESS)

/* Map the runtime's memory and the heap; called by whoever comes first. */
void runtime_map(void);
extern uint32_t runtime_is_mapped;

static inline struct thread *self(void)
{
	return &rt->threads[rt->current];
}

static inline uint64_t bit(unsigned thread)
{
	return 1ull << thread;
}

/* What the explorer wants, and what it is told: both change hands with a request. */
static inline struct channel_plan *the_plan(void)
{
	return &rt->channel->plan;
}

static inline struct trace *the_trace(void)
{
	return &rt->channel->trace;
}

/* An operation of the running thread with the site it was called from. */
static inline struct op make_op(enum event_kind kind, const volatile void *object)
{
	return (struct op){.kind = kind, .site = rt->current_site, .object = (uint64_t)object};
}

/* All that the running thread knows where it is not in instrumented code (wire/hooks.h). */
static inline void set_local_state(uint64_t a, uint64_t b, uint64_t outside)
{
	rt->live_values[0] = a;
	rt->live_values[1] = b;
	rt->outside = outside;
}

static inline bool is_on_stacks(uint64_t address)
{
	return address - STACK_ADDRESS < MAX_THREADS * STACK_SIZE;
}

/* A thread's stack and TLS block end with it; what is left there is a matter of what the runtime did last. */
static inline bool is_dead_stack(uint64_t address)
{
	if (__builtin_expect(!is_on_stacks(address), 1))
		return false;
	const struct thread *thread = &rt->threads[(address - STACK_ADDRESS) / STACK_SIZE];
	return thread->stack_ended || thread->state == THREAD_EXITED || thread->state == THREAD_FREE;
}

#pragma GCC visibility pop

#endif
