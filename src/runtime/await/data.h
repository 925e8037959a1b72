/*
 * What await/ keeps in the runtime's own memory: the loops that threads are in and what they have looked at there
 * (rounds.c), the values of the locations that they await (await.c), and the round that is being tried (trial.c).
 */
#ifndef INSPECT_RUNTIME_AWAIT_DATA_H
#define INSPECT_RUNTIME_AWAIT_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arch/arch.h"
#include "wire/channel.h"

enum { MAX_LOOPS = 16, MAX_READS = 4096, MAX_SECTIONS = 8 };

/* Of the execution. */
struct awaits {
	uint64_t spinning; /* LIVE threads in EV_SPIN: they do not go on in this execution */
	uint64_t resuming; /* … in EV_RESUME */
	uint64_t waiting; /* LIVE threads that await */
	int32_t asker; /* the thread that has made another one try its round, or -1 */
	uint32_t last_write[MAX_AWAIT_LOCATIONS]; /* as await.write */
};

/* Of a thread: what it is at as far as an await is concerned. */
struct thread_await {
	bool waits; /* it is at the head of a loop, before the operation that is pending */
	bool ready; /* … and a round would come to something */
	bool trying; /* its round, with values that the location had before */
	bool chosen; /* its pending operation has been chosen to be performed */
	uint32_t skip; /* reads that are part of its pending operation */
	uint64_t now; /* while it tries: the location's own value */
};

/* Of a thread: counts, of struct round_lists as well. */
struct rounds {
	uint32_t nloops, nreads, nsections; /* of reads, the last MAX_READS are there */
	uint32_t spin_from; /* the first read of the round that it spins in */
	uint64_t moment; /* counts heads of loops and sections */
	uint64_t clock_reads; /* how often it has asked for the time */
	uint64_t changes; /* how often it was found to have changed something */
	bool shares_reads; /* for a round of its loop: it may wait for what it thinks its own */
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

/* Of a thread, and not cleared when it begins. */
struct round_lists {
	struct section sections[MAX_SECTIONS]; /* that are open, the oldest first */
	struct loop loops[MAX_LOOPS]; /* that it is in, the outermost first */
	struct read_done reads[MAX_READS]; /* in them, the last ones: number n is at n % MAX_READS */
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

#endif
