#include "explore/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/trouble.h"
#include "wire/channel.h"

#define NO_EVENT UINT32_MAX

/*
 * Per object the events that a later one may still have to be compared with.  A
 * cell is a word of memory or a synchronisation object; its accesses are a list,
 * newest first, from which an event disappears once every later conflict with it
 * is also one with an event after it.
 */
struct access {
	uint32_t event;
	uint32_t next; /* index + 1 into accesses, 0: the end */
	uint8_t mask; /* bytes of the word */
	uint8_t writes; /* changes the object for everybody: nothing before matters any more */
	uint8_t use; /* of a synchronisation object in the word: only the end of its block conflicts with it */
};

struct cell {
	uint64_t key;
	uint32_t epoch; /* of the trace it belongs to; others are free */
	uint32_t head;
	uint32_t last_acquire; /* the last to take it alone */
};

/*
 * A large block that was freed: too many words to have a cell each, and hardly any of them
 * is touched again.
 */
struct freed {
	uint64_t start, end;
	uint32_t event;
};

#define LARGE_FREE 256 /* bytes */

struct order_state {
	struct cell *cells; /* a hash table, power of two */
	uint32_t ncells, used, epoch;
	struct access *accesses;
	uint32_t naccesses, accesses_size;
	struct freed *freed;
	uint32_t nfreed, freed_size;
	uint32_t *found; /* conflicting earlier events of the current one */
	uint32_t nfound, found_size;
	uint32_t local_size, cause_size, rows, races_size;
	uint64_t clocks_size;
	uint32_t from;
	uint32_t last[MAX_THREADS]; /* last event of each thread */
	uint32_t last_visible[MAX_THREADS]; /* … that is not EV_LOCAL */
	uint32_t count[MAX_THREADS];
	bool settled[MAX_THREADS]; /* joined or detached */
	uint32_t created[MAX_THREADS], exited[MAX_THREADS], woken[MAX_THREADS];
	uint32_t block[MAX_THREADS]; /* the beginning of the atomic block that the thread is in */
};

void order_init(struct order *order)
{
	struct order_state *state = xcalloc(1, sizeof *state);

	*order = (struct order){.state = state};
	state->ncells = 1024;
	state->cells = xcalloc(state->ncells, sizeof *state->cells);
}

void order_release(struct order *order)
{
	free(order->state->cells);
	free(order->state->accesses);
	free(order->state->freed);
	free(order->state->found);
	free(order->state);
	free(order->local);
	free(order->cause);
	free(order->clocks);
	free(order->races);
	*order = (struct order){0};
}

/* Make room for n elements of the given size, at least doubling. */
static void *grow(void *old, uint32_t *have, uint32_t need, size_t size)
{
	if (need <= *have)
		return old;
	*have = need > 2 * *have ? need : 2 * *have;
	return xrealloc(old, *have * size);
}

/* --- cells --- */

static uint64_t hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ull;
	return key ^ key >> 29;
}

static struct cell *probe(struct order_state *state, uint64_t key)
{
	for (uint64_t i = hash(key);; i++) {
		struct cell *cell = &state->cells[i & (state->ncells - 1)];
		if (cell->epoch != state->epoch || cell->key == key)
			return cell;
	}
}

static void grow_cells(struct order_state *state)
{
	struct cell *old = state->cells;
	uint32_t n = state->ncells;

	state->ncells *= 2;
	state->cells = xcalloc(state->ncells, sizeof *state->cells);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].epoch == state->epoch)
			*probe(state, old[i].key) = old[i];
	free(old);
}

static struct cell *find_cell(struct order_state *state, uint64_t key)
{
	struct cell *cell = probe(state, key);

	if (cell->epoch == state->epoch)
		return cell;
	if (state->used * 2 > state->ncells) {
		grow_cells(state);
		cell = probe(state, key);
	}
	state->used++;
	*cell = (struct cell){.key = key, .epoch = state->epoch, .last_acquire = NO_EVENT};
	return cell;
}

enum { CLASS_BITS = 4 };

/* Words of memory and synchronisation objects never share a key. */
static uint64_t word_key(uint64_t word)
{
	return word << CLASS_BITS;
}

static uint64_t object_key(unsigned object_class, uint64_t object)
{
	return object << CLASS_BITS | object_class;
}

static void add_access(struct order_state *state, struct cell *cell, struct access access)
{
	state->accesses = grow(state->accesses, &state->accesses_size, state->naccesses + 1, sizeof access);
	access.next = cell->head;
	state->accesses[state->naccesses++] = access;
	cell->head = state->naccesses;
}

