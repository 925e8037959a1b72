/*
 * The channel: the shared memory between the explorer and the program under
 * test, and the protocol on it.
 *
 *   explorer ──plan──▶ executor ──trace──▶ explorer
 *
 * The explorer creates the memory as a memfd, starts the program with the
 * number of the file in CHANNEL_VARIABLE, and the program becomes the zygote: it
 * stops just before `main` and forks an executor, again whenever one dies.
 *
 * To run: the explorer fills in plan, increments `request` and waits until
 * `response` equals it.  Whoever ends the execution increments `response`: the
 * executor, or the zygote when the executor died.  Sleepers wait on the futex of
 * the counter and say so in the flag beside it, so that a spinning peer needs no
 * system call.
 *
 * Version: a program built with another layout of the channel is refused.  Most
 * changes show in CHANNEL_LAYOUT by themselves; CHANNEL_VERSION goes up with a
 * change of meaning that does not.
 */
#ifndef INSPECT_WIRE_CHANNEL_H
#define INSPECT_WIRE_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include "storage/memory.h"
#include "wire/guest.h"
#include "wire/journal.h"
#include "wire/plan.h"

#define CHANNEL_MAGIC 0x49535043u /* "ISPC" */
#define CHANNEL_VERSION 3
#define CHANNEL_VARIABLE "INSPECT_CHANNEL"

/*
 * Fixed places in the address space of the program under test (see also wire/hooks.h).  Where the explorer
 * has a guest (wire/guest.h), the channel is there in the explorer as well, and the explorer's code (Makefile) and the memory
 * of the search (storage/memory.h) are in the program.
 */
#define CHANNEL_ADDRESS 0x110000000000ull
#define HEAP_ADDRESS 0x200000000000ull
#define HEAP_SIZE (1ull << 30) /* per thread */
#define SHADOW_ADDRESS 0x280000000000ull /* of the heap: one byte for eight */
#define STACK_ADDRESS 0x300000000000ull
#define STACK_SIZE (8ull << 20) /* per thread */
#define SNAPSHOT_ADDRESS 0x400000000000ull
#define SNAPSHOT_SIZE (64ull << 30)
#define GUEST_ADDRESS                                                                                                  \
	0x140000000000ull /* the explorer's code (Makefile: FIXED_ADDRESS), then the memory of the search */
#define GUEST_SIZE (MEMORY_ADDRESS + MEMORY_SIZE - GUEST_ADDRESS)
#define ARGUMENTS_ADDRESS 0x500000000000ull
#define ENVIRONMENT_ADDRESS 0x500100000000ull

/*
 * Addresses that no processor translates stand for objects inside the C library: a stream
 * or directory at p has STREAM_ADDRESS + p, the hidden state number i of wire/hidden.def
 * has HIDDEN_ADDRESS + i * HIDDEN_SIZE.  Accesses to them, HIDDEN_SIZE bytes long, are events
 * like any other; nobody touches them or looks at values there.
 */
#define STREAM_ADDRESS 0x800000000000ull
#define HIDDEN_ADDRESS 0x1000000000000ull
#define HIDDEN_SIZE 128 /* less than a FILE has, more than a value */

/* What the kernel keeps (wire/system.h); so that its owners are not those of any memory that is much used. */
#define SYSTEM_ADDRESS (HIDDEN_ADDRESS + (29ull << 30) - 4096)

/* Where the program maps memory: each thread has room of its own, so that addresses do not depend on the others. */
#define MAPPINGS_ADDRESS 0x600000000000ull
#define MAPPINGS_SIZE (256ull << 30) /* per thread */

/* Stacks are private until somebody else touches them, in pieces of this size. */
#define STACK_PIECE 64
#define STACK_PIECES (STACK_SIZE / STACK_PIECE)

/*
 * So is other memory, in granules, each with a byte that says who has accessed it: nobody, one
 * thread (its number + 1), or several, and then it is shared for ever.  Operations on a synchronisation object
 * are nobody's: its first granule becomes shared only when something else accesses it as well.  Granules whose addresses
 * are this far apart have one byte together, which can only make more of them shared.
 */
