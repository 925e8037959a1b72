/*
 * What process/ keeps in the runtime's own memory: what an execution has done to the kernel's state and to the process,
 * the plan that it follows, and all that is needed to put it back to its start or to a resume point.
 */
#ifndef INSPECT_RUNTIME_PROCESS_DATA_H
#define INSPECT_RUNTIME_PROCESS_DATA_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/memory/data.h"
#include "wire/channel.h"

/* --- of the execution --- */

/* What system calls have done. */
struct system {
	bool kernel_changed; /* kernel state was changed: the executor must not be used again */
	bool stdin_moved;
	bool flags_changed; /* of an open file, perhaps one that was open before main began */
	bool wrote; /* to standard output or error */
	uint64_t written; /* bytes of output in this execution */
	uint64_t changes; /* how often a system call has changed something that others may see */
};

/* Signals, by their bits; kill.c and system.c. */
struct signals {
	uint64_t pending; /* sent while blocked */
	uint64_t interrupt; /* siginterrupt() was called for these */
	int32_t target; /* the thread that a signal is sent to, or -1: the running one */
};

/* Handlers of atexit and the like (exit.c). */
struct exits {
	struct exit_handler *handlers; /* that are still to be run, the next one first */
	int32_t owner; /* the thread that has called exit, or -1 */
	uint64_t users; /* threads that have registered handlers or called exit */
};

/* Of a thread. */
struct thread_system {
	uint64_t signal_mask; /* of the first 64 signals */
	uint64_t clock; /* virtual nanoseconds, see time.c */
	uint64_t next_mapping; /* mappings.c; 0: the first one */
	uint32_t calls; /* it is in so many calls that were announced (system.h) */
	uint32_t stream; /* the descriptor of the stream that it has used last, + 1 */
};

/* Of a thread: its pending anomaly, besides the message (process.c). */
struct fault {
	uint64_t address, pc;
	struct block_info block; /* what memory it is about */
	int32_t signal, exit_status;
};

/* --- of the process --- */

enum { MAX_DESCRIPTORS = 1024, MAX_ORIGINALS = 32, MAX_REGIONS = 128, MAX_DIRTY = 1 << 20 };

#define MAX_OUTPUT (64ull << 20) /* bytes that one execution may write */

/* What a descriptor of the program stands for. */
struct descriptor {
	uint8_t what;
	bool inherited; /* open since before main */
	uint16_t opened_as; /* the descriptor of which it is a copy, of a copy …: they share the position in the file */
	int64_t place; /* of an inherited one: the position when main began */
	int32_t flags; /* … and its flags */
};

/* Where they change, so does the process with the execution (descriptors.c). */
struct descriptors {
	struct descriptor table[MAX_DESCRIPTORS];
	bool inherits; /* some but standard input and output are open since before main */
};

/* Functions of libraries that the runtime calls itself, and where the C library is. */
struct library {
	void *originals[MAX_ORIGINALS]; /* system.h */
	void (*exit)(int);
	int (*fflush)(void *);
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*unwind_forced)(void *, int (*)(int, int, uint64_t, void *, void *, void *), void *); /* or NULL */
	uint64_t (*unwind_cfa)(void *);
	uint64_t start, end; /* of the C library's code */
};

/* The plan's counts, as they were when it came: meanwhile the explorer may be making the next one (ahead.c). */
struct course {
	uint32_t nsteps, nguided, common, flags, sure;
	bool ahead; /* it has not come yet, and */
	uint32_t nnames; /* … so many threads had names when the execution was begun */
};

/* The state of an execution between two of its steps (resume.c). */
struct resume_point {
	uint64_t copies; /* where they are: the runtime's own state, then the dirty pages, until `end` */
	uint64_t end;
	uint32_t ndirty; /* pages that were dirty */
	uint32_t nnames;
	uint32_t nevents, nawaits, nawait_writes; /* of the trace */
	uint32_t culprits[CULPRIT_COUNT];
	int64_t input, output, errors; /* the place in standard input, the sizes of what was written */
};

/* Those of the last execution, each further on than the one before. */
struct resume_points {
	uint32_t next; /* to be made when there are so many events; ahead of the plan: to be waited at */
	bool due; /* that is now */
	uint32_t count;
	uint32_t memory_at; /* between executions: memory is as it was at this one (from 1), or, with 0, at the start */
	struct resume_point made[MAX_RESUME_POINTS];
};

/* The process that serves the explorer's requests (start.c). */
struct executor {
	int64_t stdin_offset; /* where the program's input begins */
	struct patience patience; /* with the next request */
	uint64_t run_began; /* when profiling: in ticks */
	uint64_t loop_sp; /* its loop, which runs on the kernel's stack */
};

/* What there was when main began, to which every execution returns. */
struct beginning {
	bool keeps_exit_handlers; /* from the program's first constructor on */
	struct exit_handler *exit_handlers;
	struct key *keys;
	void **specific; /* main's values of keys */
	uint32_t nspecific;
	struct destructor *destructors; /* of main's thread_local objects that constructors used */
	int argc;
	char **argv, **envp;
};

/* A page that was written since the snapshot, and is writable since. */
struct dirty_page {
	uint64_t page, saved; /* saved 0: zero the page */
};

/* The memory that is rolled back between executions (snapshot.c). */
struct snapshot {
	uint32_t nregions; /* 0: there is no snapshot */
	uint32_t nstacks; /* that are among them */
	struct region regions[MAX_REGIONS];
	uint64_t saved_end; /* of the copies */
	uint32_t ndirty;
	struct dirty_page dirty[MAX_DIRTY]; /* in the order in which they were first written */
	uint32_t index[2 * MAX_DIRTY]; /* hash table by page: index into dirty, + 1 */
};

#endif
