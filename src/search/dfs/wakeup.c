#include "search/dfs/wakeup.h"

#include <assert.h>
#include <stdlib.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "search/dfs/dfs.h"

void wakeups_release(struct wakeups *wakeups)
{
	memory_free(wakeups->all);
	*wakeups = (struct wakeups){0};
}

static struct wakeup *at(struct wakeups *wakeups, uint32_t step)
{
	debug_invariant(step && step < wakeups->used);
	return &wakeups->all[step];
}

static uint32_t new_step(struct wakeups *wakeups, struct wakeup content)
{
	uint32_t step = wakeups->free;

	debug_invariant(content.thread < MAX_THREADS && content.op.kind < EV_COUNT);
	if (step) {
		wakeups->free = at(wakeups, step)->next;
	} else {
		wakeups->used += !wakeups->used; /* the first stands for none */
		step = wakeups->used++;
		wakeups->all = array_grow(wakeups->all, &wakeups->size, wakeups->used, sizeof *wakeups->all);
	}
	wakeups->all[step] = content;
	return step;
}

uint32_t wakeup_open_up(struct wakeups *wakeups, uint32_t step)
{
	struct wakeup *wakeup = at(wakeups, step);
	uint32_t children = wakeup->first;

	wakeup->next = wakeups->free;
	wakeups->free = step;
	return children;
}

/* A step that is reached twice would have the search go round, or have more of them than there are. */
bool wakeup_is_valid(const struct wakeups *wakeups, uint32_t list)
{
	VECTOR(uint32_t) left = {0};
	uint32_t count = 0;
	bool valid = true;

	if (list)
		vector_add(&left, list);
	while (left.count && valid) {
		uint32_t step = vector_pop(&left);
		valid = step < wakeups->used && ++count < wakeups->used;
		if (valid && wakeups->all[step].next)
			vector_add(&left, wakeups->all[step].next);
		if (valid && wakeups->all[step].first)
			vector_add(&left, wakeups->all[step].first);
	}
	vector_release(&left);
	return valid;
}

/* Sequences are long: no recursion along them. */
void wakeup_free(struct wakeups *wakeups, uint32_t list)
{
	while (list) {
		uint32_t next = at(wakeups, list)->next, children = wakeup_open_up(wakeups, list);
		list = next;
		if (!children)
			continue;
		uint32_t last = children;
		while (at(wakeups, last)->next)
			last = at(wakeups, last)->next;
		at(wakeups, last)->next = list;
		list = children;
	}
}

/* --- sequences --- */

void sequence_begin(struct sequence *sequence, uint32_t room)
{
	sequence->nsteps = 0;
	sequence->head = 0;
	sequence->clockless = false;
	sequence->threads = 0;
	sequence->steps = array_grow(sequence->steps, &sequence->size, room, sizeof *sequence->steps);
}

void sequence_release(struct sequence *sequence)
{
	memory_free(sequence->steps);
}

void sequence_pack(const struct sequence *sequence, uint32_t width, struct buffer *buffer)
{
	invariant(width <= MAX_THREADS);
	pack_number(buffer, width);
	pack_number(buffer, sequence->nsteps);
	for (uint32_t i = 0; i < sequence->nsteps; i++) {
		const struct sequence_step *step = &sequence->steps[i];
		pack_number(buffer, step->thread);
		pack_number(buffer, step->choice);
		pack_number(buffer, step->uncertain | step->crowded << 1);
		pack_number(buffer, step->number);
		pack_raw(buffer, step->op, sizeof *step->op);
		pack_raw(buffer, step->clock, width * sizeof *step->clock);
	}
}