static void note(struct order_state *state, uint32_t event)
{
	for (uint32_t i = 0; i < state->nfound; i++)
		if (state->found[i] == event)
			return;
	state->found = grow(state->found, &state->found_size, state->nfound + 1, sizeof *state->found);
	state->found[state->nfound++] = event;
}

/* --- clocks --- */

static uint32_t *row(struct order *order, uint32_t n)
{
	return order->clocks + (uint64_t)n * order->width;
}

static void need_rows(struct order *order, uint32_t rows)
{
	struct order_state *state = order->state;
	uint64_t need = (uint64_t)rows * order->width;

	if (need <= state->clocks_size)
		return;
	state->clocks_size = need > 2 * state->clocks_size ? need : 2 * state->clocks_size;
	order->clocks = xrealloc(order->clocks, state->clocks_size * sizeof *order->clocks);
}

static void join(struct order *order, uint32_t to, uint32_t from)
{
	uint32_t *a = row(order, to);
	const uint32_t *b = row(order, from);

	for (uint32_t i = 0; i < order->width; i++)
		a[i] = a[i] > b[i] ? a[i] : b[i];
}

static bool covers(const struct order *order, uint32_t clock_row, uint32_t event)
{
	return order->local[event] <= order_clock(order, clock_row)[order->trace->events[event].thread];
}

/* --- races --- */

static void add_race(struct order *order, uint32_t first, uint32_t second, uint8_t thread, uint32_t clock_row)
{
	struct order_state *state = order->state;

	uint32_t node = first;

	assert(first < second && order->trace->events[first].thread != thread);
	if (second < state->from)
		return;
	while (order->trace->events[node].forced)
		node--;
	/* inside an atomic block nobody else runs: it is the whole block that must come later */
	if (node != first && covers(order, clock_row, node))
		return;
	order->races = grow(order->races, &state->races_size, order->nraces + 1, sizeof *order->races);
	order->races[order->nraces++] =
		(struct race){.first = first, .node = node, .second = second, .thread = thread, .clock = clock_row};
}

/* The second event, which came after the beginning of the block, comes before it. */
static void add_block_race(struct order *order, uint32_t begin, uint32_t second)
{
	order->races = grow(order->races, &order->state->races_size, order->nraces + 1, sizeof *order->races);
	order->races[order->nraces++] = (struct race){.first = begin,
						      .node = begin,
						      .second = second,
						      .thread = order->trace->events[second].thread,
						      .clock = second};
}

/* A row of its own with the clock as it is now: later joins must not show in the race. */
static uint32_t keep_clock(struct order *order, uint32_t from)
{
	uint32_t kept = order->state->rows++;

	need_rows(order, kept + 1);
	memcpy(row(order, kept), row(order, from), order->width * sizeof *order->clocks);
	return kept;
}

static bool takes_for_reading(unsigned effect)
{
	return effect == EFFECT_READ_ACQUIRE || effect == EFFECT_TRY_READ_ACQUIRE;
}

/* A blocking acquire of the object in the cell, that had to wait or still does. */
struct acquire {
	const struct op *op;
	const struct cell *cell;
	uint32_t event; /* nevents if it is pending */
	uint32_t clock; /* row: before any conflict */
	uint8_t thread;
};

/* In the race it still comes after what does not depend on the first: other readers of the same lock. */
static void join_others(struct order *order, const struct acquire *acquire, uint32_t first, uint32_t clock_row)
{
	for (uint32_t i = acquire->cell->head; i;) {
		const struct access *access = &order->state->accesses[i - 1];
		if (!order_before(order, first, access->event) &&
		    ops_conflict(&order->trace->events[access->event].op, acquire->op))
			join(order, clock_row, access->event);
		i = access->next;
	}
}

static void race_across_release(struct order *order, uint32_t first, const struct acquire *acquire)
{
	if (first == NO_EVENT || order->trace->events[first].thread == acquire->thread ||
	    covers(order, acquire->clock, first) || acquire->event < order->state->from)
		return;
	uint32_t clock_row = keep_clock(order, acquire->clock);
	join_others(order, acquire, first, clock_row);
	add_race(order, first, acquire->event, acquire->thread, clock_row);
}

/*
 * A blocking acquire races with the acquires that it had to wait for, across the
 * releases that let it through; so this comes before the releases are joined.  A
 * writer waits for all readers since the last writer, or else for that one.
 */