#define GRANULE 8
#define GRANULES (1ull << 32)
enum owner { OWNER_NONE, OWNER_OBJECTS = 253, OWNER_SHARED = 255 };

/* The explorer sends it to an executor that seems to hang; nobody else uses it on Linux. */
#define WATCHDOG_SIGNAL SIGSTKFLT

/* When a wait with a time limit may end without what it waits for: any time, never, when nobody can go on. */
enum timeouts { TIMEOUTS_EXPLORE, TIMEOUTS_NEVER, TIMEOUTS_LAST_RESORT };

/* What the program may meet in any execution; a schedule is only valid for the modes it was found with. */
struct modes {
	uint32_t timeouts; /* enum timeouts */
	uint32_t spurious_wakeups;
	uint32_t idle_rounds; /* of a loop, one after the other, that are no reason to stop (runtime/await/rounds.c) */
	int64_t nondet_low, nondet_high; /* range of __VERIFIER_nondet_int …; empty: they are refused */
};

/*
 * What few programs do and would cost all the others visible operations.  Seen for the
 * first time, it is noted here for all further executions, and the search starts again.
 */
enum feature {
	FEATURE_TRYJOIN = 1, /* somebody asks whether a thread has ended: THREAD_END is visible */
	FEATURE_CANCEL = 2, /* somebody cancels: cancellation points are visible */
	FEATURE_BLOCK_WAITS =
		4, /* a thread has to wait inside its atomic block, or might have to: nothing is left out then */
	FEATURE_MAIN_ENDS = 8, /* main ends before the process, which the last thread ends: THREAD_LEAVE is visible */
	FEATURE_REOPENS =
		64, /* standard input, output or error is closed or opened anew: who writes there looks which file it is */
	FEATURE_LINKS = 32, /* a file gets another name, or has several: then all files are one object */
	FEATURE_LIMITS = 512, /* resource limits are set: what may fail because of them looks at them */
	FEATURE_CLOCK = 1024, /* somebody looks at a clock: who sleeps finds it later */
	FEATURE_EXITS = 16, /* several threads register exit handlers or exit: EXIT_BEGIN … are visible */
	/*
	 * Only both together matter: an atomic operation that orders less than others would; an update that releases and
	 * leaves the value as it is.  Who reads before or after such an update then makes a difference.
	 */
	FEATURE_WEAK = 128,
	FEATURE_SAME_RELEASED = 256,
};

/*
 * Where the time goes, in ticks of the processor's clock, when `profile` is set.  The reset after
 * an execution is done while the explorer analyses: `late` is the part of it that a request had
 * to wait for.
 */
struct profile {
	uint64_t requested; /* when the explorer made its last request */
	uint64_t late;
	/* executions that went on from a resume point; that were begun before their plan was there, or in vain; always counted */
	uint64_t resumed, ahead, given_up;
	struct span {
		uint64_t sum, least; /* the least is hardly disturbed by other processes; 0: none yet */
	} run, reset, analysis, capture,
		answer; /* `capture` is part of `run`; `answer` is from a request to its answer */
};

static inline void span_add(struct span *span, uint64_t ticks)
{
	span->sum += ticks;
	if (!span->least || ticks < span->least)
		span->least = ticks;
}

/*
 * A loop in which a round was found to be for nothing, and a location that decided it.  Known
 * for all executions, like the features.
 */
#define MAX_AWAIT_SITES 65536
#define MAX_AWAIT_LOCATIONS 1024

enum await_flag {
	AWAIT_MIXED =
		1, /* it is written in parts, by plain writes, or has too many values: who spins on it does not await it */
	AWAIT_APART =
		2, /* a load of it and an update in the same round are two operations (src/runtime/await/trial.c) */
};

struct await_location {
	uint64_t address;
	uint32_t size;
	uint32_t flags; /* enum await_flag */
};

