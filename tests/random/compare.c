#include "harness.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what does not hold for all programs --- */

enum allowance {
	MAY_REPEAT = 1, /* run a class twice */
	MAY_BLOCK = 2, /* optimal: give up executions */
	CLASSES_VARY = 4, /* their number is not compared */
};

/*
 * The one list of what is known not to hold, by instructions that the program has.  A row is for one
 * strategy, or for all.  To be made shorter.
 */
static const struct exception {
	const char *strategy; /* NULL: all */
	uint8_t first, last; /* instructions */
	uint8_t allowed; /* enum allowance */
	const char *reason;
} exceptions[] = {
	{NULL, ATOMIC_BLOCK, WAIT_ATOMICALLY, MAY_REPEAT | MAY_BLOCK,
	 "a thread about to begin an atomic block cannot sleep, so its class may come up again"},
	{NULL, BEGIN_BLOCK, BEGIN_BLOCK, MAY_REPEAT | MAY_BLOCK, "the same"},
	{NULL, FREE_LOCKS, FREE_LOCKS, CLASSES_VARY | MAY_REPEAT | MAY_BLOCK,
	 "what comes after a lock was freed while it was in use is a matter of luck, and reported anyway"},
	{NULL, AWAIT_TWO, AWAIT_TWO, CLASSES_VARY | MAY_BLOCK,
	 "a loop that looks at two locations is not an await: how many rounds come to nothing depends on the search"},
	{NULL, TRYLOCK_LOOP, TRYLOCK_LOOP, CLASSES_VARY | MAY_BLOCK, "the same for a loop that looks at a lock"},
	{NULL, FIRST_CANCELLATION, BEFORE_AWAITING, MAY_BLOCK,
	 "how else a wait could have ended is not in the execution"},
	{NULL, DETACH, DETACH, MAY_BLOCK,
	 "a join that a detach lets through: how it could wait instead is not in the execution"},
};

static bool is_allowed(const struct program *program, const char *strategy, enum allowance what)
{
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
		const struct exception *row = &exceptions[i];
		if (!(row->allowed & what) || (row->strategy && strcmp(row->strategy, strategy)))
			continue;
		for (unsigned k = row->first; k <= row->last; k++)
			if (program_uses(program, k))
				return true;
	}
	return false;
}

/* --- one search and the reference --- */

struct comparison {
	const struct harness *harness;
	const struct program *program;
	const struct outcome *reference;
	unsigned reference_strategy;
	struct verdict *verdict;
	/* the search that is compared */
	unsigned strategy;
	const char *option;
};

__attribute__((format(printf, 3, 4))) static void problem(struct comparison *comparison, enum problem problem,
							  const char *format, ...)
{
	struct verdict *verdict = comparison->verdict;
	size_t used = strlen(verdict->text);
	char *text = verdict->text + used;
	size_t room = sizeof verdict->text - used;
	va_list arguments;

	if (!verdict->problem) {
		verdict->problem = problem;
		verdict->strategy = comparison->strategy;
		verdict->option = comparison->option;
	}
	int n = snprintf(text, room, "  %s%s%s: ", comparison->harness->strategies[comparison->strategy],
			 comparison->option ? " " : "", comparison->option ? comparison->option : "");
	if (n < 0 || (size_t)n + 2 >= room)
		return;
	va_start(arguments, format);
	vsnprintf(text + n, room - (size_t)n - 1, format, arguments);
	va_end(arguments);
	strcat(text, "\n");
}

/* The first line that is in one of two sorted texts only; true if it is in the first. */
static bool first_difference(const char *a, const char *b, char *line, size_t size)
{
	while (*a || *b) {
		size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
		int order = !*b ? -1 : !*a ? 1 : strncmp(a, b, (na < nb ? na : nb) + 1);
		if (order) {
			snprintf(line, size, "%.*s", (int)(order < 0 ? na : nb), order < 0 ? a : b);
			return order < 0;
		}
		a += na + 1;
		b += nb + 1;
	}
	*line = 0;
	return false;
}

