#include "order/weak.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "storage/memory.h"
#include "storage/table.h"
#include "storage/vector.h"
#include "order/keys.h"
#include "order/undo.h"

#define NO_EVENT UINT32_MAX
#define LARGE_FREE 2048 /* bytes */

/* One plain or atomic access that may still race with a later one. */
struct access {
	uint32_t event, count; /* count: its number within its thread */
	uint32_t next; /* index + 1, 0: the end */
	uint32_t mask; /* bytes of the word */
	uint8_t thread;
	bool writes, plain;
};

/*
 * An atomic of so many bytes, and what it passes on to whoever acquires it.
 *
 * Clocks are rows that never change once somebody refers to them; row 0 is all zeroes.
 */
struct atomic {
	uint64_t object;
	uint32_t bytes;
	uint32_t clock; /* row */
	uint32_t next; /* of those that begin in the same word, index + 1, 0: the end */
	uint32_t reserved;
};

/* A word of memory, or a synchronisation object. */
struct cell {
	uint32_t accesses; /* newest first, index + 1 */
	uint32_t atomics; /* that begin in the word, index + 1 */
	uint32_t clock; /* row: what the object passes on … */
	uint32_t readers; /* … and what its readers do: a reader takes over from writers only */
};

/* Rows, and numbers of events, per thread; words only. */
struct latest {
	uint32_t count[MAX_THREADS];
	uint32_t now[MAX_THREADS];
	uint32_t released[MAX_THREADS]; /* at its last release fence */
	uint32_t seen[MAX_THREADS]; /* through relaxed loads, for an acquire fence */
	uint32_t exited[MAX_THREADS], created[MAX_THREADS], woken[MAX_THREADS];
};

/* How much of everything there was before an event. */
struct extent {
	uint32_t changes, ncells, natomics, naccesses, nrows;
};

enum array { ARRAY_LATEST, ARRAY_CELLS, ARRAY_ATOMICS, ARRAY_ACCESSES };

struct weak {
	const struct trace *trace;
	uint32_t from;
	uint32_t first, scanned; /* the first weak atomic, or NO_EVENT, among so many events */
	struct latest latest;
	struct table keys; /* of the cells */
	struct cell *cells;
	uint32_t cells_size;
	VECTOR(struct atomic) atomics;
	uint32_t most_bytes; /* of any atomic so far */
	VECTOR(struct access) accesses;
	uint32_t *rows;
	uint32_t nrows, rows_size, width;
	struct undo undo;
	struct extent *extents; /* one per event that is known */
	uint32_t known, extents_size;
	VECTOR(struct race) races;
};

struct weak *weak_new(void)
{
	struct weak *weak = memory_new_clear(1, sizeof *weak);

	weak_forget(weak);
	return weak;
}

void weak_free(struct weak *weak)
{
	if (!weak)
		return;
	table_release(&weak->keys);
	memory_free(weak->cells);
	vector_release(&weak->atomics);
	vector_release(&weak->accesses);
	memory_free(weak->rows);
	vector_release(&weak->undo);
	memory_free(weak->extents);
	vector_release(&weak->races);
	memory_free(weak);
}

/* --- back to an earlier event --- */

static void weak_put(struct weak *weak, enum array array, uint32_t *word, uint32_t value)
{
	const void *const bases[] = {&weak->latest, weak->cells, weak->atomics.items, weak->accesses.items};

	if (*word != value)
		undo_put(&weak->undo, array, bases[array], word, value);
}

static void back_to(struct weak *weak, uint32_t event)
{
	uint32_t *const bases[UNDO_ARRAYS] = {(uint32_t *)&weak->latest, (uint32_t *)weak->cells,
					      (uint32_t *)weak->atomics.items, (uint32_t *)weak->accesses.items};
	const struct extent beginning = {.nrows = 1}, *extent = event ? &weak->extents[event] : &beginning;

	if (event >= weak->known)
		return;
	invariant(extent->natomics <= weak->atomics.count && extent->naccesses <= weak->accesses.count);
	invariant(extent->nrows && extent->nrows <= (weak->nrows ? weak->nrows : 1));
	undo_back(&weak->undo, extent->changes, bases);
	table_cut(&weak->keys, extent->ncells);
	weak->atomics.count = extent->natomics;
	weak->accesses.count = extent->naccesses;
	weak->nrows = extent->nrows;
	weak->known = event;
}