enum isolation { ISOLATION_SNAPSHOT, ISOLATION_FORK };

/* Who a thread is: the index-th child of its parent.  Number 0 is main. */
struct thread_name {
	uint8_t parent;
	uint8_t reserved;
	uint16_t index;
};

enum zygote_state {
	ZYGOTE_STARTING, /* running constructors, making donors */
	ZYGOTE_READY, /* stopped before main, forks executors */
	ZYGOTE_FAILED, /* could not start; trace.message says why */
};

/* What the program has for standard input. */
enum input {
	INPUT_FILE, /* can be read again in every execution */
	INPUT_NO_FILE, /* a terminal, or a pipe that somebody writes to */
	INPUT_NOT_OPENED, /* a file that it could not have for itself */
	INPUT_NONE, /* nothing of the user's */
};

struct channel {
	/* what both sides compare first; stays where it is for ever */
	uint32_t magic;
	uint32_t layout; /* CHANNEL_LAYOUT of the explorer */
	uint32_t program_layout; /* of the program */

	/* written by the explorer before the program starts */
	uint32_t isolation; /* enum isolation */
	uint32_t max_steps; /* at most MAX_EVENTS */
	uint32_t spin; /* how often to look at most before sleeping */
	uint32_t one_core; /* there is no other */
	uint32_t profiling; /* fill in `profile` */
	uint64_t seed; /* who moves where it is all the same is drawn with it; 0: by the rule in wire/plan.h */
	uint32_t no_awaits; /* no loop becomes an await */
	uint32_t stateful; /* compute the states of the program, and end where one comes again */
	uint32_t exact_states; /* write them out as well, and look for changes that nobody told of */
	uint32_t leaks; /* look for unreachable heap blocks at the end of each execution */
	int32_t stdout_fd, stderr_fd; /* captured output, memfds */
	struct modes modes;
	uint32_t files_refused; /* other executions run at the same time, and would see what this one does to files */
	uint32_t input; /* enum input: other than INPUT_FILE, the program may not read it */

	struct guest guest;

	/* written by the program */
	uint32_t zygote; /* enum zygote_state; a futex */
	int32_t executor_pid;

	uint32_t request __attribute__((aligned(64)));
	uint32_t executor_sleeps;
	uint32_t explorer_core; /* where it made its last request */
	uint32_t quit;
	uint32_t response __attribute__((aligned(64)));
	uint32_t explorer_sleeps;
	uint32_t executor_core; /* where it began its last execution */

	struct profile profile __attribute__((aligned(64)));

	/* thread numbers, given once and kept over all executions; names[0] is main */
	uint32_t nnames;
	struct thread_name names[MAX_THREADS];

	uint32_t news; /* something thought private or unused is not: set by the program, cleared by the explorer */
	uint32_t nsharings; /* how many executions have found memory to be shared */
	uint32_t nclaims; /* how often a thread was the first to access some memory */
	uint32_t all_shared; /* no memory but stacks is thought private */
	uint32_t features; /* enum feature; kept over all executions, as is: */
	uint32_t nawait_locations;
	struct await_location await_locations[MAX_AWAIT_LOCATIONS];
	uint8_t await_sites[MAX_AWAIT_SITES / 8];
	uint8_t stack_shared[MAX_THREADS][STACK_PIECES / 8]; /* set by share_piece() */
	struct {
		uint32_t first, end; /* all shared pieces are in between; 0, 0 when there are none */
	} stack_range[MAX_THREADS];

	struct channel_plan plan;
	struct trace trace;
	uint8_t owners[GRANULES]; /* by granule_of(); a sparse file */

	struct journal journal; /* written during an execution, undone between executions */