static void races_across_releases(struct order *order, const struct acquire *acquire)
{
	bool readers = false;

	for (uint32_t i = acquire->cell->head; i && event_table[acquire->op->kind].effect == EFFECT_ACQUIRE;) {
		const struct access *access = &order->state->accesses[i - 1];
		if (takes_for_reading(event_table[order->trace->events[access->event].op.kind].effect)) {
			readers = true;
			race_across_release(order, access->event, acquire);
		}
		i = access->next;
	}
	if (!readers)
		race_across_release(order, acquire->cell->last_acquire, acquire);
}

static int newest_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/*
 * Would the wait on a semaphore have been impossible without this post, and what
 * depends on the post?  No other wait came in between: all of them conflict.
 */
static bool needs_post(const struct order *order, uint32_t post, uint32_t event)
{
	const struct order_state *state = order->state;
	const struct event *e = &order->trace->events[event], *f = &order->trace->events[post];
	uint64_t lost = 0;

	if (e->op.kind != EV_SEM_WAIT || f->op.kind != EV_SEM_POST)
		return false;
	for (uint32_t i = 0; i < state->nfound; i++)
		lost += order->trace->events[state->found[i]].op.kind == EV_SEM_POST && state->found[i] >= post &&
			order_before(order, post, state->found[i]);
	return e->value <= lost;
}

/*
 * Where a thread has to wait inside its atomic block, others get in.  So what enables such
 * a wait races with the whole block: it could have come too late, or else early enough.
 */
static void block_race(struct order *order, uint32_t earlier, uint32_t event)
{
	const struct event *e = &order->trace->events[event];
	uint32_t begin = order->state->block[e->thread];

	if (begin == NO_EVENT || event < order->state->from)
		return;
	if (e->forced)
		add_race(order, earlier, event, e->thread, event);
	else if (begin < earlier && !covers(order, earlier, begin))
		add_block_race(order, begin, earlier);
}

/* Order the event after all it was found to conflict with; note the races. */
static void settle(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct event *e = &order->trace->events[event];

	if (state->nfound > 1)
		qsort(state->found, state->nfound, sizeof *state->found, newest_first);
	for (uint32_t i = 0; i < state->nfound; i++) {
		uint32_t earlier = state->found[i];
		const struct event *f = &order->trace->events[earlier];
		if (covers(order, event, earlier))
			continue;
		if (f->thread != e->thread && ops_may_be_coenabled(&f->op, &e->op) &&
		    !needs_post(order, earlier, event))
			add_race(order, earlier, event, e->thread, event);
		else if (f->thread != e->thread)
			block_race(order, earlier, event);
		join(order, event, earlier);
	}
	state->nfound = 0;
}

/* --- conflicts, object by object --- */

/* Note what in the cell the access conflicts with, and take out what it hides. */
static void compare_word(struct order *order, uint32_t event, struct cell *cell, uint8_t mask, bool writes)
{
	struct order_state *state = order->state;
	uint8_t thread = order->trace->events[event].thread;
	bool frees = order->trace->events[event].op.kind == EV_FREE;
	uint32_t *link = &cell->head;

	while (*link) {
		struct access *access = &state->accesses[*link - 1];
		/* what is known to come before is not even noted: a thread that frees a large block wrote all of it */
		if (access->mask & mask && (access->use ? frees : writes || access->writes) &&
		    !covers(order, event, access->event))
			note(state, access->event);
		/* a write hides what it covers, but only a free what a free conflicts with; a read the same thread's reads */
		bool special = access->use || order->trace->events[access->event].op.kind == EV_FREE;
		if (special ? frees
			    : writes || (!access->writes && order->trace->events[access->event].thread == thread))
			access->mask &= (uint8_t)~mask;
		if (access->mask)
			link = &access->next;
		else
			*link = access->next;
	}
}

static void memory_word(struct order *order, uint32_t event, uint64_t word, uint8_t mask, bool writes)
{
	struct cell *cell = find_cell(order->state, word_key(word));

	compare_word(order, event, cell, mask, writes);
	add_access(order->state, cell, (struct access){.event = event, .mask = mask, .writes = writes});
}

