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
 * Where a sequence is not known exactly (atomic blocks, whose operations are not known when
 * they begin) only its first step is taken over, and below that step nothing is concluded from
 * who sleeps but that he need not come first.
 */
#include "explore/strategy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/trouble.h"
#include "explore/initials.h"
#include "explore/wakeup.h"

/* The threads explored from the nodes of the stack, and what they did there: those of lower nodes first. */
struct explored {
	struct sleeper sleeper;
	uint32_t node;
};

/* How a race could be reversed. */
struct reversal {
	struct race race;
	struct op last; /* of the sequence: what the second thread does when it comes first */
	const uint32_t *clock; /* of that */
	const uint32_t *others; /* as in struct order, from race.others on */
	uint64_t initials; /* threads that can begin it, whatever comes after the race */
	uint32_t *own_clock; /* of one that is kept: where clock and others are */
};

struct optimal {
	struct wakeups wakeups;
	uint32_t pending; /* the tree below the step that the plan ends with */
	struct sequence sequence;
	struct explored *explored;
	uint32_t nexplored, explored_size;
	struct reversal *kept;
	uint32_t nkept, kept_size;
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
	for (uint32_t i = 0; i < optimal->nkept; i++)
		free(optimal->kept[i].own_clock);
	free(optimal->kept);
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

static struct reversal describe(const struct search *search, const struct race *race)
{
	const struct order *order = &search->order;