static void compare_texts(struct comparison *comparison, enum problem kind, const char *ours, const char *theirs)
{
	char line[200];

	if (!strcmp(ours, theirs))
		return;
	bool more = first_difference(ours, theirs, line, sizeof line);
	problem(comparison, kind, "%s, %s only: %s", kind == PROBLEM_ENDS ? "ends differ" : "findings differ",
		more ? "here" : comparison->harness->strategies[comparison->reference_strategy], line);
}

static void compare_classes(struct comparison *comparison, const struct outcome *outcome)
{
	const char *name = comparison->harness->strategies[comparison->strategy];

	if (!is_allowed(comparison->program, name, CLASSES_VARY) && outcome->classes != comparison->reference->classes)
		problem(comparison, PROBLEM_CLASSES, "%" PRIu64 " equivalence classes, %s has %" PRIu64,
			outcome->classes, comparison->harness->strategies[comparison->reference_strategy],
			comparison->reference->classes);
	if (comparison->strategy == ORACLE)
		return;
	if (!is_allowed(comparison->program, name, MAY_REPEAT) && outcome->executions != outcome->classes)
		problem(comparison, PROBLEM_REPEATED, "%" PRIu64 " executions of %" PRIu64 " classes",
			outcome->executions, outcome->classes);
	/* with several workers a few are given up: what one of them finds may come too late for another */
	if (!strcmp(name, "optimal") && !comparison->option && !is_allowed(comparison->program, name, MAY_BLOCK) &&
	    outcome->blocked)
		problem(comparison, PROBLEM_BLOCKED, "%" PRIu64 " executions blocked", outcome->blocked);
}

static void compare(struct comparison *comparison, const struct outcome *outcome)
{
	comparison->verdict->executions += outcome->executions + outcome->blocked + outcome->assumed;
	if (outcome->broken) {
		problem(comparison, PROBLEM_BROKEN, "%s", outcome->broken);
	} else if (outcome->complete) {
		compare_texts(comparison, PROBLEM_ENDS, outcome->ends, comparison->reference->ends);
		compare_texts(comparison, PROBLEM_FINDINGS, outcome->findings, comparison->reference->findings);
		compare_classes(comparison, outcome);
	} else if (comparison->reference_strategy == ORACLE) {
		problem(comparison, PROBLEM_REPEATED, "more executions than there are interleavings");
	}
}

/* --- one program --- */

/* The searches that take turns: strategies by their number, then these. */
enum { WITH_OPTIONS = MAX_STRATEGIES, WITH_STATES, WITHOUT_AWAITS };

static bool is_due(const struct harness *harness, unsigned which)
{
	return !harness->sparse || which <= ORACLE + 1 || (harness->turn + which) % harness->sparse == 0;
}

static void compare_all(struct comparison *comparison, struct outcome *outcomes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		comparison->strategy = i;
		if (!is_due(comparison->harness, i))
			continue;
		/* the oracle, when it is not complete, has nothing to say */
		if (i != ORACLE || outcomes[i].complete || outcomes[i].broken)
			compare(comparison, &outcomes[i]);
	}
}

/* The ends without what stands between these words and the next of these characters. */
static char *without(const char *ends, const char *words, const char *characters)
{
	char *text = strdup(ends);

	if (!text)
		abort();
	for (char *at = text; (at = strstr(at, words));) {
		size_t length = strlen(words) + strcspn(at + strlen(words), characters);
		memmove(at, at + length, strlen(at + length) + 1);
	}
	return sort_lines(text);
}

/* "assertion failed site 12: …" without the number. */
static char *without_sites(const char *ends)
{
	return without(ends, " site ", ":");
}

/*
 * "exit 0: main saw 1234abc 1,2": what main saw is kept in code that is not instrumented.  It is part of the state only if the
 * program tells what is live.
 */
static char *without_seen(const char *ends)
{
	return without(ends, "main saw ", "\n ");
}

static void compare_model(struct comparison *comparison)
{
	char *ends = model_ends(comparison->program), *ours, line[200];

	if (!ends)
		return;
	ends = sort_lines(ends);
	ours = without_sites(comparison->reference->ends);
	comparison->verdict->with_model = true;
	comparison->strategy = comparison->reference_strategy;
	if (strcmp(ours, ends)) {
		bool more = first_difference(ours, ends, line, sizeof line);
		problem(comparison, PROBLEM_MODEL, "ends differ, %s only: %s", more ? "here" : "in the model", line);
	}
	free(ours);
	free(ends);
}