void sequence_unpack(struct sequence *sequence, struct packed *packed, struct op **ops, uint32_t **clocks)
{
	uint64_t width = unpack_number(packed);
	uint32_t count = unpack_count(packed, sizeof **ops);

	if (width > MAX_THREADS)
		packed->broken = true;
	if (packed->broken)
		return;
	*ops = memory_new_clear(count, sizeof **ops);
	*clocks = memory_new_clear(count, MAX_THREADS * sizeof **clocks);
	sequence_begin(sequence, count);
	for (uint32_t i = 0; i < count; i++) {
		struct sequence_step *step = sequence_add(sequence, unpack_number(packed) % MAX_THREADS);
		uint32_t *clock = *clocks + (size_t)i * MAX_THREADS;
		step->choice = (uint16_t)unpack_number(packed);
		uint64_t flags = unpack_number(packed);
		step->uncertain = flags & 1;
		step->crowded = flags >> 1 & 1;
		step->number = (uint32_t)unpack_number(packed);
		unpack_raw(packed, *ops + i, sizeof **ops);
		unpack_raw(packed, clock, width * sizeof *clock);
		step->op = *ops + i;
		step->clock = clock;
		step->footprint = op_footprint(step->op);
	}
}

static bool is_left(const struct sequence *sequence, uint32_t i)
{
	unsigned thread = sequence->steps[i].thread;

	debug_invariant(i < sequence->nsteps);
	return (sequence->threads >> thread & 1) && i >= sequence->first[thread];
}

/* Take out the thread's first step. */
static void shorten(struct sequence *sequence, unsigned thread)
{
	uint32_t next = sequence->steps[sequence->first[thread]].next;

	debug_invariant(sequence->threads >> thread & 1);
	debug_invariant(next == NO_STEP || next > sequence->first[thread]);
	sequence->first[thread] = next;
	if (next == NO_STEP)
		sequence->threads &= ~thread_bit(thread);
	while (sequence->threads && !is_left(sequence, sequence->head))
		sequence->head++;
	debug_invariant(!sequence->threads || sequence->head < sequence->nsteps);
}

static bool conflict(const struct op *a, bool a_uncertain, const struct op *b, bool b_uncertain)
{
	debug_invariant(op_footprint(a) & op_footprint(b) || !ops_conflict(a, b));
	if (ops_conflict(a, b))
		return true;
	if (!a_uncertain && !b_uncertain)
		return false;
	struct op c = *a, d = *b;
	if (a_uncertain)
		c.kind = (uint8_t)event_at_its_strongest(a->kind);
	if (b_uncertain)
		d.kind = (uint8_t)event_at_its_strongest(b->kind);
	return ops_conflict(&c, &d);
}

/* An operation that may turn out differently: its clock does not say what it then depends on. */
static bool is_first_of_conflicting(const struct sequence *sequence, uint32_t mine)
{
	const struct sequence_step *step = &sequence->steps[mine];

	for (uint32_t i = sequence->head; i < mine; i++)
		if (step->footprint & sequence->steps[i].footprint && is_left(sequence, i) &&
		    sequence->steps[i].thread != step->thread && conflict(step->op, true, sequence->steps[i].op, false))
			return false;
	return true;
}

static bool depends_on_nothing_before(const struct sequence *sequence, unsigned thread)
{
	uint32_t mine = sequence->first[thread];
	debug_invariant(sequence->threads >> thread & 1 && mine >= sequence->head);
	if (sequence->clockless)
		return is_first_of_conflicting(sequence, mine);
	const uint32_t *clock = sequence->steps[mine].clock;

	for (uint64_t left = sequence->threads & ~thread_bit(thread); left; left &= left - 1) {
		unsigned other = (unsigned)__builtin_ctzll(left);
		uint32_t first = sequence->first[other];
		if (first < mine && clock[other] >= sequence->steps[first].number)
			return false;
	}
	return !sequence->steps[mine].uncertain || is_first_of_conflicting(sequence, mine);
}

/* Does the thread's first step depend on nothing that is left before it? */
static inline bool is_initial(const struct sequence *sequence, unsigned thread)
{
	return sequence->first[thread] == sequence->head || depends_on_nothing_before(sequence, thread);
}

/*
 * Does the operation of a thread that has no step in the sequence depend on nothing in it?  If it came first, then one more
 * would have arrived at a barrier.
 */