static void extent_keep(struct weak *weak, uint32_t event)
{
	invariant(event == weak->known);
	weak->extents[event] = (struct extent){.changes = weak->undo.count,
					       .ncells = weak->keys.count,
					       .natomics = weak->atomics.count,
					       .naccesses = weak->accesses.count,
					       .nrows = weak->nrows};
}

void weak_forget(struct weak *weak)
{
	back_to(weak, 0);
	weak->first = NO_EVENT;
	weak->scanned = 0;
}

/* --- clocks --- */

static uint32_t *row(const struct weak *weak, uint32_t n)
{
	debug_invariant(n <= weak->nrows && (n + 1ull) * weak->width <= weak->rows_size);
	return weak->rows + (uint64_t)n * weak->width;
}

static uint32_t copy_row(struct weak *weak, uint32_t from)
{
	uint64_t words = (weak->nrows + 1ull) * weak->width;

	invariant(from < weak->nrows);
	weak->rows = array_grow(weak->rows, &weak->rows_size, words, sizeof *weak->rows);
	memcpy(row(weak, weak->nrows), row(weak, from), weak->width * sizeof *weak->rows);
	return weak->nrows++;
}

/* Into a row that nobody refers to yet. */
static void join(struct weak *weak, uint32_t to, uint32_t from)
{
	debug_invariant(to && to < weak->nrows && from < weak->nrows); /* row 0 is all zeroes, for ever */
	uint32_t *a = row(weak, to);
	const uint32_t *b = row(weak, from);

	for (uint32_t i = 0; i < weak->width && from; i++)
		a[i] = a[i] > b[i] ? a[i] : b[i];
}

static bool covers(const struct weak *weak, uint32_t a, uint32_t b)
{
	const uint32_t *x = row(weak, a), *y = row(weak, b);

	for (uint32_t i = 0; i < weak->width; i++)
		if (x[i] < y[i])
			return false;
	return true;
}

/* A row with the later of each: one of the two, or else a new one. */
static uint32_t joined(struct weak *weak, uint32_t a, uint32_t b)
{
	if (!a || a == b || covers(weak, b, a))
		return b;
	if (!b || covers(weak, a, b))
		return a;
	uint32_t both = copy_row(weak, a);
	join(weak, both, b);
	return both;
}

static struct cell *cell_of(struct weak *weak, uint64_t key)
{
	uint32_t before = weak->keys.count, number = table_add(&weak->keys, key);

	if (number == before) {
		weak->cells = array_grow(weak->cells, &weak->cells_size, number + 1, sizeof *weak->cells);
		weak->cells[number] = (struct cell){0};
	}
	return &weak->cells[number];
}

/* --- synchronisation --- */

/* The first of the atomics that begin in the word, + 1. */
static uint32_t first_atomic(const struct weak *weak, uint64_t word)
{
	uint32_t number = table_find(&weak->keys, word_key(word));

	return number ? weak->cells[number - 1].atomics : 0;
}

static struct atomic *find_atomic(struct weak *weak, const struct op *op)
{
	struct cell *cell = cell_of(weak, word_key(op->object / 8));

	for (uint32_t i = cell->atomics; i; i = weak->atomics.items[i - 1].next)
		if (weak->atomics.items[i - 1].object == op->object && weak->atomics.items[i - 1].bytes == op->size)
			return &weak->atomics.items[i - 1];
	vector_add(&weak->atomics, (struct atomic){.object = op->object, .bytes = op->size, .next = cell->atomics});
	weak_put(weak, ARRAY_CELLS, &cell->atomics, weak->atomics.count);
	if (op->size > weak->most_bytes)
		weak->most_bytes = op->size;
	return &weak->atomics.items[weak->atomics.count - 1];
}

/*
 * Atomics of different sizes may overlap: std::shared_ptr counts in two halves of a word and
 * looks at both with one load.  Such a load takes over from whoever wrote some of its bytes.
 */
