/*
 * Optimal-DPOR (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014; JACM 2017): source sets, and
 * wakeup trees that say how to go on.  docs/ALGORITHMS.md explains it on an example.
 *
 * For a race between events i and j let v be all that comes after i in the execution
 * without depending on it, then j: the continuation in which j comes first.  It is put into
 * the wakeup tree of node i, unless a thread that sleeps there could begin it, or a sequence
 * in the tree stands for it.  A branch of the tree is followed to its end before the
 * execution goes on by itself; by then everybody who slept at the node has been woken, so
 * nothing is abandoned half-way.
 *
 * Sound whatever the trees contain: they only ever add to the source sets.  That the search
 * is optimal needs the sequences to be exact; where they are not (atomic blocks, whose
 * operations are not known when they begin) only the first step is taken over.
 */
#include "explore/strategy.h"

#include <assert.h>
#include <stdlib.h>

#include "common/trouble.h"
#include "explore/initials.h"
#include "explore/wakeup.h"

/* The threads explored from the nodes of the stack, and what they did there: those of lower nodes first. */
struct explored {
	struct sleeper sleeper;
	uint32_t node;
};

struct optimal {
	struct wakeups wakeups;
	uint32_t pending; /* the tree below the step that the plan ends with */
	struct sequence sequence;
	struct explored *explored;
	uint32_t nexplored, explored_size;
};

static void init(struct search *search)
{
	search->data = xcalloc(1, sizeof(struct optimal));
}

static void release(struct search *search)
{
	struct optimal *optimal = search->data;

	wakeups_release(&optimal->wakeups);
	sequence_release(&optimal->sequence);
	free(optimal->explored);
	free(optimal);
}

/* --- who sleeps --- */

static void remember_explored(struct search *search, uint32_t node)
{
	struct optimal *optimal = search->data;

	if (optimal->nexplored == optimal->explored_size) {
		optimal->explored_size = optimal->explored_size ? 2 * optimal->explored_size : 64;
		optimal->explored = xrealloc(optimal->explored, optimal->explored_size * sizeof *optimal->explored);
	}
	optimal->explored[optimal->nexplored++] =
		(struct explored){.sleeper = {.op = search->nodes[node].op, .thread = search->nodes[node].thread},
				  .node = node};
}

static void forget_explored(struct optimal *optimal, uint32_t node)
{
	while (optimal->nexplored && optimal->explored[optimal->nexplored - 1].node >= node)
		optimal->nexplored--;
}

/* What a thread that sleeps at the node would do: what it did where it was explored, or it would have woken. */
static const struct sleeper *find_sleeper(const struct optimal *optimal, uint32_t node, unsigned thread)
{
	for (uint32_t i = optimal->nexplored; i-- > 0;) {
		const struct explored *explored = &optimal->explored[i];
		if (explored->node <= node && explored->sleeper.thread == thread)
			return &explored->sleeper;
	}
	return NULL;
}

/* --- races --- */

/* The operation that the race's second thread performs when it comes first. */
static const struct op *second_op(const struct search *search, const struct race *race, struct op *place)
{
	const struct trace *trace = search->order.trace;

	if (race->second < trace->nevents) {
		const struct event *event = &trace->events[race->second];
		*place = event->op;
		if (race->await)
			place->kind = race->await == RACE_AWAIT_WRITES ? EV_ATOMIC_RMW : EV_ATOMIC_LOAD;
		if (event->op.kind == EV_TIMEOUT && !event_is(trace->events[race->first].op.kind, EV_QUIET))
			place->kind = (uint8_t)event->instead; /* it gets what it waited for in vain */
		return place;
	}
	for (uint32_t i = 0; i < trace->npending; i++) {
		const struct pending *pending = &trace->pending[i];
		if (pending->thread != race->thread)
			continue;
		*place = pending->op;
		if (race->await)
			place->kind = race->await == RACE_AWAIT_WRITES ? EV_ATOMIC_RMW : EV_ATOMIC_LOAD;
		return place;
	}
	failure("a race with an operation that is not pending");
}