static bool is_independent(const struct sequence *sequence, const struct op *op, bool uncertain)
{
	uint64_t footprint = op_footprint(op);

	for (uint32_t i = sequence->head; i < sequence->nsteps; i++) {
		const struct sequence_step *step = &sequence->steps[i];
		if (footprint & step->footprint && is_left(sequence, i) &&
		    conflict(op, uncertain, step->op, step->uncertain || step->crowded))
			return false;
	}
	return true;
}

bool sequence_can_begin_with(const struct sequence *sequence, const struct sleeper *sleeper)
{
	if (sequence->threads >> sleeper->thread & 1)
		return is_initial(sequence, sleeper->thread);
	/* what an atomic block will do is not known when it begins */
	return sleeper->op.kind != EV_ATOMIC_BEGIN && is_independent(sequence, &sleeper->op, false);
}

/* --- trees --- */

/* The same for a step of a tree, which is one outcome of the thread's operation. */
static bool can_begin_with_step(const struct sequence *sequence, const struct wakeup *wakeup)
{
	unsigned thread = wakeup->thread;

	if (!(sequence->threads >> thread & 1))
		return !wakeup->open && is_independent(sequence, &wakeup->op, wakeup->uncertain);
	uint16_t choice = sequence->steps[sequence->first[thread]].choice;
	return (choice == wakeup->choice || choice == ANY_CHOICE || wakeup->choice == ANY_CHOICE) &&
	       is_initial(sequence, thread);
}

/* Append what is left of the sequence as a branch. */
static void append(struct wakeups *wakeups, uint32_t parent, uint32_t previous, uint32_t *list,
		   const struct sequence *sequence)
{
	for (uint32_t i = sequence->head; i < sequence->nsteps; i++) {
		const struct sequence_step *step = &sequence->steps[i];
		if (!is_left(sequence, i))
			continue;
		uint32_t new = new_step(wakeups, (struct wakeup){.op = *step->op,
								 .choice = step->choice,
								 .thread = step->thread,
								 .uncertain = step->uncertain});
		if (previous)
			at(wakeups, previous)->next = new;
		else if (parent)
			at(wakeups, parent)->first = new;
		else
			*list = new;
		parent = new;
		previous = 0;
	}
}

/* Where what is left of the sequence belongs: after the child `previous` of `parent`. */
struct gap {
	uint32_t parent, previous;
};

/* Shorten the sequence by what the tree has of it; true when that stands for all of it. */
static bool find_gap(struct wakeups *wakeups, uint32_t list, struct sequence *sequence, struct gap *gap)
{
	uint32_t child = list;

	*gap = (struct gap){0};
	while (child) {
		const struct wakeup *wakeup = at(wakeups, child);
		if (stop_due())
			return true; /* nothing is to be done any more */
		if (!can_begin_with_step(sequence, wakeup)) {
			gap->previous = child;
			child = wakeup->next;
			continue;
		}
		if (wakeup->open)
			return true; /* all that begins with this thread will be explored */
		if (sequence->threads >> wakeup->thread & 1)
			shorten(sequence, wakeup->thread);
		if (!sequence->threads)
			return true;
		*gap = (struct gap){.parent = child};
		child = wakeup->first;
	}
	return false;
}

void wakeup_insert(struct wakeups *wakeups, uint32_t *list, struct sequence *sequence)
{
	struct gap gap;

	invariant(sequence->threads);
	if (!find_gap(wakeups, *list, sequence, &gap))
		append(wakeups, gap.parent, gap.previous, list, sequence);
	slow_invariant(wakeup_is_valid(wakeups, *list));
}

void wakeup_append(struct wakeups *wakeups, uint32_t *list, const struct sequence *sequence)
{
	uint32_t last = *list;

	invariant(sequence->threads); /* there is a step to be appended */
	while (last && at(wakeups, last)->next)
		last = at(wakeups, last)->next;
	append(wakeups, 0, last, list, sequence);
}

bool wakeup_has(struct wakeups *wakeups, uint32_t list, struct sequence *sequence)
{
	struct gap gap;

	return find_gap(wakeups, list, sequence, &gap);
}

/* --- sequences that change their place --- */