static void atomic_load(struct weak *weak, uint32_t now, unsigned thread, const struct op *op)
{
	uint64_t reach = weak->most_bytes, start = op->object > reach ? op->object - reach : 0;
	bool acquired = order_acquires(op->order);
	uint32_t seen = weak->latest.seen[thread];

	for (uint64_t word = start / 8; word * 8 < op->object + op->size; word++)
		for (uint32_t i = first_atomic(weak, word); i; i = weak->atomics.items[i - 1].next) {
			const struct atomic *atomic = &weak->atomics.items[i - 1];
			if (atomic->object >= op->object + op->size || op->object >= atomic->object + atomic->bytes)
				continue;
			if (acquired)
				join(weak, now, atomic->clock);
			else
				seen = joined(weak, seen, atomic->clock);
		}
	weak_put(weak, ARRAY_LATEST, &weak->latest.seen[thread], seen);
}

/* What was in the bytes before is gone. */
static void forget_covered(struct weak *weak, const struct op *op)
{
	for (uint64_t word = op->object / 8; word * 8 < op->object + op->size; word++)
		for (uint32_t i = first_atomic(weak, word); i; i = weak->atomics.items[i - 1].next) {
			struct atomic *old = &weak->atomics.items[i - 1];
			if (old->object >= op->object && old->object + old->bytes <= op->object + op->size)
				weak_put(weak, ARRAY_ATOMICS, &old->clock, 0);
		}
}

/* A store starts a new release sequence; an update goes on with the one it read from. */
static void atomic_store(struct weak *weak, uint32_t now, unsigned thread, const struct op *op, bool goes_on)
{
	struct atomic *atomic = find_atomic(weak, op);
	uint32_t passed = order_releases(op->order) ? now : weak->latest.released[thread];

	if (!goes_on)
		forget_covered(weak, op);
	weak_put(weak, ARRAY_ATOMICS, &atomic->clock, joined(weak, atomic->clock, passed));
}

static void fence(struct weak *weak, uint32_t now, unsigned thread, unsigned order)
{
	if (order_acquires(order))
		join(weak, now, weak->latest.seen[thread]);
	if (order_releases(order))
		weak_put(weak, ARRAY_LATEST, &weak->latest.released[thread], now);
}

/* System calls synchronise with each other, whatever they are about. */
static struct cell *find_object(struct weak *weak, const struct op *op)
{
	unsigned object_class = event_table[op->kind].object_class;

	return cell_of(weak, object_key(object_class, object_class == OBJECT_SYSTEM ? 0 : op->object));
}

static void take_object(struct weak *weak, uint32_t now, const struct op *op)
{
	const struct cell *cell = find_object(weak, op);

	switch (event_table[op->kind].effect) {
	case EFFECT_ACQUIRE:
	case EFFECT_TRY_ACQUIRE:
	case EFFECT_CHANGE: join(weak, now, cell->readers); /* fall through */
	case EFFECT_READ_ACQUIRE:
	case EFFECT_TRY_READ_ACQUIRE:
	case EFFECT_TEST: join(weak, now, cell->clock); break;
	}
}

static void pass_object(struct weak *weak, uint32_t now, const struct op *op)
{
	struct cell *cell = find_object(weak, op);
	unsigned effect = event_table[op->kind].effect;

	if (effect == EFFECT_READ_RELEASE)
		weak_put(weak, ARRAY_CELLS, &cell->readers, joined(weak, cell->readers, now));
	/* who arrives at a barrier hands over to the last one, and who ends to the one that ends the process */
	if (effect == EFFECT_RELEASE || effect == EFFECT_CHANGE || op_arrives(op))
		weak_put(weak, ARRAY_CELLS, &cell->clock, joined(weak, cell->clock, now));
}

static bool is_synchronisation(const struct op *op)
{
	return op_is_on(op, OBJECT_ORDERS) && !event_is(op->kind, EV_INIT | EV_DESTROY);
}

/* What the event takes over from other threads, before its own accesses are checked. */
static void take_over(struct weak *weak, uint32_t now, const struct event *event)
{
	const struct latest *latest = &weak->latest;
	const struct op *op = &event->op;
	unsigned thread = event->thread;

	if (!latest->count[thread])
		join(weak, now, latest->created[thread]);
	if (is_synchronisation(op))
		take_object(weak, now, op);
	if (event_is(op->kind, EV_LET_GO))
		join(weak, now, latest->woken[thread]);
	switch (op->kind) {
	case EV_JOIN:
	case EV_TRYJOIN: join(weak, now, latest->exited[op->target]); break;
	case EV_ATOMIC_LOAD:
	case EV_ATOMIC_CAS_FAIL:
	case EV_ATOMIC_RMW:
	case EV_ATOMIC_RMW_SAME:
	case EV_ATOMIC_CAS: atomic_load(weak, now, thread, op); break;
	case EV_FENCE: fence(weak, now, thread, op->order); break;
	}
}