	/* with `stateful`: what the explorer has seen so far; it changes them between executions only */
	uint32_t state_slots; /* a power of two, or 0 */
	uint32_t end_at_known; /* an execution ends in a state from which nothing is left to explore */
	/*
	 * With `exact_states`: all that each state of the last execution consists of, in words, each with their
	 * number before them; where it begins, by event.  `silent` is memory, of the program or
	 * of the runtime, that changed and nobody told.
	 */
	uint64_t silent;
	uint64_t exact_used;
	uint64_t exact_at[MAX_EVENTS + MAX_THREADS + 1];
	uint64_t exact[MAX_EXACT_WORDS];
	struct state_slot states[MAX_STATE_SLOTS] __attribute__((aligned(4096))); /* to be cleared by the page */
};

enum {
	CHANNEL_LAYOUT = (CHANNEL_VERSION * 0x9e3779b1u ^ sizeof(struct channel) ^
			  offsetof(struct channel, trace) * 31 ^ offsetof(struct trace, events) * 7919 ^
			  offsetof(struct channel_plan, steps) * 131071 ^ EV_COUNT * 104729u) &
			 0x7fffffff
};

static inline uint32_t granule_of(uint64_t address)
{
	return (uint32_t)(address / GRANULE);
}

/* The piece of the thread's stack is touched by others.  False when that was known. */
static inline bool share_piece(struct channel *channel, uint32_t thread, uint32_t piece)
{
	uint8_t *byte = &channel->stack_shared[thread][piece / 8];
	uint32_t *first = &channel->stack_range[thread].first, *end = &channel->stack_range[thread].end;

	if (*byte >> piece % 8 & 1)
		return false;
	*byte |= (uint8_t)(1u << piece % 8);
	if (!*end || piece < *first)
		*first = piece;
	if (piece >= *end)
		*end = piece + 1;
	return true;
}

static inline uint64_t ticks_now(void)
{
	return __builtin_ia32_rdtsc();
}

/* The core we run on, as Linux tells it to the processor; by the time one looks it may be another. */
static inline uint32_t core_now(void)
{
	unsigned int number;

	__builtin_ia32_rdtscp(&number);
	return number & 0xfff;
}

/*
 * How long to spin for the peer before sleeping: up to the limit while that succeeds, less and less
 * while it does not, because then the peer has no core to run on.  Now and then the limit is tried
 * again: a spin that is too short for an execution would never succeed, and to sleep costs many
 * times as much.
 *
 * While both are on one core to spin is to yield, a few times, always.  It is as fast as to sleep and be woken, and
 * pairs that only wake each other keep the processes of other sessions from running, for many seconds, where
 * the kernel (seen with 6.18) shares out time by session.
 */
struct patience {
	uint32_t spin, waits;
};

/* One wait: how often to look, and whether the peer needs the core that we look from. */
struct waiting_turn {
	uint32_t looks, look;
	bool together;
};

static inline struct waiting_turn patience_begin(struct patience *patience, const struct channel *channel,
						 uint32_t peer_core)
{
	enum { BETWEEN_TRIALS = 32, YIELDS = 4 };
	bool together = channel->one_core || peer_core == core_now();
	uint32_t spin = ++patience->waits % BETWEEN_TRIALS ? patience->spin : channel->spin;

	return (struct waiting_turn){.looks = together ? YIELDS : spin, .together = together};
}

/*
 * Is it time to let others have the core?  After so many looks the peer may be waiting for one: this
 * one, or another that a process like us spins on.
 */
static inline bool patience_yields(const struct waiting_turn *turn)
{
	enum { ALONE = 1500, BETWEEN_YIELDS = 128 };

	return turn->together || (turn->look > ALONE && turn->look % BETWEEN_YIELDS == 0);
}

static inline void patience_learn(struct patience *patience, const struct channel *channel,
				  const struct waiting_turn *turn, bool success)
{
	enum { FEW = 512 };
	uint32_t least = channel->spin > FEW ? channel->spin / FEW : channel->spin;

	if (turn->together)
		return;
	if (success)
		patience->spin = channel->spin;
	else
		patience->spin = patience->spin / 2 > least ? patience->spin / 2 : least;
}

#endif
