/*
 * An execution that is kept: a schedule that can be run again, and what came of it.
 *
 * It is what findings are about, what trace files hold and what a replay is given and returns. While an execution is the
 * last one its trace stays in the shared memory (struct run in execute/executor.h); executor_keep() makes this of it.
 */
#ifndef INSPECT_RESULT_EXECUTION_H
#define INSPECT_RESULT_EXECUTION_H

#include "common/pack.h"
#include "wire/channel.h"

/* The piece-th STACK_PIECE bytes of a thread's stack; of SHARED_MEMORY: a granule (wire/channel.h). */
enum { SHARED_MEMORY = MAX_THREADS };
struct shared_piece {
	uint32_t thread, piece;
};

/* All zero, it is one of which nothing is known. It owns its arrays. */
struct execution {
#define FIELD(type, name, dimension) type name dimension;
#include "wire/execution.def"
#undef FIELD
	uint32_t watch[2]; /* the steps whose call stacks are in `stacks`, + 1; 0: none */
	struct event expected; /* of ENDING_DIVERGED: what was to come after the events */
	struct event *events; /* nevents: thread and choice of each are the schedule */
	uint64_t *after; /* nevents: values after each memory event; NULL in a schedule from a file */
	struct pending *pending; /* npending */
	char *output, *errors; /* stdout_size, stderr_size: what the program wrote, and a NUL */
	/*
	 * What was known of the program (execute/facts.h): only with that does the schedule lead where it led. `nthreads` is
	 * how many threads had names then.
	 */
	struct thread_name names[MAX_THREADS];
	struct shared_piece *shared; /* nshared */
	struct await_location *await_locations; /* nawait_locations: what was awaited … */
	uint32_t *await_sites; /* nawait_sites: … and in which loops */
	uint32_t nshared, nawait_locations, nawait_sites;
	uint32_t features; /* enum feature */
};

void execution_release(struct execution *execution);

/*
 * What whoever reads an execution relies on, and what a packed one or a file must be asked before: threads, kinds and
 * counts are in range, so are watched steps and memory that counts as shared; the threads that wait are told in the order
 * of their numbers, each once; what the program wrote is there.
 */
bool execution_is_valid(const struct execution *execution);

/* For other workers and for save files, which are read by the same program only (common/pack.h). */
void execution_pack(const struct execution *execution, struct buffer *buffer);
void execution_unpack(struct execution *execution, struct packed *packed);

#endif