/* The mutex that a wait on a condition variable releases. */
static void pass_mutex(struct weak *weak, uint32_t now, uint64_t mutex)
{
	struct cell *cell = cell_of(weak, object_key(OBJECT_MUTEX, mutex));

	weak_put(weak, ARRAY_CELLS, &cell->clock, joined(weak, cell->clock, now));
}

static void pass_on(struct weak *weak, uint32_t now, const struct event *event)
{
	struct latest *latest = &weak->latest;
	const struct op *op = &event->op;
	unsigned thread = event->thread;

	if (is_synchronisation(op))
		pass_object(weak, now, op);
	if (event_is(op->kind, EV_LETS_GO))
		for (uint64_t left = event->value; left; left &= left - 1)
			weak_put(weak, ARRAY_LATEST, &latest->woken[__builtin_ctzll(left)], now);
	switch (op->kind) {
	case EV_CREATE: weak_put(weak, ARRAY_LATEST, &latest->created[op->target], now); break;
	case EV_EXIT: weak_put(weak, ARRAY_LATEST, &latest->exited[thread], now); break;
	case EV_COND_WAIT: pass_mutex(weak, now, op->object2); break;
	case EV_ATOMIC_STORE: atomic_store(weak, now, thread, op, false); break;
	case EV_ATOMIC_RMW:
	case EV_ATOMIC_RMW_SAME:
	case EV_ATOMIC_CAS: atomic_store(weak, now, thread, op, true); break;
	}
}

/* --- accesses --- */

static void add_race(struct weak *weak, uint32_t first, uint32_t second)
{
	invariant(first < second);
	if (second < weak->from)
		return;
	vector_add(&weak->races,
		   (struct race){.first = first, .second = second, .thread = weak->trace->events[second].thread});
}

/* Races are listed oldest first, accesses newest first. */
static void reverse_races(struct weak *weak, uint32_t start)
{
	for (uint32_t end = weak->races.count; start + 1 < end; start++, end--) {
		struct race race = weak->races.items[start];
		weak->races.items[start] = weak->races.items[end - 1];
		weak->races.items[end - 1] = race;
	}
}

static void check_word(struct weak *weak, struct cell *cell, uint32_t now, struct access access)
{
	uint32_t races = weak->races.count, *link = &cell->accesses;
	enum array array = ARRAY_CELLS;

	while (*link) {
		struct access *old = &weak->accesses.items[*link - 1];
		bool ordered = old->thread == access.thread || old->count <= row(weak, now)[old->thread];
		bool conflict = old->mask & access.mask && (old->writes || access.writes);
		if (conflict && !ordered && (old->plain || access.plain))
			add_race(weak, old->event, access.event);
		/* whatever races with the old one later also races with a new write after it */
		bool hidden = ordered && access.plain >= old->plain &&
			      (access.writes || (!old->writes && old->thread == access.thread));
		if (hidden && !(old->mask & ~access.mask)) {
			weak_put(weak, array, link, old->next);
			continue;
		}
		if (hidden)
			weak_put(weak, ARRAY_ACCESSES, &old->mask, old->mask & ~access.mask);
		link = &old->next;
		array = ARRAY_ACCESSES;
	}
	reverse_races(weak, races);
	invariant(cell->accesses <= weak->accesses.count);
	debug_invariant(!cell->accesses || weak->accesses.items[cell->accesses - 1].event <= access.event);
	access.next = cell->accesses;
	vector_add(&weak->accesses, access);
	weak_put(weak, ARRAY_CELLS, &cell->accesses, weak->accesses.count);
}

/*
 * A large block is freed: only the words that there are need to be looked at.  Whatever
 * touches it later is found when it does, as a use after free.
 */
static void check_free(struct weak *weak, const struct op *op, uint32_t now, struct access access)
{
	uint64_t first = op->object / 8, last = (op->object + op->size - 1) / 8;

	for (uint32_t i = 0; i < weak->keys.count; i++) {
		uint64_t key = weak->keys.keys[i], word = key_word(key);
		if (!key_is_word(key) || word < first || word > last || !weak->cells[i].accesses)
			continue;
		access.mask = bytes_of_word(op, word);
		check_word(weak, &weak->cells[i], now, access);
	}
}

