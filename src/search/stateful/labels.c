#include "search/stateful/labels.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "wire/plan.h"

void labels_init(struct labels *labels, const struct thread_name *names)
{
	memset(labels, 0, sizeof *labels);
	labels->names = names;
	labels->after = memory_new_clear(MAX_LABELS, sizeof *labels->after);
	labels->rivals = memory_new_clear(MAX_LABELS, sizeof *labels->rivals);
	labels->met = memory_new_clear(MAX_LABELS, sizeof *labels->met);
	labels->of_thread = memory_new_clear(MAX_THREADS, sizeof *labels->of_thread);
	labels->rival_threads = memory_new_clear(MAX_LABELS, sizeof *labels->rival_threads);
}

void labels_release(struct labels *labels)
{
	for (uint32_t i = 0; i < labels->count; i++)
		memory_free(labels->all[i].more);
	memory_free(labels->after);
	memory_free(labels->rivals);
	memory_free(labels->met);
	memory_free(labels->of_thread);
	memory_free(labels->rival_threads);
}

static bool set_has(const uint64_t *set, uint32_t label)
{
	debug_invariant(label < MAX_LABELS);
	return set[label / 64] >> label % 64 & 1;
}

static void set_add(uint64_t *set, uint32_t label)
{
	invariant(label < MAX_LABELS);
	set[label / 64] |= 1ull << label % 64;
}

/* --- conflicts --- */

static struct op at_its_strongest(const struct op *op)
{
	struct op strongest = *op;

	strongest.kind = (uint8_t)event_at_its_strongest(op->kind);
	return strongest;
}

static const struct op *op_of(const struct label *label, uint32_t i)
{
	return i ? &label->more[i - 1] : &label->op;
}

/* Does the other thread not exist before the one of the label has gone on? */
static bool is_yet_to_come(const struct labels *labels, const struct label *label, unsigned other)
{
	for (; other; other = labels->names[other].parent)
		if (labels->names[other].parent == label->thread && !(label->standing.created >> other & 1))
			return true;
	return false;
}

static bool is_over(const struct label *label, unsigned other)
{
	return label->standing.joined >> other & 1;
}

/* Can there be a state in which both are about to be taken? */
static bool can_meet(const struct labels *labels, const struct label *a, const struct label *b)
{
	return a->thread != b->thread && !(a->standing.locks & b->standing.locks) && !is_over(a, b->thread) &&
	       !is_over(b, a->thread) && !is_yet_to_come(labels, a, b->thread) && !is_yet_to_come(labels, b, a->thread);
}

/* … and does their order matter then? */
static bool are_rivals(const struct labels *labels, const struct label *a, const struct label *b)
{
	bool single = !a->nmore && !b->nmore;

	if (!can_meet(labels, a, b))
		return false;
	if (a->anything || b->anything)
		return true;
	for (uint32_t i = 0; i <= a->nmore; i++)
		for (uint32_t k = 0; k <= b->nmore; k++)
			if (ops_conflict(op_of(a, i), op_of(b, k)) &&
			    (!single || ops_may_be_coenabled(op_of(a, i), op_of(b, k))))
				return true;
	return false;
}

/* The second, which comes after the first, may be its rival. */
static void consider(struct labels *labels, uint32_t first, uint32_t second)
{
	if (set_has(labels->rivals[first], second) || !are_rivals(labels, &labels->all[first], &labels->all[second]))
		return;
	invariant(labels->all[first].thread != labels->all[second].thread);
	set_add(labels->rivals[first], second);
	labels->rival_threads[first] |= thread_bit(labels->all[second].thread);
	labels->version++;
}

/* The label is known to do more. */
static void consider_again(struct labels *labels, uint32_t label)
{
	for (uint32_t i = 0; i < labels->count; i++) {
		if (set_has(labels->after[label], i))
			consider(labels, label, i);
		if (set_has(labels->after[i], label))
			consider(labels, i, label);
	}
}

/* --- finding --- */

static bool same_op(const struct op *a, const struct op *b)
{
	return a->kind == b->kind && a->site == b->site && a->object == b->object && a->object2 == b->object2 &&
	       a->size == b->size && a->target == b->target;
}

/*
 * What a thread is about to do is one thing, whatever it turns out to be in one state or another: a compare-and-swap that
 * puts there what is there is called an update, a lock that cannot be had any more an attempt.
 */
static unsigned family_of(unsigned kind)
{
	switch (kind) {
	case EV_ATOMIC_CAS: return EV_ATOMIC_RMW;
	case EV_MUTEX_TIMEDLOCK: return EV_MUTEX_TRYLOCK;
	}
	return kind;
}

static uint64_t hash_op(const struct op *op)
{
	const uint64_t words[] = {family_of(op->kind) | (uint64_t)op->site << 32, op->object, op->object2,
				  op->size | (uint64_t)op->target << 32};
	uint64_t hash = 0;

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		hash = hash_mix(hash, words[i]);
	return hash;
}

static bool same_label(const struct label *a, const struct label *b)
{
	struct op as_a = b->op;

	if (family_of(a->op.kind) == family_of(b->op.kind))
		as_a.kind = a->op.kind;
	return a->thread == b->thread && !memcmp(&a->standing, &b->standing, sizeof a->standing) &&
	       same_op(&a->op, &as_a);
}