/* From the root to a leaf. */
struct path {
	uint32_t *items;
	uint32_t count, size;
};

static void descend(const struct wakeups *wakeups, struct path *path, uint32_t step)
{
	for (; step; step = wakeups->all[step].first)
		vector_add(path, step);
}

/* To the next leaf; false if it was the last. */
static bool next_path(const struct wakeups *wakeups, struct path *path)
{
	while (path->count) {
		uint32_t next = wakeups->all[vector_pop(path)].next;
		if (!next)
			continue;
		descend(wakeups, path, next);
		return true;
	}
	return false;
}

/* The steps of the path; their operations are copied, as trees move when they grow. */
static void follow_path(const struct wakeups *wakeups, const struct path *path, struct sequence *sequence,
			struct op *ops)
{
	sequence_begin(sequence, path->count);
	sequence->clockless = true;
	for (uint32_t i = 0; i < path->count; i++) {
		const struct wakeup *wakeup = &wakeups->all[path->items[i]];
		struct sequence_step *step = sequence_add(sequence, wakeup->thread);
		ops[i] = wakeup->op;
		step->op = &ops[i];
		step->footprint = op_footprint(&ops[i]);
		step->choice = wakeup->choice;
		step->uncertain = wakeup->uncertain;
		step->crowded = false;
	}
}

static bool is_open(const struct wakeups *wakeups, const struct path *path)
{
	for (uint32_t i = 0; i < path->count; i++)
		if (wakeups->all[path->items[i]].open)
			return true;
	return false;
}

static void unlink_step(struct wakeups *wakeups, uint32_t *list, uint32_t step)
{
	while (*list != step)
		list = &at(wakeups, *list)->next;
	*list = at(wakeups, step)->next;
	wakeup_open_up(wakeups, step);
}

/* The leaf goes, and with it what then leads nowhere. */
static void remove_path(struct wakeups *wakeups, uint32_t *list, const struct path *path)
{
	for (uint32_t i = path->count; i-- > 0;) {
		if (at(wakeups, path->items[i])->first)
			return;
		unlink_step(wakeups, i ? &at(wakeups, path->items[i - 1])->first : list, path->items[i]);
	}
}

/* Is the sequence to go? */
static bool move_below(struct wakeups *wakeups, const struct wakeup *step, struct sequence *sequence, uint32_t *below)
{
	bool has = sequence->threads >> step->thread & 1;

	if (!can_begin_with_step(sequence, step))
		return false;
	bool every = has && sequence->steps[sequence->first[step->thread]].choice == ANY_CHOICE;
	if (has)
		shorten(sequence, step->thread);
	if (sequence->threads && (has || *below))
		wakeup_insert(wakeups, below, sequence);
	return has && !every;
}

void wakeup_move_below(struct wakeups *wakeups, uint32_t *list, const struct wakeup *step, uint32_t *below)
{
	struct path path = {0}, next = {0};
	struct sequence sequence = {0};
	VECTOR(struct op) ops = {0};

	descend(wakeups, &path, *list);
	for (bool more = path.count; more && !stop_due();) {
		next.count = 0;
		for (uint32_t i = 0; i < path.count; i++)
			vector_add(&next, path.items[i]);
		more = next_path(wakeups, &next);
		bool mine = wakeups->all[path.items[0]].thread == step->thread; /* another outcome */
		vector_need(&ops, path.count);
		if (!mine && !is_open(wakeups, &path)) {
			follow_path(wakeups, &path, &sequence, ops.items);
			if (move_below(wakeups, step, &sequence, below))
				remove_path(wakeups, list, &path);
		}
		struct path last = path;
		path = next;
		next = last;
	}
	slow_invariant(wakeup_is_valid(wakeups, *list) && wakeup_is_valid(wakeups, *below));
	sequence_release(&sequence);
	vector_release(&ops);
	vector_release(&path);
	vector_release(&next);
}