/* Compare with the cells that there are, whichever way there are fewer to look at. */
static void compare_range(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct op *op = &order->trace->events[event].op;
	uint64_t first = op->object / 8, last = (op->object + op->size - 1) / 8;

	if (last - first < state->ncells) {
		for (uint64_t word = first; word <= last; word++) {
			struct cell *cell = probe(state, word_key(word));
			if (cell->epoch == state->epoch)
				compare_word(order, event, cell, bytes_of_word(op, word), true);
		}
		return;
	}
	for (uint32_t i = 0; i < state->ncells; i++) {
		struct cell *cell = &state->cells[i];
		uint64_t word = cell->key >> CLASS_BITS;
		if (cell->epoch == state->epoch && word_key(word) == cell->key && word >= first && word <= last)
			compare_word(order, event, cell, bytes_of_word(op, word), true);
	}
}

/* A synchronisation object on the heap is used: was its block freed, or will it be? */
static void use_object(struct order *order, uint32_t event, uint64_t object)
{
	struct order_state *state = order->state;
	struct cell *cell = find_cell(state, word_key(object / 8));
	uint8_t mask = (uint8_t)(1u << object % 8), thread = order->trace->events[event].thread;
	uint32_t *link = &cell->head;

	while (*link) {
		struct access *access = &state->accesses[*link - 1];
		const struct event *earlier = &order->trace->events[access->event];
		if (access->mask & mask && earlier->op.kind == EV_FREE)
			note(state, access->event);
		if (access->use && access->mask == mask && earlier->thread == thread)
			*link = access->next;
		else
			link = &access->next;
	}
	for (uint32_t i = 0; i < state->nfreed; i++)
		if (state->freed[i].start <= object && object < state->freed[i].end)
			note(state, state->freed[i].event);
	add_access(state, cell, (struct access){.event = event, .mask = mask, .use = true});
}

static bool is_on_heap(uint64_t object)
{
	return object - HEAP_ADDRESS < MAX_THREADS * HEAP_SIZE;
}

static void free_large(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct op *op = &order->trace->events[event].op;
	struct freed new = {.start = op->object, .end = op->object + op->size, .event = event};
	uint32_t kept = 0;

	compare_range(order, event);
	for (uint32_t i = 0; i < state->nfreed; i++)
		if (state->freed[i].start < new.start || state->freed[i].end > new.end)
			state->freed[kept++] = state->freed[i];
	state->nfreed = kept;
	state->freed = grow(state->freed, &state->freed_size, kept + 1, sizeof new);
	state->freed[state->nfreed++] = new;
}

static void memory_conflicts(struct order *order, uint32_t event)
{
	const struct order_state *state = order->state;
	const struct op *op = &order->trace->events[event].op;
	bool writes = event_table[op->kind].effect == EFFECT_WRITE;
	uint64_t end = op->object + op->size;

	for (uint32_t i = 0; i < state->nfreed; i++)
		if (state->freed[i].start < end && op->object < state->freed[i].end)
			note(order->state, state->freed[i].event);
	if (op->kind == EV_FREE && op->size > LARGE_FREE) {
		free_large(order, event);
		return;
	}
	for (uint64_t word = op->object / 8; word * 8 < end; word++)
		memory_word(order, event, word, bytes_of_word(op, word), writes);
}

static bool takes_exclusively(unsigned effect)
{
	return effect == EFFECT_ACQUIRE || effect == EFFECT_TRY_ACQUIRE;
}

/* Does the effect conflict with every effect on such an object? */
static bool is_total(unsigned effect)
{
	return effect == EFFECT_CHANGE || effect == EFFECT_SIGNAL || takes_exclusively(effect);
}

static bool is_of_reader(const struct op *op)
{
	unsigned effect = event_table[op->kind].effect;

	return (takes_for_reading(effect) && op->kind != EV_ONCE_PASS) || effect == EFFECT_READ_RELEASE;
}

/* Does the thread hold the read-write lock for reading?  All it did since it last held none is still in the cell. */
static bool holds_for_reading(const struct order *order, const struct cell *cell, unsigned thread)
{
	int count = 0;

	for (uint32_t i = cell->head; i; i = order->state->accesses[i - 1].next) {
		const struct event *event = &order->trace->events[order->state->accesses[i - 1].event];
		if (event->thread == thread && is_of_reader(&event->op))
			count += event_table[event->op.kind].effect == EFFECT_READ_RELEASE ? -1 : 1;
	}
	return count > 0;
}

/*
 * The same thread again: who races with the earlier event races with this one first.  Of a
 * reader that takes its lock several times at once, a writer can come before the first only.
 */
static bool is_repeated(const struct event *earlier, const struct event *event, bool nested)
{
	if (earlier->thread != event->thread)
		return false;
	if (is_of_reader(&event->op))
		return is_of_reader(&earlier->op) && !nested &&
		       event_table[event->op.kind].effect != EFFECT_READ_RELEASE;
	return earlier->op.kind == event->op.kind && earlier->op.object2 == event->op.object2;
}