/* All that follows the first event without depending on it, then the second; false where atomic blocks are in it. */
static bool build_sequence(struct search *search, const struct race *race, const struct op *last)
{
	struct optimal *optimal = search->data;
	const struct order *order = &search->order;
	const struct event *events = order->trace->events;

	if (race->node != race->first || last->kind == EV_ATOMIC_BEGIN ||
	    (race->second < order->nevents && events[race->second].forced))
		return false;
	sequence_begin(&optimal->sequence, order);
	for (uint32_t k = race->node + 1; k < order->nevents; k++) {
		if (event_is(events[k].op.kind, EV_LOCAL) || k == race->second)
			continue;
		if (events[k].forced || events[k].op.kind == EV_ATOMIC_BEGIN)
			return false;
		if (!race_holds_back(order, race, k))
			sequence_add(&optimal->sequence, (struct sequence_step){.op = &events[k].op,
										.event = k,
										.clock = k,
										.choice = events[k].choice,
										.thread = events[k].thread});
	}
	sequence_add(&optimal->sequence, (struct sequence_step){.op = last,
								.clock = race->clock,
								.choice = ANY_CHOICE,
								.thread = race->thread,
								.uncertain = !race->await});
	return true;
}

static uint64_t first_threads(const struct optimal *optimal, uint32_t list)
{
	uint64_t threads = 0;

	for (; list; list = optimal->wakeups.all[list].next)
		threads |= thread_bit(optimal->wakeups.all[list].thread);
	return threads;
}

/* Explore the threads, whatever they do. */
static void add_threads(struct search *search, struct node *node, uint64_t threads)
{
	struct optimal *optimal = search->data;
	const struct op unknown = {.kind = EV_ATOMIC_BEGIN};

	for (threads &= ~(node->sleep | node->done | thread_bit(node->thread)); threads; threads &= threads - 1)
		wakeup_insert_open(&optimal->wakeups, &node->todo, (unsigned)__builtin_ctzll(threads), &unknown);
}

/* As in source.c: one initial will do. */
static void reverse_by_first_step(struct search *search, const struct race *race)
{
	struct optimal *optimal = search->data;
	struct node *node = &search->nodes[race->node];
	uint64_t candidates = race_initials(&search->order, race);

	if (candidates & (node->done | node->sleep | thread_bit(node->thread) | first_threads(optimal, node->todo)))
		return;
	candidates &= node->enabled;
	if (!candidates) /* no proof covers it, so take everything */
		candidates = node->enabled;
	else if (candidates >> race->thread & 1)
		candidates = thread_bit(race->thread);
	else
		candidates &= -candidates;
	add_threads(search, node, candidates);
}

static void reverse(struct search *search, const struct race *race)
{
	struct optimal *optimal = search->data;
	struct node *node = &search->nodes[race->node];
	struct op place;

	assert(!node->forced);
	if (!build_sequence(search, race, second_op(search, race, &place)) ||
	    !(node->enabled >> optimal->sequence.steps[0].thread & 1)) {
		reverse_by_first_step(search, race);
		return;
	}
	for (uint64_t left = node->sleep | node->done; left; left &= left - 1) {
		const struct sleeper *sleeper = find_sleeper(optimal, race->node, (unsigned)__builtin_ctzll(left));
		if (sleeper && sequence_can_begin_with(&optimal->sequence, sleeper))
			return;
	}
	wakeup_insert(&optimal->wakeups, &node->todo, &optimal->sequence);
}

/* The plan followed a path of the tree: its other branches are left to the nodes on the way. */
static void hand_down(struct search *search)
{
	struct optimal *optimal = search->data;
	uint32_t list = optimal->pending;

	for (uint32_t i = search->branch; i < search->nnodes && list; i++) {
		struct node *node = &search->nodes[i];
		const struct wakeup *first = &optimal->wakeups.all[list];
		if (node->forced)
			continue;
		node->todo = list;
		list = 0;
		if (first->thread == node->thread && (first->choice == ANY_CHOICE || first->choice == node->choice))
			list = wakeup_open_up(&optimal->wakeups, wakeup_take_first(&optimal->wakeups, &node->todo));
	}
	wakeup_free(&optimal->wakeups, list);
	optimal->pending = 0;
}

static void analyse(struct search *search, const struct trace *trace)
{
	(void)trace;
	hand_down(search);
	for (uint32_t i = search->branch; i < search->nnodes; i++) {
		search->nodes[i].open = i && search->nodes[i - 1].open;
		if (event_is(search->nodes[i].op.kind, EV_QUIET)) /* no race is looked for between them */
			add_threads(search, &search->nodes[i], search->nodes[i].enabled);
	}
	for (uint32_t i = 0; i < search->order.nraces; i++)
		reverse(search, &search->order.races[i]);
}

/* --- what comes next --- */

/*
 * Below a step that is open it is not known which outcomes the rest of its sequence would have
 * asked for, so all are explored.  Elsewhere: is there node's operation, whatever its outcome, because somebody who sleeps can come first? */