void wakeup_insert_step(struct wakeups *wakeups, uint32_t *list, unsigned thread, const struct op *op, bool open)
{
	uint32_t previous = 0;

	invariant(thread < MAX_THREADS);
	for (uint32_t child = *list; child; child = at(wakeups, child)->next) {
		if (at(wakeups, child)->thread == thread) {
			at(wakeups, child)->open |= open;
			return;
		}
		previous = child;
	}
	uint32_t new = new_step(wakeups, (struct wakeup){.op = *op,
							 .choice = ANY_CHOICE,
							 .thread = (uint8_t)thread,
							 .uncertain = open,
							 .open = open});
	if (previous)
		at(wakeups, previous)->next = new;
	else
		*list = new;
}

void wakeup_drop(struct wakeups *wakeups, uint32_t *list, unsigned thread)
{
	while (*list) {
		uint32_t step = *list;
		if (at(wakeups, step)->thread == thread) {
			*list = at(wakeups, step)->next;
			wakeup_free(wakeups, wakeup_open_up(wakeups, step));
		} else {
			list = &at(wakeups, step)->next;
		}
	}
}

uint32_t wakeup_take_first(struct wakeups *wakeups, uint32_t *list)
{
	uint32_t step = *list;

	if (step)
		*list = at(wakeups, step)->next;
	return step;
}

uint32_t wakeup_take_taken(struct wakeups *wakeups, uint32_t *list, unsigned thread, uint16_t choice)
{
	for (; *list; list = &at(wakeups, *list)->next) {
		const struct wakeup *wakeup = at(wakeups, *list);
		if (wakeup->thread == thread && (wakeup->choice == ANY_CHOICE || wakeup->choice == choice))
			return wakeup_take_first(wakeups, list);
	}
	return 0;
}

uint32_t wakeup_take(struct wakeups *wakeups, uint32_t *list, unsigned thread, uint16_t choice)
{
	for (; *list; list = &at(wakeups, *list)->next) {
		const struct wakeup *wakeup = at(wakeups, *list);
		if (wakeup->thread == thread && wakeup->choice == choice)
			return wakeup_take_first(wakeups, list);
	}
	return 0;
}

/* --- for another process --- */

/*
 * Step by step from the left, each with the number of levels that it is below or above the one before it: sequences are
 * long, and no recursion goes along them.
 */
enum { PACKED_END, PACKED_CHILD, PACKED_SIBLING, PACKED_UP };

void wakeup_pack(const struct wakeups *wakeups, uint32_t list, struct buffer *buffer)
{
	VECTOR(uint32_t) path = {0};
	uint32_t step = list;
	bool below = true;

	while (step || path.count) {
		if (!step) { /* back to what comes after the parent */
			pack_number(buffer, PACKED_UP);
			step = wakeups->all[vector_pop(&path)].next;
			below = false;
			continue;
		}
		const struct wakeup *wakeup = &wakeups->all[step];
		pack_number(buffer, below ? PACKED_CHILD : PACKED_SIBLING);
		pack_raw(buffer, wakeup, sizeof *wakeup);
		vector_add(&path, step);
		step = wakeup->first;
		below = true;
	}
	pack_number(buffer, PACKED_END);
	vector_release(&path);
}

uint32_t wakeup_unpack(struct wakeups *wakeups, struct packed *packed)
{
	VECTOR(uint32_t) path = {0};
	uint32_t list = 0, previous = 0;

	for (;;) {
		uint64_t move = unpack_number(packed);
		if (packed->broken || move == PACKED_END)
			break;
		if (move == PACKED_UP) {
			previous = path.count ? vector_pop(&path) : 0;
			continue;
		}
		struct wakeup wakeup;
		unpack_raw(packed, &wakeup, sizeof wakeup);
		wakeup.first = wakeup.next = 0;
		wakeup.thread %= MAX_THREADS;
		uint32_t new = new_step(wakeups, wakeup);
		if (move == PACKED_SIBLING && previous)
			at(wakeups, previous)->next = new;
		else if (path.count)
			at(wakeups, path.items[path.count - 1])->first = new;
		else
			list = new;
		vector_add(&path, new);
		previous = 0;
	}
	vector_release(&path);
	debug_invariant(wakeup_is_valid(wakeups, list));
	return list;
}