static void compare_isolation(struct comparison *comparison)
{
	struct outcome outcome;

	comparison->strategy = ORACLE + 1;
	comparison->option = "--isolation=fork";
	search(comparison->harness, comparison->program, comparison->harness->strategies[ORACLE + 1],
	       comparison->option, &outcome);
	compare(comparison, &outcome);
	outcome_release(&outcome);
}

static bool has_loops(const struct program *program)
{
	for (unsigned i = FIRST_AWAITING; i < ADD_OFTEN; i++)
		if (program_uses(program, i))
			return true;
	return false;
}

/*
 * The place of a livelock is that of the last access that is visible; which leaks are found depends on what
 * is left on the stacks, and so on what the runtime was doing.
 */
static char *without_luck(const char *findings)
{
	char *text = strdup(findings);

	if (!text)
		abort();
	for (char *line = text; *line;) {
		size_t length = strcspn(line, "\n"), keep = length;
		if (!strncmp(line, "leak", 4))
			keep = 0;
		else if (!strncmp(line, "livelock", 8))
			keep = 8;
		memmove(line + keep, line + length, strlen(line + length) + 1);
		line += keep + (line[keep] == '\n');
	}
	return sort_lines(text);
}

/* "race 84:14 92:16": which of two places comes first depends on how they are numbered. */
static char *without_order(char *findings)
{
	for (char *line = findings; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *first = strchr(line, ' '), *second = first ? strchr(first + 1, ' ') : NULL, swapped[80];
		size_t length = strcspn(line, "\n");
		if (!second || second > line + length || length >= sizeof swapped)
			continue;
		int mine = (int)(second - first), other = (int)(line + length - second);
		snprintf(swapped, sizeof swapped, "%.*s%.*s", other, second, mine, first);
		if (strncmp(swapped, first, (size_t)(mine + other)) < 0)
			memcpy(first, swapped, (size_t)(mine + other));
	}
	return sort_lines(findings);
}

/* With states a livelock is a way round, and no end of an execution; among the findings it is compared all the same. */
static char *without_livelocks(char *ends)
{
	char *out = ends;

	for (char *line = ends; *line;) {
		size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
		if (strncmp(line, "livelock", 8)) {
			memmove(out, line, length);
			out += length;
		}
		line += length;
	}
	*out = 0;
	return ends;
}

static void compare_ends_without(struct comparison *comparison, const struct outcome *outcome,
				 char *(*strip)(const char *))
{
	char *ours = without_livelocks(strip(outcome->ends));
	char *theirs = without_livelocks(strip(comparison->reference->ends));

	compare_texts(comparison, PROBLEM_ENDS, ours, theirs);
	free(ours);
	free(theirs);
}

/* What of the ends of executions is compared. */
enum ends { ALL_OF_IT, NO_SITES, NOT_WHAT_MAIN_SAW };

/*
 * With a reduction of the events, not of the search, which must not show in how executions end.  Of another build of
 * the program the places have other numbers.
 */
static void compare_with_option(struct comparison *comparison, unsigned strategy, const char *option, enum ends ends)
{
	struct outcome outcome;

	comparison->strategy = strategy;
	comparison->option = option;
	search(comparison->harness, comparison->program, comparison->harness->strategies[strategy], comparison->option,
	       &outcome);
	comparison->verdict->executions += outcome.executions + outcome.blocked + outcome.assumed;
	if (outcome.broken) {
		problem(comparison, PROBLEM_BROKEN, "%s", outcome.broken);
	} else if (outcome.complete) {
		char *ours = without_luck(outcome.findings), *theirs = without_luck(comparison->reference->findings);
		if (ends == NO_SITES) {
			ours = without_order(ours);
			theirs = without_order(theirs);
			compare_ends_without(comparison, &outcome, without_sites);
		} else if (ends == NOT_WHAT_MAIN_SAW) {
			compare_ends_without(comparison, &outcome, without_seen);
		} else {
			compare_texts(comparison, PROBLEM_ENDS, outcome.ends, comparison->reference->ends);
		}
		compare_texts(comparison, PROBLEM_FINDINGS, ours, theirs);
		free(ours);
		free(theirs);
	}
	outcome_release(&outcome);
}