static bool is_redundant(const struct search *search, uint32_t i)
{
	const struct node *node = &search->nodes[i];

	for (uint64_t left = node->sleep | node->done; left; left &= left - 1) {
		const struct sleeper *sleeper = find_sleeper(search->data, i, (unsigned)__builtin_ctzll(left));
		if (sleeper && sleeper->op.kind != EV_ATOMIC_BEGIN && !ops_conflict(&sleeper->op, &node->op))
			return true;
	}
	return false;
}

/* The same operation with another outcome, if one is to be explored. */
static bool next_choice(struct search *search, uint32_t i)
{
	struct optimal *optimal = search->data;
	struct node *node = &search->nodes[i];

	for (;;) {
		uint16_t choice = (uint16_t)(node->choice + 1 < node->choices ? node->choice + 1 : 0);
		if (choice == node->first_choice)
			return false;
		node->choice = choice;
		uint32_t step = wakeup_take(&optimal->wakeups, &node->todo, node->thread, choice);
		optimal->pending = step ? wakeup_open_up(&optimal->wakeups, step) : 0;
		if (step || node->open || !is_redundant(search, i))
			return true;
	}
}

/* Sequences that can begin with what has been explored since they were inserted are not needed any more. */
static void prune(struct search *search, uint32_t i)
{
	struct optimal *optimal = search->data;
	struct node *node = &search->nodes[i];

	for (uint64_t left = node->sleep | node->done; left && node->todo; left &= left - 1) {
		const struct sleeper *sleeper = find_sleeper(optimal, i, (unsigned)__builtin_ctzll(left));
		if (sleeper)
			wakeup_prune(&optimal->wakeups, &node->todo, sleeper);
	}
}

/* The first branch of the tree.  One that cannot be followed would be a mistake of ours: then everything is explored. */
static uint32_t take_possible(struct search *search, struct node *node)
{
	struct optimal *optimal = search->data;
	uint32_t step;

	while ((step = wakeup_take_first(&optimal->wakeups, &node->todo))) {
		if (node->enabled >> optimal->wakeups.all[step].thread & 1)
			return step;
		wakeup_free(&optimal->wakeups, wakeup_open_up(&optimal->wakeups, step));
		add_threads(search, node, node->enabled);
	}
	return 0;
}

static bool advance(struct search *search)
{
	struct optimal *optimal = search->data;
	uint32_t i = search->nnodes - 1;
	struct node *node = &search->nodes[i];

	if (node->forced)
		return false;
	if (next_choice(search, i))
		return true;
	node->done |= thread_bit(node->thread);
	remember_explored(search, i);
	prune(search, i);
	uint32_t step = take_possible(search, node);
	if (!step)
		return false;
	const struct wakeup *wakeup = &optimal->wakeups.all[step];
	assert(node->enabled >> wakeup->thread & 1 && !((node->sleep | node->done) >> wakeup->thread & 1));
	node->thread = wakeup->thread;
	node->backtrack |= thread_bit(node->thread);
	node->choice = node->first_choice = wakeup->choice == ANY_CHOICE ? 0 : wakeup->choice;
	node->choices = 0;
	node->open = wakeup->open || (i && search->nodes[i - 1].open);
	optimal->pending = wakeup_open_up(&optimal->wakeups, step);
	return true;
}

/* The leftmost path of the tree below the last step. */
static void plan_path(const struct optimal *optimal, struct plan *plan)
{
	uint32_t n = plan->nsteps;

	for (uint32_t step = optimal->pending; step && n < MAX_EVENTS; step = optimal->wakeups.all[step].first) {
		const struct wakeup *wakeup = &optimal->wakeups.all[step];
		plan->steps[n++] = (struct step){.thread = wakeup->thread,
						 .choice = wakeup->choice == ANY_CHOICE ? 0 : wakeup->choice};
	}
	plan->nguided = n - plan->nsteps;
}

static bool next(struct search *search, struct plan *plan)
{
	struct optimal *optimal = search->data;

	while (search->nnodes && !advance(search)) {
		search->nnodes--;
		assert(!search->nodes[search->nnodes].todo);
		forget_explored(optimal, search->nnodes);
	}
	if (!search->nnodes)
		return false;
	search_plan(search, plan);
	plan_path(optimal, plan);
	return true;
}

const struct strategy strategy_optimal = {
	.name = "optimal",
	.uses_sleep = true,
	.init = init,
	.analyse = analyse,
	.next = next,
	.release = release,
};