/* The last places are for the labels that stand for all that found none. */
static struct label make_label(const struct labels *labels, unsigned thread, const struct standing *standing,
			       const struct op *op)
{
	struct label label = {.op = at_its_strongest(op), .standing = *standing, .thread = (uint8_t)thread};

	/* a wait that may have several ends is pending as one of them */
	label.varies =
		event_table[op->kind].effect == EFFECT_LEAVE || event_is_wake(op->kind) || op->kind == EV_FUTEX_WOKEN;
	/* what an atomic block does is learned when it has run; what comes of a loop that waits, never */
	label.anything = op->kind == EV_ATOMIC_BEGIN || op->kind == EV_SPIN;
	if (labels_are_full(labels))
		label = (struct label){.thread = (uint8_t)thread, .anything = true};
	return label;
}

static uint64_t hash_label(const struct label *label)
{
	const struct standing *standing = &label->standing;

	return hash_op(&label->op) ^
	       hash_word(label->thread + standing->locks * 31 + standing->joined * 37 + standing->created * 41);
}

static bool does(const struct label *label, const struct op *op)
{
	for (uint32_t i = 0; i <= label->nmore; i++)
		if (same_op(op_of(label, i), op))
			return true;
	return false;
}

/* It does that as well, or turned out to be that.  False if it is known. */
static bool learn_op(struct label *label, const struct op *op)
{
	if (does(label, op))
		return false;
	label->more = memory_resize(label->more, (label->nmore + 1) * sizeof *label->more);
	label->more[label->nmore++] = *op;
	return true;
}

static void add_op(struct labels *labels, uint32_t number, const struct op *op)
{
	if (learn_op(&labels->all[number], op))
		consider_again(labels, number);
}

uint32_t labels_find(struct labels *labels, unsigned thread, const struct standing *standing, const struct op *op)
{
	struct label wanted = make_label(labels, thread, standing, op);

	for (uint64_t hash = hash_label(&wanted) >> 7;; hash++) {
		uint32_t *slot = &labels->index[hash % (2 * MAX_LABELS)];
		if (*slot && !same_label(&labels->all[*slot - 1], &wanted))
			continue;
		if (*slot) {
			add_op(labels, *slot - 1, &wanted.op);
			return *slot - 1;
		}
		invariant(labels->count < MAX_LABELS); /* one for each thread is left when they are full */
		labels->all[labels->count] = wanted;
		set_add(labels->of_thread[thread], labels->count);
		*slot = ++labels->count;
		labels->version++;
		return *slot - 1;
	}
}

void labels_learn(struct labels *labels, uint32_t number, const struct event *events, uint32_t nevents)
{
	struct label *label = &labels->all[number];
	bool new = false;

	invariant(number < labels->count && nevents);
	if (label->op.kind == EV_NOTHING) /* it stands for many */
		return;
	for (uint32_t i = 1; i < nevents; i++) {
		struct op op = at_its_strongest(&events[i].op);
		if (!event_is(op.kind, EV_LOCAL))
			new |= learn_op(label, &op);
	}
	if (label->op.kind == EV_ATOMIC_BEGIN && label->anything) {
		label->anything = false;
		new = true;
	}
	if (new)
		consider_again(labels, number);
}

/* --- what comes after what --- */

/* All labels of the set now come after the given one as well. */
static void extend(struct labels *labels, uint32_t label, const uint64_t *set)
{
	for (uint32_t i = 0; i <= labels->count / 64; i++) {
		uint64_t new = set[i] & ~labels->after[label][i];
		if (!new)
			continue;
		labels->after[label][i] |= new;
		labels->version++;
		for (; new; new &= new - 1)
			consider(labels, label, i * 64 + (unsigned)__builtin_ctzll(new));
	}
}

/* What comes after something that comes after the label comes after the label. */
static bool is_closed(const struct labels *labels, uint32_t label)
{
	for (uint32_t i = 0; i < labels->count; i++)
		for (uint32_t word = 0; set_has(labels->after[label], i) && word < LABEL_WORDS; word++)
			if (labels->after[i][word] & ~labels->after[label][word])
				return false;
	return true;
}

void labels_follow(struct labels *labels, uint32_t first, uint32_t second)
{
	uint64_t set[LABEL_WORDS];

	invariant(first < labels->count && second < labels->count);
	if (set_has(labels->after[first], second))
		return;
	memcpy(set, labels->after[second], sizeof set);
	set_add(set, second);
	for (uint32_t i = 0; i < labels->count; i++)
		if (i == first || set_has(labels->after[i], first))
			extend(labels, i, set);
	slow_invariant(is_closed(labels, first));
}

bool labels_meet(struct labels *labels, uint32_t first, uint32_t second)
{
	if (set_has(labels->met[first], second))
		return false;
	set_add(labels->met[first], second);
	set_add(labels->met[second], first);
	return true;
}

void labels_part(struct labels *labels, uint32_t first, uint32_t second)
{
	labels->met[first][second / 64] &= ~(1ull << second % 64);
	labels->met[second][first / 64] &= ~(1ull << first % 64);
}

bool labels_may_rival(const struct labels *labels, uint32_t label, uint32_t next)
{
	unsigned thread = labels->all[next].thread;

	invariant(label < labels->count && next < labels->count);
	if (!(labels->rival_threads[label] >> thread & 1))
		return false;
	if (set_has(labels->rivals[label], next))
		return true;
	for (uint32_t i = 0; i <= labels->count / 64; i++)
		if (labels->rivals[label][i] & labels->after[next][i] & labels->of_thread[thread][i])
			return true;
	return false;
}