	return (struct reversal){.race = *race,
				 .last = race_second_op(order, race),
				 .clock = order_clock(order, race->clock),
				 .others = order->others + race->others};
}

/* Must the event, which comes after the first, stay behind? */
static bool holds_back(const struct order *order, const struct reversal *reversal, uint32_t event)
{
	return order_before(order, reversal->race.node, event) ||
	       order_after_any(order, reversal->others, reversal->race.nothers, event);
}

/*
 * A join that need not wait because of the first event (a detach: a mistake of the program).  Without that
 * it waits for the end of the thread, and what leads there is not known.
 */
static bool is_join_let_through(const struct order *order, const struct reversal *reversal)
{
	const struct event *events = order->trace->events;
	const struct op *first = &events[reversal->race.first].op;

	if (reversal->last.kind != EV_JOIN || event_table[first->kind].object_class != OBJECT_THREAD ||
	    first->target != reversal->last.target)
		return false;
	for (uint32_t i = 0; i < reversal->race.first; i++)
		if (events[i].op.kind == EV_EXIT && events[i].thread == first->target)
			return false; /* it need not wait anyway */
	return true;
}

/*
 * All that follows the first event without depending on it, then the second; false where what is in it is not
 * known exactly.
 */
static bool build_sequence(struct search *search, const struct reversal *reversal)
{
	struct optimal *optimal = search->data;
	const struct order *order = &search->order;
	const struct event *events = order->trace->events;
	const struct race *race = &reversal->race;

	if (race->node != race->first || reversal->last.kind == EV_ATOMIC_BEGIN ||
	    is_join_let_through(order, reversal) || (race->second < order->nevents && events[race->second].forced))
		return false;
	uint64_t held_back = 0; /* threads: what follows one that stays behind stays behind too */
	sequence_begin(&optimal->sequence, order);
	for (uint32_t k = race->node + 1; k < order->nevents; k++) {
		if (event_is(events[k].op.kind, EV_LOCAL) || k == race->second)
			continue;
		if (events[k].forced || events[k].op.kind == EV_ATOMIC_BEGIN)
			return false;
		if (held_back >> events[k].thread & 1)
			continue;
		if (holds_back(order, reversal, k)) {
			held_back |= thread_bit(events[k].thread);
			continue;
		}
		struct sequence_step *step = sequence_add(&optimal->sequence, events[k].thread);
		step->op = &events[k].op;
		step->event = k;
		step->clock = order_clock(order, k);
		step->footprint = order->footprints[k];
		step->choice = events[k].choice;
		step->uncertain = false;
	}
	struct sequence_step *last = sequence_add(&optimal->sequence, race->thread);
	last->op = &reversal->last;
	last->event = 0;
	last->clock = reversal->clock;
	last->footprint = op_footprint(&reversal->last);
	last->choice = ANY_CHOICE;
	last->uncertain = !race->await;
	return true;
}

static uint64_t first_threads(const struct optimal *optimal, uint32_t list)
{
	uint64_t threads = 0;

	for (; list; list = optimal->wakeups.all[list].next)
		threads |= thread_bit(optimal->wakeups.all[list].thread);
	return threads;
}

/* Is one of the threads explored from the node, or will it be? */
static bool is_explored(const struct search *search, const struct node *node, uint64_t threads)
{
	return threads &
	       (node->done | node->sleep | thread_bit(node->thread) | first_threads(search->data, node->todo));
}

/* Explore the threads, whatever they do. */
static void add_threads(struct search *search, struct node *node, uint64_t threads)
{
	struct optimal *optimal = search->data;
	const struct op unknown = {.kind = EV_ATOMIC_BEGIN};

	for (threads &= ~(node->sleep | node->done | thread_bit(node->thread)); threads; threads &= threads - 1)
		wakeup_insert_step(&optimal->wakeups, &node->todo, (unsigned)__builtin_ctzll(threads), &unknown, true);
}

/*
 * Between timeouts that nobody can prevent no race is looked for: all are explored.  Each is
 * known for what it is, one operation, which conflicts with everything.
 */
static void add_timeouts(struct search *search, struct node *node)
{
	struct optimal *optimal = search->data;
	uint64_t threads = node->enabled & ~(node->sleep | node->done | thread_bit(node->thread));
	const struct op timeout = {.kind = EV_TIMEOUT};

	for (; threads; threads &= threads - 1)
		wakeup_insert_step(&optimal->wakeups, &node->todo, (unsigned)__builtin_ctzll(threads), &timeout, false);
}

/* As in source.c: one initial will do. */
static void reverse_by_first_step(struct search *search, const struct reversal *reversal)
{
	struct node *node = &search->nodes[reversal->race.node];
	uint64_t candidates = reversal->initials;

	if (is_explored(search, node, candidates))
		return;
	candidates &= node->enabled;
	if (!candidates) /* no proof covers it, so take everything */
		candidates = node->enabled;
	else if (candidates >> reversal->race.thread & 1)
		candidates = thread_bit(reversal->race.thread);
	else
		candidates &= -candidates;
	add_threads(search, node, candidates);
}

/*
 * Is the node reached through a step that is open?  The rest of that step's sequence is not
 * known, so a sequence that is needed here may never have been inserted.
 */
static bool is_below_open(const struct search *search, uint32_t i)
{
	return i && search->nodes[i - 1].open;
}

/* Can somebody who sleeps at the node begin the sequence? */
static bool is_covered(const struct search *search, uint32_t i)
{
	const struct optimal *optimal = search->data;
	bool open = is_below_open(search, i);

	for (uint64_t left = search->nodes[i].sleep | search->nodes[i].done; left; left &= left - 1) {
		const struct sleeper *sleeper = find_sleeper(optimal, i, (unsigned)__builtin_ctzll(left));
		if (sleeper && (!open || optimal->sequence.threads >> sleeper->thread & 1) &&
		    sequence_can_begin_with(&optimal->sequence, sleeper))
			return true;
	}
	return false;
}

static void reverse(struct search *search, const struct reversal *reversal)
{
	struct optimal *optimal = search->data;
	struct node *node = &search->nodes[reversal->race.node];

	assert(!node->forced);
	/* (what the second may turn out to be, and so whether it can come first, depends on the rest as well) */
	if (reversal->initials & ~thread_bit(reversal->race.thread) & (node->sleep | node->done))
		return; /* whatever the rest of the sequence is */
	if (!build_sequence(search, reversal) || !(node->enabled >> optimal->sequence.steps[0].thread & 1))
		reverse_by_first_step(search, reversal);
	else if (!is_covered(search, reversal->race.node))
		wakeup_insert(&optimal->wakeups, &node->todo, &optimal->sequence);
}

/* --- reversals to be looked at again --- */

/*
 * What follows the race in the execution is part of the sequence, and another execution with
 * the same race may go on differently.  If an initial of what comes before the second event is
 * explored, that begins the sequence in any case.  Otherwise it has to be looked at again in
 * each execution that has the race in common.
 */
static void keep(struct search *search, const struct reversal *reversal)
{
	struct optimal *optimal = search->data;
	uint32_t width = search->order.width, nothers = reversal->race.nothers;
	struct reversal copy = *reversal;

	if (reversal->race.second >= search->order.nevents ||
	    is_explored(search, &search->nodes[reversal->race.node], reversal->initials))
		return;
	if (optimal->nkept == optimal->kept_size) {
		optimal->kept_size = optimal->kept_size ? 2 * optimal->kept_size : 16;
		optimal->kept = xrealloc(optimal->kept, optimal->kept_size * sizeof *optimal->kept);
	}
	copy.own_clock = xmalloc((width + nothers) * sizeof *copy.own_clock);
	memcpy(copy.own_clock, reversal->clock, width * sizeof *copy.own_clock);
	if (nothers)
		memcpy(copy.own_clock + width, reversal->others, nothers * sizeof *copy.own_clock);
	copy.clock = copy.own_clock;
	copy.others = copy.own_clock + width;
	optimal->kept[optimal->nkept++] = copy;
}

static void look_again(struct search *search)
{
	struct optimal *optimal = search->data;
	uint32_t n = 0;

	for (uint32_t i = 0; i < optimal->nkept; i++) {
		struct reversal *reversal = &optimal->kept[i];
		bool same = reversal->race.second + 1 < search->branch;
		if (same)
			reverse(search, reversal);
		if (same && !is_explored(search, &search->nodes[reversal->race.node], reversal->initials))
			optimal->kept[n++] = *reversal;
		else
			free(reversal->own_clock);
	}
	optimal->nkept = n;
}

/*
 * The plan followed a path of the tree: its other branches are left to the nodes on the way.  The path is the
 * leftmost one, but its last step may not be possible (a join that would have to wait): then the execution
 * went on by itself, perhaps along another branch.
 */
static void hand_down(struct search *search)
{
	struct optimal *optimal = search->data;
	uint32_t list = optimal->pending;

	for (uint32_t i = search->branch; i < search->nnodes && list; i++) {
		struct node *node = &search->nodes[i];
		if (node->forced)
			continue;
		node->todo = list;
		uint32_t step = wakeup_take_taken(&optimal->wakeups, &node->todo, node->thread, node->choice);
		list = step ? wakeup_open_up(&optimal->wakeups, step) : 0;
	}
	wakeup_free(&optimal->wakeups, list);
	optimal->pending = 0;
}

static void analyse(struct search *search, const struct trace *trace)
{
	const struct order *order = &search->order;

	(void)trace;
	hand_down(search);
	for (uint32_t i = search->branch; i < search->nnodes; i++) {
		search->nodes[i].open = is_below_open(search, i);
		if (search->everything && !search->nodes[i].forced)
			add_threads(search, &search->nodes[i], search->nodes[i].enabled);
		else if (event_is(search->nodes[i].op.kind, EV_QUIET))
			add_timeouts(search, &search->nodes[i]);
	}
	look_again(search);
	for (uint32_t i = 0; i < order->nraces; i++) {
		struct reversal reversal = describe(search, &order->races[i]);
		reversal.initials = race_initials(order, &order->races[i]);
		reverse(search, &reversal);
		keep(search, &reversal);
	}
}

/* --- what comes next --- */

/* The same operation with its next outcome, if it has another. */
static bool next_choice(struct search *search, uint32_t i)
{
	struct optimal *optimal = search->data;
	struct node *node = &search->nodes[i];
	uint16_t choice = (uint16_t)(node->choice + 1 < node->choices ? node->choice + 1 : 0);

	if (choice == node->first_choice)
		return false;
	node->choice = choice;
	uint32_t step = wakeup_take(&optimal->wakeups, &node->todo, node->thread, choice);
	optimal->pending = step ? wakeup_open_up(&optimal->wakeups, step) : 0;
	return true;
}

/*
 * The first branch of the tree.  One whose thread sleeps is not needed: among the outcomes of a choice that was
 * planned for one of them there may be some that do not wake it.  One that cannot be followed ends with a
 * step that would have to wait: then everything is explored.
 */
static uint32_t take_possible(struct search *search, struct node *node)
{
	struct optimal *optimal = search->data;
	uint32_t step;

	while ((step = wakeup_take_first(&optimal->wakeups, &node->todo))) {
		unsigned thread = optimal->wakeups.all[step].thread;
		bool sleeps = (node->sleep | node->done) >> thread & 1, possible = node->enabled >> thread & 1;
		if (possible && !sleeps)
			return step;
		wakeup_free(&optimal->wakeups, wakeup_open_up(&optimal->wakeups, step));
		if (!possible)
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
	wakeup_drop(&optimal->wakeups, &node->todo, node->thread);
	uint32_t step = take_possible(search, node);
	if (!step)
		return false;
	const struct wakeup *wakeup = &optimal->wakeups.all[step];
	assert(node->enabled >> wakeup->thread & 1 && !((node->sleep | node->done) >> wakeup->thread & 1));
	node->thread = wakeup->thread;
	node->backtrack |= thread_bit(node->thread);
	node->choice = node->first_choice = wakeup->choice == ANY_CHOICE ? 0 : wakeup->choice;
	node->choices = 0;
	node->open = wakeup->open || is_below_open(search, i);
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