static void object_conflicts(struct order *order, uint32_t event, unsigned object_class, uint64_t object,
			     unsigned effect)
{
	struct order_state *state = order->state;
	struct cell *cell = find_cell(state, object_key(object_class, object));
	const struct event *e = &order->trace->events[event];
	uint32_t *link = &cell->head;
	bool nested = is_of_reader(&e->op) && holds_for_reading(order, cell, e->thread);

	if (effect == EFFECT_ACQUIRE || effect == EFFECT_READ_ACQUIRE)
		races_across_releases(order, &(struct acquire){.op = &e->op,
							       .cell = cell,
							       .event = event,
							       .clock = event,
							       .thread = e->thread});
	while (*link) {
		struct access *access = &state->accesses[*link - 1];
		const struct event *f = &order->trace->events[access->event];
		bool conflict = ops_conflict(&f->op, &e->op);
		if (conflict)
			note(state, access->event);
		bool hidden = (conflict && is_total(effect)) || is_repeated(f, e, nested);
		if (hidden)
			*link = access->next;
		else
			link = &access->next;
	}
	add_access(state, cell, (struct access){.event = event, .mask = 0xff});
	if (takes_exclusively(effect))
		cell->last_acquire = event;
}

/* The end of the process, or a timeout that nobody else could prevent, conflicts with the last visible event of every thread. */
static void end_conflicts(struct order *order, uint32_t event)
{
	for (uint32_t i = 0; i < order->width; i++)
		if (order->state->last_visible[i] != NO_EVENT && i != order->trace->events[event].thread)
			note(order->state, order->state->last_visible[i]);
}

/* A lock that was waited for in vain: its race is that of an operation that is still pending. */
static void timeout_races(struct order *order, uint32_t event)
{
	const struct event *e = &order->trace->events[event];
	struct op op = e->op;

	op.kind = (uint8_t)e->instead;
	const struct event_info *info = &event_table[op.kind];
	if (info->effect != EFFECT_ACQUIRE && info->effect != EFFECT_READ_ACQUIRE)
		return;
	struct cell *cell = find_cell(order->state, object_key(info->object_class, op.object));
	races_across_releases(
		order, &(struct acquire){.op = &op, .cell = cell, .event = event, .clock = event, .thread = e->thread});
}

static void conflicts(struct order *order, uint32_t event)
{
	const struct op *op = &order->trace->events[event].op;
	const struct event_info *info = &event_table[op->kind];

	if (op->kind == EV_TIMEOUT)
		timeout_races(order, event);
	if (info->flags & (EV_END | EV_QUIET))
		end_conflicts(order, event);
	else if (info->object_class == OBJECT_MEMORY)
		memory_conflicts(order, event);
	else if (info->object_class != OBJECT_NONE)
		object_conflicts(order, event, info->object_class, op->object, info->effect);
	if (info->object_class != OBJECT_MEMORY && op->size) /* CANCELLABLE() */
		object_conflicts(order, event, OBJECT_THREAD, op->size - 1, EFFECT_TEST);
	if (op->kind == EV_FUTEX_WAIT)
		object_conflicts(order, event, OBJECT_COND, op->object, EFFECT_WAIT);
	if (info->effect == EFFECT_WAIT)
		object_conflicts(order, event, OBJECT_MUTEX, op->object2, EFFECT_RELEASE);
	if (info->object_class != OBJECT_MEMORY && is_on_heap(op->object))
		use_object(order, event, op->object);
	if (is_on_heap(op->object2))
		use_object(order, event, op->object2);
	settle(order, event);
}

/* --- what enables what --- */

/* The event that made this operation possible, if another thread's did. */
static uint32_t cause_of(const struct order_state *state, const struct op *op, unsigned thread)
{
	if (op->kind == EV_JOIN) /* after a detach or another join it need not wait */
		return state->settled[op->target] ? NO_EVENT : state->exited[op->target];
	if (op->kind == EV_COND_WAKE || op->kind == EV_BARRIER_LEAVE || op->kind == EV_FUTEX_WOKEN)
		return state->woken[thread];
	if (state->last[thread] == NO_EVENT)
		return state->created[thread];
	return NO_EVENT;
}

