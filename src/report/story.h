/*
 * One recorded execution, made ready to be told: what every part of the text
 * report needs to know about it, and each operation in words.
 *
 * Steps are the events of the execution, numbered from 1 in reports and from 0
 * here.
 */
#ifndef INSPECT_REPORT_STORY_H
#define INSPECT_REPORT_STORY_H

#include "common/buffer.h"
#include "program/symbols.h"
#include "result/finding.h"

#define NO_STEP UINT32_MAX

struct story {
	const struct execution *execution; /* borrowed, as is symbols */
	struct symbols *symbols;
	uint64_t start[MAX_THREADS]; /* address of the function each thread runs; 0 when unknown */
	uint32_t last[MAX_THREADS]; /* the last step of each thread, NO_STEP if it took none */
	uint64_t pending; /* set of threads with an operation pending */
};

void story_init(struct story *story, const struct execution *execution, struct symbols *symbols);

/* "main.1", and "main.1 (worker)". */
void add_thread(struct buffer *text, const struct story *story, uint32_t thread);
void add_thread_role(struct buffer *text, const struct story *story, uint32_t thread);
/* "race.c:12", without directories that all files share; "?" when unknown. */
void add_place(struct buffer *text, const struct story *story, struct place place);
/* The variable or object that an operation is about. */
void add_object(struct buffer *text, const struct story *story, const struct op *op);
/* The same for an object at an address, with where it lies if its name alone may stand for several. */
void add_exact_object(struct buffer *text, const struct story *story, uint64_t address, uint32_t size, uint32_t site);

/* A step in words: "lock(mutex)", "write counter: 0 → 1". */
void describe_step(struct buffer *text, const struct story *story, uint32_t step);
/* What a thread did not get to do: "waits: lock(mutex)". */
void describe_pending(struct buffer *text, const struct story *story, const struct pending *pending);

/* An operation by itself, with its thread and place: "main.1: lock m at x.c:3". */
void add_operation(struct buffer *text, const struct story *story, const struct event *event);

/* The place of a step: the exact one for a crash, its site for everything else. */
struct place step_place(const struct story *story, uint32_t step);
/* The call stack at a step, the place of the step itself first; 0 when it was not recorded. */
unsigned story_stack(const struct story *story, uint32_t step, struct place places[MAX_FRAMES]);
/* "called at x.c:30 in worker, that at x.c:50 in main"; nothing when there is no more than the step itself. */
void add_callers(struct buffer *text, const struct story *story, uint32_t step);
/* The wait on a condition variable that no signal has ended yet; NULL when the thread is not in one. */
const struct event *story_wait(const struct story *story, const struct pending *pending);

#endif