static void check_access(struct weak *weak, uint32_t now, uint32_t i)
{
	const struct event *event = &weak->trace->events[i];
	const struct op *op = &event->op;
	struct access access = {.event = i,
				.count = weak->latest.count[event->thread],
				.thread = event->thread,
				.writes =
					event_table[op->kind].effect == EFFECT_WRITE || op->kind == EV_ATOMIC_RMW_SAME,
				.plain = event_is(op->kind, EV_PLAIN)};
	uint64_t end = op->object + op->size;

	if (op->kind == EV_FREE && op->size > LARGE_FREE) {
		check_free(weak, op, now, access);
		return;
	}
	for (uint64_t word = op->object / 8; word * 8 < end; word++) {
		access.mask = bytes_of_word(op, word);
		check_word(weak, cell_of(weak, word_key(word)), now, access);
	}
}

/*
 * A synchronisation object is used, for which its first byte stands: to begin and to end it are plain writes, all else is as
 * if it looked at an atomic.
 */
static void check_use(struct weak *weak, uint32_t now, uint32_t i)
{
	const struct event *event = &weak->trace->events[i];
	const struct op *op = &event->op;
	bool writes = event_is(op->kind, EV_INIT | EV_DESTROY);
	struct access access = {.event = i,
				.count = weak->latest.count[event->thread],
				.thread = event->thread,
				.mask = (uint8_t)(1u << op->object % 8),
				.writes = writes,
				.plain = writes};

	if (!event_is(op->kind, EV_APART))
		check_word(weak, cell_of(weak, word_key(op->object / 8)), now, access);
}

/* --- the pass --- */

static bool has_weak_atomics(struct weak *weak, const struct trace *trace, uint32_t from)
{
	weak->scanned = weak->scanned < from ? weak->scanned : from;
	if (weak->first != NO_EVENT && weak->first >= from)
		weak->first = NO_EVENT;
	for (; weak->first == NO_EVENT && weak->scanned < trace->nevents; weak->scanned++)
		if (op_is_weak(&trace->events[weak->scanned].op))
			weak->first = weak->scanned;
	invariant(weak->scanned <= trace->nevents && (weak->first == NO_EVENT || weak->first < weak->scanned));
	return weak->first != NO_EVENT;
}

static void one_event(struct weak *weak, uint32_t i)
{
	const struct event *event = &weak->trace->events[i];
	uint32_t *count = &weak->latest.count[event->thread], now;

	invariant(event->thread < weak->width);
	extent_keep(weak, i);
	now = copy_row(weak, weak->latest.now[event->thread]);
	take_over(weak, now, event);
	weak_put(weak, ARRAY_LATEST, count, *count + 1);
	row(weak, now)[event->thread] = *count;
	if (event_table[event->op.kind].object_class == OBJECT_MEMORY && !event_takes_away(event->op.kind))
		check_access(weak, now, i);
	if (op_has_object(&event->op))
		check_use(weak, now, i);
	pass_on(weak, now, event);
	debug_invariant(covers(weak, now, weak->latest.now[event->thread])); /* clocks only grow */
	weak_put(weak, ARRAY_LATEST, &weak->latest.now[event->thread], now);
}

/* Room for clocks of all threads of the trace. */
static void widen(struct weak *weak, uint32_t nthreads)
{
	invariant(nthreads <= MAX_THREADS);
	if (nthreads <= weak->width)
		return;
	back_to(weak, 0);
	weak->width = (nthreads + 3) / 4 * 4;
	weak->rows = array_grow(weak->rows, &weak->rows_size, weak->width, sizeof *weak->rows);
	memset(weak->rows, 0, weak->width * sizeof *weak->rows);
	weak->nrows = 1;
}

const struct race *weak_races(struct weak *weak, const struct trace *trace, uint32_t from, uint32_t *nraces)
{
	*nraces = weak->races.count = 0;
	weak->trace = trace;
	weak->from = from;
	back_to(weak, from);
	if (!has_weak_atomics(weak, trace, from))
		return NULL;
	widen(weak, trace->nthreads);
	weak->extents = array_grow(weak->extents, &weak->extents_size, trace->nevents, sizeof *weak->extents);
	for (; weak->known < trace->nevents && !stop_due(); weak->known++)
		one_event(weak, weak->known);
	*nraces = weak->races.count;
	return weak->races.items;
}