static void compare_without(struct comparison *comparison, const char *option, enum ends ends)
{
	compare_with_option(comparison, ORACLE + 1, option, ends);
}

/* With a program that tells what is live, or with one that does not; and with room for all states, or for few. */
static void compare_stateful(struct comparison *comparison, const char *path, const char *option)
{
	const struct harness *usual = comparison->harness;
	struct harness harness = *usual;

	harness.program = path;
	comparison->harness = &harness;
	compare_without(comparison, option, path == usual->program ? NOT_WHAT_MAIN_SAW : NO_SITES);
	comparison->harness = usual;
}

/* Several workers, with each of the strategies in turn: the same executions, if not all of those that are given up. */
static void compare_workers(struct comparison *comparison, unsigned turn)
{
	struct outcome outcome;

	comparison->strategy = ORACLE + 1 + turn % (comparison->harness->nstrategies - 1);
	comparison->option = "--jobs=3";
	search(comparison->harness, comparison->program, comparison->harness->strategies[comparison->strategy],
	       comparison->option, &outcome);
	if (outcome.broken || outcome.complete)
		compare(comparison, &outcome);
	outcome_release(&outcome);
}

static void compare_options(struct comparison *comparison, unsigned turn, bool more)
{
	enum { SOME = 3 }; /* it takes as long as several other searches, and their processes have to be started */

	if (more)
		compare_isolation(comparison);
	if (more || turn % SOME == 0)
		compare_workers(comparison, turn / SOME);
	compare_without(comparison, "--all-visible", ALL_OF_IT);
}

void check(const struct harness *harness, const struct program *program, bool more, struct verdict *verdict)
{
	struct outcome outcomes[MAX_STRATEGIES] = {0};
	struct comparison comparison = {.harness = harness, .program = program, .verdict = verdict};
	unsigned first = ORACLE + 1, reference = first;

	*verdict = (struct verdict){.problem = NO_PROBLEM};
	search(harness, program, harness->strategies[first], NULL, &outcomes[first]);
	verdict->too_large = !outcomes[first].complete && !outcomes[first].broken;
	for (unsigned i = 0; i < harness->nstrategies && !verdict->too_large && !*harness->stop; i++)
		if (i != first && is_due(harness, i))
			search(harness, program, harness->strategies[i], i == ORACLE ? "--awaits" : NULL, &outcomes[i]);
	if (outcomes[ORACLE].complete && !outcomes[ORACLE].broken)
		reference = ORACLE;
	verdict->with_oracle = reference == ORACLE;
	verdict->classes = outcomes[reference].classes;
	verdict->has_findings = outcomes[reference].findings && *outcomes[reference].findings;
	comparison.reference_strategy = reference;
	comparison.reference = &outcomes[reference];
	if (!verdict->too_large && !*harness->stop) {
		compare_all(&comparison, outcomes, harness->nstrategies);
		if (!outcomes[reference].broken)
			compare_model(&comparison);
		if (!harness->only_stateful && is_due(harness, WITH_OPTIONS))
			compare_options(&comparison, (unsigned)outcomes[first].executions, more);
		if (is_due(harness, WITH_STATES))
			compare_stateful(&comparison, harness->stateful, "--stateful");
		if (more || harness->only_stateful)
			compare_stateful(&comparison, harness->stateful, "--stateful --state-memory=0.03");
		if (more)
			compare_stateful(&comparison, harness->program, "--stateful");
		if (has_loops(program) && is_due(harness, WITHOUT_AWAITS)) {
			compare_without(&comparison, "--no-awaits", ALL_OF_IT);
			compare_with_option(&comparison, ORACLE, NULL, ALL_OF_IT); /* which knows nothing of awaits */
		}
	}
	for (unsigned i = 0; i < harness->nstrategies; i++)
		outcome_release(&outcomes[i]);
}
