/*
 * Structured random programs: every search of Inspect against an oracle that shares nothing with it.
 *
 *   generate ▸ interpret (the oracle) ▸ print as C, many programs to one executable ▸ inspect cc ▸
 *   inspect check, once for each search ▸ compare ▸ shrink what differs
 *
 * What must be the same where a search is complete: the set of what the program prints at its end, which assertions
 * can fail, and whether there are a deadlock, a livelock and a data race.  Of a search that is not complete, what it shows
 * must be in what the oracle knows.
 */
#ifndef STRUCTURED_HARNESS_H
#define STRUCTURED_HARNESS_H

#include "code.h"
#include "generate.h"

#include <signal.h>

enum { BATCH = 128, MAX_SEARCHES = 16, MAX_MESSAGE = 4096 };

/* --- search.c --- */

/* One way to call inspect. */
struct search {
	const char *options;
	bool stateful; /* with the program that was built for it */
	bool one_process; /* not for programs that make system calls */
	bool first; /* up to the first finding, which the same search with --keep-going must have as well */
	unsigned every; /* n-th program is searched so */
};
extern const struct search searches[];
extern const unsigned nsearches;

struct harness {
	const char *inspect; /* the command, an absolute path */
	const char *include; /* where inspect.h is */
	unsigned max_executions, max_steps, max_states;
	unsigned only; /* searches, a bit each; 0: all */
	unsigned thorough_every; /* n-th program has all searches */
	volatile sig_atomic_t *stop;
};

/* What one search said. */
struct result {
	char *broken; /* what went wrong with inspect itself, or NULL */
	bool complete;
	bool stateful;
	bool limit; /* an execution was too long: counts as not complete */
	char *ends; /* sorted lines */
	unsigned nlines;
	unsigned lines[MAX_SITES]; /* at which assertions failed, or accesses crashed */
	bool deadlock, livelock, race;
	char other[32]; /* a kind of finding that no program can have */
	uint64_t executions;
};

/* Runs in the current directory, where programs are. */
void search_run(const struct harness *harness, const struct search *search, const char *program, unsigned number,
		struct result *result);
void result_release(struct result *result);

/* --- batch.c --- */

/* Programs in one executable, with what the oracle says. */
struct batch {
	unsigned count;
	struct member {
		struct program program;
		struct places places;
		struct answer answer;
		uint64_t origin; /* seed, or number of what was kept */
		bool thorough, kept;
	} members[BATCH];
};

/* Ask the oracle, and add; false if it is too large. */
bool batch_add(const struct harness *harness, struct batch *batch, const struct program *program, uint64_t origin);
/* Into the current directory; which of the two.  False after a message. */
bool batch_build(const struct harness *harness, const struct batch *batch, const char *name, bool stateful);
void batch_print(struct batch *batch, const char *path);
void batch_clear(struct batch *batch);

/* --- compare.c --- */

enum problem {
	NO_PROBLEM,
	PROBLEM_BROKEN, /* inspect failed, or reports what cannot be */
	PROBLEM_LOST, /* an end that the search does not know */
	PROBLEM_INVENTED, /* one that cannot be */
	PROBLEM_FINDING_LOST,
	PROBLEM_FINDING_INVENTED,
	PROBLEM_FORGOTTEN /* a finding, when the search went on */
};
extern const char *const problem_names[];

/*
 * The message is some lines.  A livelock whose threads write for ever is not expected to be told: programs without an end
 * whose states are finitely many count as verified (--stateful), or run into limits.
 */
enum problem compare(const struct member *member, const struct result *result, char message[MAX_MESSAGE]);
/* Search, and compare: also with what the search says when it goes on after its first finding. */
enum problem check_search(const struct harness *harness, const struct search *search, const char *program,
			  const struct member *member, unsigned number, struct result *result,
			  char message[MAX_MESSAGE]);

/* --- shrink.c --- */

/* Smaller, while this search still has a problem of this kind; in the current directory. */
void shrink(const struct harness *harness, const struct search *search, enum problem problem, struct program *program);

#endif
