/*
 * The harness: random programs, every search against the oracle.
 *
 *   generate ▸ search (inspect check, once per strategy) ▸ compare ▸ shrink what differs
 *
 * What must be the same for every strategy as for --search=all, where that is complete: the set of ends
 * (exit status and what was printed, to which the program adds its own account of the order of
 * operations, hidden.h), the set of findings (kind and places) and the number of equivalence classes
 * (src/explore/outcomes.h), for which waiting is the same everywhere (--awaits).  No strategy may run two executions of one class.  Of many programs the ends are
 * also known from a model that shares nothing with Inspect (model.c).
 */
#ifndef RANDOM_HARNESS_H
#define RANDOM_HARNESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum { MAX_STRATEGIES = 12, NAME_SIZE = 16 };

/* --- generate.c --- */

/* The program of a seed; with so many instructions more in each thread. */
void generate(struct program *program, uint64_t seed, unsigned size);

/* --- search.c --- */

struct harness {
	const char *inspect, *program; /* paths: the command, the built program.c */
	char *stateful; /* … built with --stateful: at the same place, with -stateful behind its name */
	char scratch[64]; /* a directory for traces */
	unsigned limit, oracle_limit; /* executions of one search; … of the oracle */
	unsigned nstrategies;
	char strategies[MAX_STRATEGIES][NAME_SIZE]; /* ORACLE, then all others that inspect has */
	bool only_stateful; /* compare nothing else with the oracle */
	unsigned
		sparse; /* the first strategy and the oracles for all programs, each other search for every n-th only; 0: all */
	unsigned turn; /* of this program, for that */
	unsigned nwanted;
	char wanted[MAX_STRATEGIES][NAME_SIZE]; /* if any: only these of them */
	volatile sig_atomic_t *stop; /* no further searches: their results will not be used */
};

enum { ORACLE = 0 };

/* One search of one program.  Texts are malloced lines, sorted and each only once. */
struct outcome {
	bool complete;
	char *broken; /* what went wrong with the search itself, or NULL */
	char *ends; /* of executions */
	char *findings;
	uint64_t classes, executions, blocked, assumed;
};

/* Ask inspect for its strategies; false when it cannot be run. */
bool harness_init(struct harness *harness);

/* With one more option of inspect, or NULL. */
void search(const struct harness *harness, const struct program *program, const char *strategy, const char *option,
	    struct outcome *outcome);
void outcome_release(struct outcome *outcome);

/* The lines of the text, sorted, each once.  Takes a malloced text and gives one back. */
char *sort_lines(char *text);

/* --- model.c --- */

/*
 * The ends that the program can come to, by a second oracle: lines as in struct outcome, but in any order, and
 * an end that is a finding without its place.  NULL if the program is not modelled, or too large.
 */
char *model_ends(const struct program *program);

/* --- compare.c --- */

/* What may differ, the worst first. */
enum problem {
	NO_PROBLEM,
	PROBLEM_BROKEN, /* inspect failed, or says that the program is not deterministic */
	PROBLEM_ENDS,
	PROBLEM_MODEL, /* ends differ from those of model.c */
	PROBLEM_FINDINGS,
	PROBLEM_CLASSES,
	PROBLEM_REPEATED, /* more than one execution of a class */
	PROBLEM_BLOCKED, /* optimal, but ran what it had to give up */
};

struct verdict {
	enum problem problem; /* the first one found */
	unsigned strategy;
	const char *option; /* as for search() */
	char text[2048]; /* all of them, one line each */
	bool with_oracle; /* everything was compared with --search=all */
	bool with_model; /* ends were compared with those of model.c */
	bool too_large; /* there was nothing to compare: no search was complete */
	bool has_findings;
	uint64_t executions, classes; /* of all searches; of the reference */
};

/* Search with every strategy (and, if `more', the slow options) and compare. */
void check(const struct harness *harness, const struct program *program, bool more, struct verdict *verdict);

/* --- shrink.c --- */

/* Remove what can be removed while the same strategy has the same problem; the verdict becomes that of the rest. */
void shrink(const struct harness *harness, struct program *program, struct verdict *verdict);

#endif
