/*
 * What the moves of a program do, as the stateful search knows it: each kind of move is a label,
 * and of each label it is known which labels can come after it.
 *
 * A move is what one thread does between two decisions: one operation, or an atomic block.  Its
 * label is what is known of it before it is taken: who is about to do what to which object, with
 * which locks held.  What else it does (the rest of an atomic block) is learned by and by.
 *
 * Label v comes directly after label u if a move with u has led to a state from which a move
 * with v was seen, in whatever executions; `after` is the closure of that.  Among those, the
 * rivals of u are the labels of other threads that conflict with it and that could come instead of it.
 * Both only grow.
 */
#ifndef INSPECT_SEARCH_STATEFUL_LABELS_H
#define INSPECT_SEARCH_STATEFUL_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/channel.h"

#include "common/invariant.h"

enum { MAX_LABELS = 8192, LABEL_WORDS = MAX_LABELS / 64, NO_LABEL = UINT16_MAX };

/* What a thread is known to have done before: with whom it cannot compete any more, or not yet. */
struct standing {
	uint64_t locks; /* that it holds: bits */
	uint64_t joined; /* threads that had ended before, by its own joins and those of the ones it joined */
	uint64_t created; /* threads that it has created */
};

struct label {
	struct op op; /* the first one, at its strongest */
	struct standing standing;
	struct op *more; /* what it was seen to do besides, nmore operations */
	uint32_t nmore;
	uint8_t thread;
	bool anything; /* nobody knows what it does */
	bool awaits; /* it was seen to begin the round of a loop that waits */
	bool varies; /* where it is next, another one may come to be next without the thread moving */
};

struct labels {
	struct label all[MAX_LABELS];
	uint32_t count;
	uint32_t index[2 * MAX_LABELS]; /* hash table, + 1 */
	uint64_t (*after)[LABEL_WORDS]; /* per label, as are: */
	uint64_t (*rivals)[LABEL_WORDS];
	uint64_t (*of_thread)[LABEL_WORDS]; /* per thread: its labels */
	uint64_t (*met)[LABEL_WORDS]; /* those that labels_meet() has seen with it */
	uint64_t *rival_threads; /* per label: whose its rivals are */
	const struct thread_name *names; /* who created whom */
	uint64_t version; /* how often anything has grown */
};

void labels_init(struct labels *labels, const struct thread_name *names);
void labels_release(struct labels *labels);

/* The label of a move that begins with this operation.  When there are too many, the rest has one label per thread. */
uint32_t labels_find(struct labels *labels, unsigned thread, const struct standing *standing, const struct op *op);
/* The move was taken, and consisted of these events. */
void labels_learn(struct labels *labels, uint32_t label, const struct event *events, uint32_t nevents);
/* A move with the second label can come directly after one with the first. */
void labels_follow(struct labels *labels, uint32_t first, uint32_t second);

/* Are there moves with a label that says nothing but whose they are? */
static inline bool labels_are_full(const struct labels *labels)
{
	invariant(labels->count <= MAX_LABELS);
	return labels->count >= MAX_LABELS - MAX_THREADS;
}

/* Moves with these labels race for memory in some state.  False if that is known. */
bool labels_meet(struct labels *labels, uint32_t first, uint32_t second);
/* It turned out that they do not. */
void labels_part(struct labels *labels, uint32_t first, uint32_t second);

/* May the thread whose next move has the label `next` come to one that is a rival of `label`? */
bool labels_may_rival(const struct labels *labels, uint32_t label, uint32_t next);

#endif