/* The clock of a thread's next operation before any conflict; returns its cause, + 1. */
static uint32_t begin_clock(struct order *order, uint32_t clock_row, const struct op *op, unsigned thread)
{
	struct order_state *state = order->state;
	uint32_t *clock = row(order, clock_row);
	uint32_t cause = cause_of(state, op, thread);

	if (state->last[thread] != NO_EVENT)
		memcpy(clock, row(order, state->last[thread]), order->width * sizeof *clock);
	else
		memset(clock, 0, order->width * sizeof *clock);
	if (state->last[thread] == NO_EVENT && state->created[thread] != NO_EVENT)
		join(order, clock_row, state->created[thread]);
	if (cause != NO_EVENT)
		join(order, clock_row, cause);
	return cause + 1;
}

static void remember(struct order *order, uint32_t event)
{
	struct order_state *state = order->state;
	const struct event *e = &order->trace->events[event];

	state->last[e->thread] = event;
	if (!event_is(e->op.kind, EV_LOCAL))
		state->last_visible[e->thread] = event;
	switch (e->op.kind) {
	case EV_CREATE: state->created[e->op.target] = event; break;
	case EV_EXIT: state->exited[e->thread] = event; break;
	case EV_ATOMIC_BEGIN: state->block[e->thread] = event; break;
	case EV_ATOMIC_END: state->block[e->thread] = NO_EVENT; break;
	case EV_JOIN:
	case EV_TRYJOIN:
	case EV_DETACH: state->settled[e->op.target] = true; break;
	case EV_COND_SIGNAL:
	case EV_COND_BROADCAST:
	case EV_BARRIER_LAST:
	case EV_FUTEX_WAKE:
	case EV_FUTEX_WAKE_ALL:
		for (uint64_t left = e->value; left; left &= left - 1)
			state->woken[__builtin_ctzll(left)] = event;
		break;
	}
}

static void one_event(struct order *order, uint32_t event)
{
	const struct event *e = &order->trace->events[event];

	assert(e->thread < order->width && e->op.kind < EV_COUNT && e->op.kind != EV_NOTHING);
	order->local[event] = ++order->state->count[e->thread];
	order->cause[event] = begin_clock(order, event, &e->op, e->thread);
	conflicts(order, event);
	row(order, event)[e->thread] = order->local[event];
	remember(order, event);
}

/* An operation that was still pending when the execution ended. */
static void one_pending(struct order *order, const struct pending *pending)
{
	struct order_state *state = order->state;
	const struct trace *trace = order->trace;
	uint32_t n = order->nevents, clock_row = state->rows++;
	bool ended = n && event_is(trace->events[n - 1].op.kind, EV_END);
	const struct event_info *info = &event_table[pending->op.kind];

	need_rows(order, clock_row + 1);
	order->pending_cause[pending->thread] = begin_clock(order, clock_row, &pending->op, pending->thread);
	if (ended && pending->enabled && trace->events[n - 1].thread != pending->thread)
		add_race(order, n - 1, n, pending->thread, clock_row);
	if ((info->effect != EFFECT_ACQUIRE && info->effect != EFFECT_READ_ACQUIRE) || pending->enabled ||
	    pending->waiting)
		return;
	struct cell *cell = find_cell(state, object_key(info->object_class, pending->op.object));
	races_across_releases(order, &(struct acquire){.op = &pending->op,
						       .cell = cell,
						       .event = n,
						       .clock = clock_row,
						       .thread = pending->thread});
}

void order_compute(struct order *order, const struct trace *trace, uint32_t from)
{
	struct order_state *state = order->state;

	assert(trace->nthreads >= 1 && trace->nthreads <= MAX_THREADS && from <= trace->nevents);
	order->trace = trace;
	order->nevents = trace->nevents;
	order->nraces = 0;
	order->width = trace->nthreads;
	state->from = from;
	state->rows = trace->nevents;
	state->epoch++;
	state->used = state->naccesses = state->nfound = state->nfreed = 0;
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		state->last[i] = state->last_visible[i] = NO_EVENT;
		state->created[i] = state->exited[i] = state->woken[i] = state->block[i] = NO_EVENT;
		state->count[i] = 0;
		state->settled[i] = false;
	}
	order->local = grow(order->local, &state->local_size, trace->nevents + 1, sizeof *order->local);
	order->cause = grow(order->cause, &state->cause_size, trace->nevents + 1, sizeof *order->cause);
	need_rows(order, trace->nevents + 1);
	for (uint32_t i = 0; i < trace->nevents; i++)
		one_event(order, i);
	if (trace->ending == ENDING_STOPPED)
		return;
	for (uint32_t i = 0; i < trace->npending; i++)
		one_pending(order, &trace->pending[i]);
}
