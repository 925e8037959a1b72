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
#include "search/dfs/rule.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "order/initials.h"
#include "search/dfs/wakeup.h"

/* How a race could be reversed. */
struct reversal {
	struct race race;
	struct op last; /* of the sequence: what the second thread does when it comes first */
	const uint32_t *clock; /* of that */
	const uint32_t *others; /* as in struct order, from race.others on */
	uint64_t initials; /* threads that can begin it, whatever comes after the race */
	uint32_t *own_clock; /* of one that is kept: where clock and others are */
};

/* The memory of a sequence that came in an offer. */
struct offered {
	struct op *ops;
	uint32_t *clocks;
};

/* What begins the sequence, and whether all of it is known. */
struct proposal {
	uint64_t initials; /* as in struct reversal */
	unsigned thread; /* of the race's second event */
	bool whole; /* optimal->sequence is all of it */
};

struct optimal {
	struct wakeups wakeups;
	uint32_t pending; /* the tree below the step that the plan ends with */
	struct sequence sequence;
	struct offered offered;
	VECTOR(struct reversal) kept;
};

static void init(struct dfs *dfs)
{
	dfs->data = memory_new_clear(1, sizeof(struct optimal));
}

static void forget_kept(struct optimal *optimal)
{
	for (uint32_t i = 0; i < optimal->kept.count; i++)
		memory_free(optimal->kept.items[i].own_clock);
	optimal->kept.count = 0;
}

static void release(struct dfs *dfs)
{
	struct optimal *optimal = dfs->data;

	wakeups_release(&optimal->wakeups);
	sequence_release(&optimal->sequence);
	memory_free(optimal->offered.ops);
	memory_free(optimal->offered.clocks);
	forget_kept(optimal);
	vector_release(&optimal->kept);
	memory_free(optimal);
}

/* --- who sleeps --- */

/* What a thread that sleeps at the node would do: what it did where it was explored, or it would have woken. */
static const struct sleeper *find_sleeper(const struct dfs *dfs, uint32_t node, unsigned thread)
{
	bool elsewhere = dfs->nodes[node].elsewhere >> thread & 1;
	const struct explored_list *list = elsewhere ? &dfs->elsewhere : &dfs->explored;

	for (uint32_t i = list->count; i-- > 0;) {
		const struct explored *explored = &list->items[i];
		if ((elsewhere ? explored->node == node : explored->node <= node) && explored->sleeper.thread == thread)
			return &explored->sleeper;
	}
	return NULL;
}

/* Does somebody sleep at the node of whom not all is known that follows from his step? */
static bool sleeps_partially(const struct dfs *dfs, uint32_t node)
{
	for (uint64_t left = dfs->partial ? dfs->nodes[node].sleep : 0; left; left &= left - 1) {
		const struct sleeper *sleeper = find_sleeper(dfs, node, (unsigned)__builtin_ctzll(left));
		if (sleeper && sleeper->partial)
			return true;
	}
	return false;
}

static void set_done(struct dfs *dfs, struct node *node)
{
	uint32_t i = (uint32_t)(node - dfs->nodes);
	struct sleeper sleeper = {.op = node->op, .thread = node->thread, .partial = sleeps_partially(dfs, i)};

	if (node->done >> node->thread & 1)
		return;
	invariant(node->backtrack >> node->thread & 1);
	node->done |= thread_bit(node->thread);
	explored_add(&dfs->explored, &sleeper, i);
}

/* Threads with which nothing new begins there. */
static uint64_t asleep_at(const struct node *node)
{
	return node->sleep | node->done | node->elsewhere;
}

/* --- races --- */

static struct reversal describe(const struct dfs *dfs, const struct race *race)
{
	const struct order *order = dfs->order;

	return (struct reversal){.race = *race,
				 .last = race_second_op(order, race),
				 .clock = order_clock(order, race->clock),
				 .others = order->others + race->others};
}

/* Must the event, which comes after the first, stay behind? */
static inline bool holds_back(const struct order *order, const struct reversal *reversal, uint32_t event)
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
	for (uint32_t i = 0; i < order->nevents && i < reversal->race.second; i++)
		if (events[i].op.kind == EV_EXIT && events[i].thread == first->target)
			return i > reversal->race.first &&
			       holds_back(order, reversal, i); /* or it need not wait anyway */
	return true;
}

/* How many of the events before this one, from the node on, have arrived where it does but are not in the sequence? */
static uint32_t absent_arrivals(const struct dfs *dfs, const struct reversal *reversal, uint32_t event)
{
	const struct optimal *optimal = dfs->data;
	const struct event *events = dfs->order->trace->events;
	const struct sequence *sequence = &optimal->sequence;
	uint64_t object = events[event].op.object;
	uint32_t absent = 0;

	for (uint32_t i = reversal->race.node; i < event; i++)
		absent += dfs->order->briefs[i].arrival && events[i].op.object == object;
	for (uint32_t i = 0; i < sequence->nsteps; i++)
		absent -= op_arrives(sequence->steps[i].op) && sequence->steps[i].op->object == object;
	return absent;
}

/* Would this arrival be the last if one more came before it?  The event's step is not in the sequence yet. */
static bool is_crowded(const struct dfs *dfs, const struct reversal *reversal, uint32_t event)
{
	const struct event *e = &dfs->order->trace->events[event];

	return e->value + absent_arrivals(dfs, reversal, event) <= 2;
}

/* The event as the next step of the sequence. */
static void add_event(struct dfs *dfs, const struct reversal *reversal, uint32_t event)
{
	struct optimal *optimal = dfs->data;
	const struct order *order = dfs->order;
	const struct event *e = &order->trace->events[event];
	debug_invariant(event > reversal->race.node && !order->briefs[event].local);
	bool crowded = order->briefs[event].arrival && is_crowded(dfs, reversal, event);
	struct sequence_step *step = sequence_add(&optimal->sequence, e->thread);

	step->op = &e->op;
	step->number = order->local[event];
	step->clock = order_clock(order, event);
	step->footprint = order->footprints[event];
	step->choice = e->choice;
	step->uncertain = false;
	step->crowded = crowded;
}

/* What the second thread does when it comes first: the last step. */
static void add_second(struct dfs *dfs, const struct reversal *reversal)
{
	struct optimal *optimal = dfs->data;
	const struct race *race = &reversal->race;
	bool crowded = race->second_is == RACE_NOT_LAST && absent_arrivals(dfs, reversal, race->second) == 1;
	struct sequence_step *last = sequence_add(&optimal->sequence, race->thread);

	last->op = &reversal->last;
	last->number = UINT32_MAX; /* nothing comes after it */
	last->clock = reversal->clock;
	last->footprint = op_footprint(&reversal->last);
	last->choice = ANY_CHOICE;
	last->uncertain = race->second_is == RACE_SAME;
	last->crowded = crowded;
}

/* Is it not known exactly what the sequence is? */
static bool is_vague(const struct order *order, const struct reversal *reversal)
{
	const struct race *race = &reversal->race;

	return race->node != race->first || reversal->last.kind == EV_ATOMIC_BEGIN ||
	       is_join_let_through(order, reversal) ||
	       (race->second < order->nevents && order->trace->events[race->second].forced) ||
	       order_has_block_after(order, race->node);
}

/*
 * All that follows the first event without depending on it, then the second; false where what is in it is not
 * known exactly.  In a long execution hardly anything does not depend on it, so what does is passed over.
 */
static bool build_sequence(struct dfs *dfs, const struct reversal *reversal)
{
	struct optimal *optimal = dfs->data;
	const struct order *order = dfs->order;
	const struct race *race = &reversal->race;
	uint64_t held_back = 0; /* threads: what follows one that stays behind stays behind too */
	uint32_t passed = 0, looks = 0;

	if (is_vague(order, reversal))
		return false;
	sequence_begin(&optimal->sequence, order->nevents - race->node);
	for (uint32_t k = race->node + 1; k < order->nevents && !stop_due(); k++, looks++) {
		const struct brief *brief = &order->briefs[k];
		if (passed++ == ORDER_PASSED) {
			k = order_next_of_any(order, ~held_back, k - 1);
			passed = 0;
			if (k == order->nevents)
				break;
			brief = &order->briefs[k];
		}
		if (brief->local || k == race->second || held_back >> brief->thread & 1)
			continue;
		passed = 0;
		if (holds_back(order, reversal, k))
			held_back |= thread_bit(brief->thread);
		else
			add_event(dfs, reversal, k);
	}
	order_count_looks(order, looks);
	add_second(dfs, reversal);
	invariant(optimal->sequence.nsteps && optimal->sequence.nsteps <= order->nevents - race->node);
	return true;
}

/*
 * Is one of the threads explored from the node, or will it be, with all that may follow?  Of what is still to be
 * explored that is so if all of it counts only by its initials (`strict'), or if the branch is open.
 */
static bool is_explored(const struct dfs *dfs, const struct node *node, uint64_t threads, bool strict)
{
	const struct optimal *optimal = dfs->data;

	if (threads & (asleep_at(node) | thread_bit(node->thread)))
		return true;
	for (uint32_t step = node->todo; step; step = optimal->wakeups.all[step].next)
		if (threads >> optimal->wakeups.all[step].thread & 1 && (strict || optimal->wakeups.all[step].open))
			return true;
	return false;
}

/* Explore the threads, whatever they do. */
static void add_threads(struct dfs *dfs, struct node *node, uint64_t threads)
{
	struct optimal *optimal = dfs->data;
	const struct op unknown = {.kind = EV_ATOMIC_BEGIN};

	for (threads &= ~(node->sleep | node->done | thread_bit(node->thread)); threads; threads &= threads - 1)
		wakeup_insert_step(&optimal->wakeups, &node->todo, (unsigned)__builtin_ctzll(threads), &unknown, true);
}

/*
 * Between timeouts that nobody can prevent no race is looked for: all are explored.  Each is
 * known for what it is, one operation, which conflicts with everything.
 */
static void add_timeouts(struct dfs *dfs, struct node *node)
{
	struct optimal *optimal = dfs->data;
	uint64_t threads = node->enabled & ~(node->sleep | node->done | thread_bit(node->thread));
	const struct op timeout = {.kind = EV_TIMEOUT};

	for (; threads; threads &= threads - 1)
		wakeup_insert_step(&optimal->wakeups, &node->todo, (unsigned)__builtin_ctzll(threads), &timeout, false);
}

/* As in source.c: one initial will do. */
static uint64_t first_step(const struct node *node, const struct proposal *proposal)
{
	uint64_t candidates = proposal->initials & node->enabled;

	if (!candidates) /* no proof covers it, so take everything */
		return node->enabled;
	if (candidates >> proposal->thread & 1)
		return thread_bit(proposal->thread);
	return candidates & -candidates;
}

/*
 * Nothing is concluded any more from what follows a branch of the tree that begins with one of the threads: then
 * it will do for a sequence that is not known.  False if there is none.
 */
static bool open_branch(struct dfs *dfs, const struct node *node, uint64_t threads)
{
	struct optimal *optimal = dfs->data;

	for (uint32_t step = node->todo; step; step = optimal->wakeups.all[step].next)
		if (threads >> optimal->wakeups.all[step].thread & 1) {
			optimal->wakeups.all[step].open = true;
			return true;
		}
	return false;
}

/* One step, which is known: of the sequence, only what is before the race's second event counts. */
static void add_first_step(struct dfs *dfs, struct node *node, const struct proposal *proposal)
{
	struct optimal *optimal = dfs->data;
	const struct sequence *sequence = &optimal->sequence;

	for (uint64_t left = first_step(node, proposal) & ~(asleep_at(node) | thread_bit(node->thread)); left;
	     left &= left - 1) {
		unsigned thread = (unsigned)__builtin_ctzll(left);
		const struct op unknown = {.kind = EV_ATOMIC_BEGIN};
		bool known = sequence->threads >> thread & 1;
		const struct op *op = known ? sequence->steps[sequence->first[thread]].op : &unknown;
		wakeup_insert_step(&optimal->wakeups, &node->todo, thread, op, !known);
	}
}

/*
 * Is the node reached through a step that is open?  The rest of that step's sequence is not
 * known, so a sequence that is needed here may never have been inserted.
 */
static bool is_below_open(const struct dfs *dfs, uint32_t i)
{
	return i && dfs->nodes[i - 1].open;
}

/*
 * Somebody who sleeps and has no step in a sequence, but could have come before it, covers it: if what comes later
 * conflicts with his step, then what was explored after that has led to a sequence that wakes him, which is in a tree.
 * The same goes for a branch of the tree.  Not so where such a sequence may not have been inserted: below a step that
 * is open, and while somebody sleeps who is still being explored elsewhere, or who was explored there in such a state.
 * There only initials count, as in source.c, and executions may turn out to be redundant.
 */
static bool is_strict(const struct dfs *dfs, uint32_t i)
{
	return is_below_open(dfs, i) || sleeps_partially(dfs, i);
}

/* Can somebody who sleeps at the node begin the sequence? */
static bool is_covered(const struct dfs *dfs, uint32_t i)
{
	const struct optimal *optimal = dfs->data;

	for (uint64_t left = asleep_at(&dfs->nodes[i]); left; left &= left - 1) {
		const struct sleeper *sleeper = find_sleeper(dfs, i, (unsigned)__builtin_ctzll(left));
		if (sleeper && sequence_can_begin_with(&optimal->sequence, sleeper))
			return true;
	}
	return false;
}

static void offer_proposal(const struct dfs *dfs, uint32_t node, const struct proposal *proposal)
{
	const struct optimal *optimal = dfs->data;
	struct buffer offer = {0};

	invariant(node < dfs->base && dfs->offer);
	pack_number(&offer, proposal->initials);
	pack_number(&offer, proposal->thread);
	pack_number(&offer, proposal->whole);
	if (proposal->whole)
		sequence_pack(&optimal->sequence, dfs->order->width, &offer);
	dfs->offer(dfs->offer_context, node, &offer);
	buffer_release(&offer);
}

/* Does the tree stand for the sequence?  Looking takes it apart, and it may have to be offered. */
static bool is_in_tree(struct dfs *dfs, const struct node *node)
{
	struct optimal *optimal = dfs->data;
	const struct sequence *sequence = &optimal->sequence;

	if (!node->todo)
		return false;
	struct sequence copy = *sequence;
	copy.steps = memory_new(copy.nsteps * sizeof *copy.steps);
	memcpy(copy.steps, sequence->steps, copy.nsteps * sizeof *copy.steps);
	bool there = wakeup_has(&optimal->wakeups, node->todo, &copy);
	sequence_release(&copy);
	return there;
}

/* Is nothing to be done about it?  What the tree has is looked at only where somebody else would insert it. */
static bool is_superfluous(struct dfs *dfs, uint32_t i, const struct proposal *proposal)
{
	const struct node *node = &dfs->nodes[i];

	bool strict = is_strict(dfs, i);

	if (!proposal->whole || strict)
		return is_explored(dfs, node, proposal->initials, strict) ||
		       !(first_step(node, proposal) & ~(asleep_at(node) | thread_bit(node->thread)));
	return is_covered(dfs, i) || (i < dfs->base && is_in_tree(dfs, node));
}

static bool begins_asleep(const struct node *node, const struct proposal *proposal)
{
	/* (what the second may turn out to be, and so whether it can come first, depends on the rest as well) */
	return proposal->initials & ~thread_bit(proposal->thread) & asleep_at(node);
}

static void propose(struct dfs *dfs, uint32_t i, const struct proposal *proposal)
{
	struct optimal *optimal = dfs->data;
	struct node *node = &dfs->nodes[i];

	if (is_superfluous(dfs, i, proposal))
		return;
	if (i < dfs->base)
		offer_proposal(dfs, i, proposal);
	else if (!proposal->whole && !open_branch(dfs, node, proposal->initials))
		add_threads(dfs, node, first_step(node, proposal));
	else if (!proposal->whole)
		return;
	else if (!is_strict(dfs, i))
		wakeup_insert(&optimal->wakeups, &node->todo, &optimal->sequence);
	else if (proposal->initials >> optimal->sequence.steps[0].thread & 1)
		wakeup_append(&optimal->wakeups, &node->todo, &optimal->sequence);
	else
		add_first_step(dfs, node, proposal);
}

static void reverse(struct dfs *dfs, const struct reversal *reversal)
{
	const struct optimal *optimal = dfs->data;
	uint32_t i = reversal->race.node;
	const struct node *node = &dfs->nodes[i];
	struct proposal proposal = {.initials = reversal->initials, .thread = reversal->race.thread};

	invariant(i < dfs->nnodes);
	invariant(!node->forced); /* a race is reversed where its thread was chosen */
	if (stop_due() || begins_asleep(node, &proposal))
		return; /* whatever the rest of the sequence is */
	proposal.whole = build_sequence(dfs, reversal) && (node->enabled >> optimal->sequence.steps[0].thread & 1);
	if (stop_due())
		return; /* not all of the sequence may be there */
	propose(dfs, i, &proposal);
}

static void demand(struct dfs *dfs, uint32_t i, unsigned thread)
{
	struct proposal proposal = {.initials = thread_bit(thread), .thread = thread};

	if (!(asleep_at(&dfs->nodes[i]) >> thread & 1))
		propose(dfs, i, &proposal);
}

/* What propose() offered, at the node's owner. */
static void accept(struct dfs *dfs, uint32_t i, struct packed *offer)
{
	struct optimal *optimal = dfs->data;
	struct proposal proposal = {.initials = unpack_number(offer)};

	proposal.thread = (unsigned)unpack_number(offer) % MAX_THREADS;
	proposal.whole = unpack_number(offer);
	memory_free(optimal->offered.ops);
	memory_free(optimal->offered.clocks);
	optimal->offered = (struct offered){0};
	if (proposal.whole)
		sequence_unpack(&optimal->sequence, offer, &optimal->offered.ops, &optimal->offered.clocks);
	offer->broken |= proposal.whole && !optimal->sequence.threads;
	if (!offer->broken && !begins_asleep(&dfs->nodes[i], &proposal))
		propose(dfs, i, &proposal);
}

/* --- reversals to be looked at again --- */

/* The clock of one that is kept has room for all threads there may be, and the others come after it. */
static void add_kept(struct optimal *optimal, struct reversal *reversal)
{
	invariant(reversal->own_clock);
	reversal->clock = reversal->own_clock;
	reversal->others = reversal->own_clock + MAX_THREADS;
	vector_add(&optimal->kept, *reversal);
}

/*
 * What follows the race in the execution is part of the sequence, and another execution with
 * the same race may go on differently.  If an initial of what comes before the second event was
 * explored, that begins the sequence in any case.  Otherwise it has to be looked at again in
 * each execution that has the race in common.  That an initial is going to be explored is not enough: then
 * the race's first thread sleeps, and only what is put into the tree now tells what it must be woken by.
 */
static bool is_settled(const struct dfs *dfs, const struct reversal *reversal)
{
	return reversal->initials & asleep_at(&dfs->nodes[reversal->race.node]);
}

static void keep(struct dfs *dfs, const struct reversal *reversal)
{
	struct optimal *optimal = dfs->data;
	uint32_t width = dfs->order->width, nothers = reversal->race.nothers;

	invariant(width <= MAX_THREADS && nothers <= MAX_THREADS);
	struct reversal copy = *reversal;

	if (reversal->race.second >= dfs->order->nevents || is_settled(dfs, reversal))
		return;
	copy.own_clock = memory_new_clear(MAX_THREADS + nothers, sizeof *copy.own_clock);
	memcpy(copy.own_clock, reversal->clock, width * sizeof *copy.own_clock);
	if (nothers)
		memcpy(copy.own_clock + MAX_THREADS, reversal->others, nothers * sizeof *copy.own_clock);
	add_kept(optimal, &copy);
}

/* Is what is kept of the race true of this execution, which has it in common? */
static bool race_was_here(const struct dfs *dfs, const struct race *race)
{
	const struct event *events = dfs->order->trace->events;

	return race->node <= race->first && race->first < race->second && events[race->second].thread == race->thread &&
	       events[race->first].thread != race->thread;
}

static void look_again(struct dfs *dfs)
{
	struct optimal *optimal = dfs->data;
	uint32_t n = 0;

	for (uint32_t i = 0; i < optimal->kept.count; i++) {
		struct reversal *reversal = &optimal->kept.items[i];
		bool same = reversal->race.second + 1 < dfs->branch;
		debug_invariant(!same || race_was_here(dfs, &reversal->race));
		if (same)
			reverse(dfs, reversal);
		if (same && !is_settled(dfs, reversal))
			optimal->kept.items[n++] = *reversal;
		else
			memory_free(reversal->own_clock);
	}
	optimal->kept.count = n;
}

/*
 * The plan followed a path of the tree: its other branches are left to the nodes on the way.  The path is the
 * leftmost one, but its last step may not be possible (a join that would have to wait): then the execution
 * went on by itself, perhaps along another branch.
 */
static void hand_down(struct dfs *dfs)
{
	struct optimal *optimal = dfs->data;
	uint32_t list = optimal->pending;

	slow_invariant(wakeup_is_valid(&optimal->wakeups, list));
	for (uint32_t i = dfs->branch; i < dfs->nnodes && list; i++) {
		struct node *node = &dfs->nodes[i];
		if (node->forced)
			continue;
		invariant(!node->todo); /* it is new */
		node->todo = list;
		uint32_t step = wakeup_take_taken(&optimal->wakeups, &node->todo, node->thread, node->choice);
		node->any_choice = step && optimal->wakeups.all[step].choice == ANY_CHOICE;
		list = step ? wakeup_open_up(&optimal->wakeups, step) : 0;
	}
	wakeup_free(&optimal->wakeups, list);
	optimal->pending = 0;
}

static void analyse(struct dfs *dfs, const struct trace *trace)
{
	const struct order *order = dfs->order;

	(void)trace;
	hand_down(dfs);
	for (uint32_t i = dfs->branch; i < dfs->nnodes; i++) {
		dfs->nodes[i].open = is_below_open(dfs, i);
		if (dfs->everything && !dfs->nodes[i].forced)
			add_threads(dfs, &dfs->nodes[i], dfs->nodes[i].enabled);
		else if (event_is(dfs->nodes[i].op.kind, EV_QUIET))
			add_timeouts(dfs, &dfs->nodes[i]);
	}
	look_again(dfs);
	for (uint32_t i = 0; i < order->nraces && !stop_due(); i++) {
		struct reversal reversal = describe(dfs, &order->races[i]);
		reversal.initials = race_initials(order, &order->races[i]);
		reverse(dfs, &reversal);
		keep(dfs, &reversal);
	}
}

/* --- what comes next --- */

static uint16_t choice_after(const struct node *node)
{
	return (uint16_t)(node->choice + 1 < node->choices ? node->choice + 1 : 0);
}

/*
 * Are all outcomes of the operation at the node to be explored?  Not where somebody sleeps on: an outcome after which
 * something wakes him has come up where he was explored, and is in the tree; after the others he covers all that follows.
 * (With several workers it may not have come up yet.)  Inside an atomic block all are: what a block does is in no tree.
 */
static bool wants_all_choices(const struct dfs *dfs, uint32_t i)
{
	const struct node *node = &dfs->nodes[i];

	return !node->asleep_after || node->forced || node->any_choice || is_strict(dfs, i) || node->open;
}

static bool has_more(const struct dfs *dfs, uint32_t i)
{
	const struct node *node = &dfs->nodes[i];

	return node->todo || (choice_after(node) != node->first_choice && wants_all_choices(dfs, i));
}

/* The same operation with its next outcome, if it has another. */
static bool next_choice(struct dfs *dfs, uint32_t i)
{
	struct optimal *optimal = dfs->data;
	struct node *node = &dfs->nodes[i];
	bool all = wants_all_choices(dfs, i);
	uint32_t step;

	invariant(node->first_choice < node->choices || node->choices <= 1);
	do {
		node->choice = choice_after(node);
		if (node->choice == node->first_choice)
			return false;
		step = wakeup_take(&optimal->wakeups, &node->todo, node->thread, node->choice);
	} while (!step && !all);
	optimal->pending = step ? wakeup_open_up(&optimal->wakeups, step) : 0;
	if (node->todo) {
		const struct wakeup taken = {.op = node->op, .choice = node->choice, .thread = node->thread};
		wakeup_move_below(&optimal->wakeups, &node->todo, &taken, &optimal->pending);
	}
	return true;
}

/*
 * The first branch of the tree.  One whose thread sleeps is not needed: among the outcomes of a choice that was
 * planned for one of them there may be some that do not wake it.  One that cannot be followed ends with a
 * step that would have to wait: then everything is explored.
 */
static uint32_t take_possible(struct dfs *dfs, struct node *node)
{
	struct optimal *optimal = dfs->data;
	uint32_t step;

	while ((step = wakeup_take_first(&optimal->wakeups, &node->todo))) {
		unsigned thread = optimal->wakeups.all[step].thread;
		bool sleeps = (node->sleep | node->done) >> thread & 1, possible = node->enabled >> thread & 1;
		if (possible && !sleeps)
			return step;
		wakeup_free(&optimal->wakeups, wakeup_open_up(&optimal->wakeups, step));
		if (!possible)
			add_threads(dfs, node, node->enabled);
	}
	return 0;
}

static bool advance(struct dfs *dfs)
{
	struct optimal *optimal = dfs->data;
	uint32_t i = dfs->nnodes - 1;
	struct node *node = &dfs->nodes[i];

	if (next_choice(dfs, i))
		return true;
	if (node->forced)
		return false;
	set_done(dfs, node);
	wakeup_drop(&optimal->wakeups, &node->todo, node->thread);
	uint32_t step = take_possible(dfs, node);
	if (!step)
		return false;
	const struct wakeup *wakeup = &optimal->wakeups.all[step];
	invariant(node->enabled >> wakeup->thread & 1);
	invariant(!((node->sleep | node->done) >> wakeup->thread & 1));
	node->thread = wakeup->thread;
	node->backtrack |= thread_bit(node->thread);
	node->choice = node->first_choice = wakeup->choice == ANY_CHOICE ? 0 : wakeup->choice;
	node->choices = 0;
	node->any_choice = wakeup->choice == ANY_CHOICE;
	node->asleep_after = 0;
	node->open = wakeup->open || is_below_open(dfs, i);
	optimal->pending = wakeup_open_up(&optimal->wakeups, step);
	debug_invariant(node_is_valid(node));
	return true;
}

/* The leftmost path of the tree below the last step. */
static void guide(const struct dfs *dfs, struct plan *plan)
{
	const struct optimal *optimal = dfs->data;
	uint32_t left = MAX_EVENTS - plan->nsteps;

	invariant(!plan->nguided);
	for (uint32_t step = optimal->pending; step && left--; step = optimal->wakeups.all[step].first) {
		const struct wakeup *wakeup = &optimal->wakeups.all[step];
		plan_add_guide(plan, (struct step){.thread = wakeup->thread,
						   .choice = wakeup->choice == ANY_CHOICE ? 0 : wakeup->choice});
	}
}

/* --- for other workers --- */

static void pack_node(const struct dfs *dfs, uint32_t node, struct buffer *buffer)
{
	const struct optimal *optimal = dfs->data;

	invariant(node < dfs->nnodes);
	wakeup_pack(&optimal->wakeups, dfs->nodes[node].todo, buffer);
}

static void unpack_node(struct dfs *dfs, uint32_t node, struct packed *packed)
{
	struct optimal *optimal = dfs->data;

	dfs->nodes[node].todo = wakeup_unpack(&optimal->wakeups, packed);
}

static void forget_node(struct dfs *dfs, uint32_t node)
{
	struct optimal *optimal = dfs->data;

	invariant(node < dfs->nnodes);
	wakeup_free(&optimal->wakeups, dfs->nodes[node].todo);
	dfs->nodes[node].todo = 0;
}

/* The tree below the last step. */
static void pack_guide(const struct dfs *dfs, struct buffer *buffer)
{
	const struct optimal *optimal = dfs->data;

	wakeup_pack(&optimal->wakeups, optimal->pending, buffer);
}

static void forget_guide(struct dfs *dfs)
{
	struct optimal *optimal = dfs->data;

	wakeup_free(&optimal->wakeups, optimal->pending);
	optimal->pending = 0;
}

static void unpack_guide(struct dfs *dfs, struct packed *packed)
{
	struct optimal *optimal = dfs->data;

	forget_guide(dfs);
	optimal->pending = wakeup_unpack(&optimal->wakeups, packed);
}

static void pack_kept(const struct dfs *dfs, struct buffer *buffer)
{
	const struct optimal *optimal = dfs->data;

	pack_number(buffer, optimal->kept.count);
	for (uint32_t i = 0; i < optimal->kept.count; i++) {
		const struct reversal *kept = &optimal->kept.items[i];
		pack_raw(buffer, kept, sizeof *kept);
		pack_raw(buffer, kept->own_clock, (MAX_THREADS + kept->race.nothers) * sizeof *kept->own_clock);
	}
}

static void unpack_kept(struct dfs *dfs, struct packed *packed)
{
	struct optimal *optimal = dfs->data;

	forget_kept(optimal);
	for (uint32_t left = unpack_count(packed, sizeof(struct reversal)); left && !packed->broken; left--) {
		struct reversal kept;
		unpack_raw(packed, &kept, sizeof kept);
		if (kept.race.nothers > packed_left(packed))
			packed->broken = true;
		if (packed->broken)
			return;
		kept.own_clock = unpack_array(packed, MAX_THREADS + kept.race.nothers, sizeof *kept.own_clock);
		add_kept(optimal, &kept);
	}
}

const struct dfs_rule rule_optimal = {
	.uses_sleep = true,
	.init = init,
	.analyse = analyse,
	.advance = advance,
	.has_more = has_more,
	.guide = guide,
	.demand = demand,
	.accept = accept,
	.pack_node = pack_node,
	.unpack_node = unpack_node,
	.forget_node = forget_node,
	.pack_guide = pack_guide,
	.unpack_guide = unpack_guide,
	.forget_guide = forget_guide,
	.pack_kept = pack_kept,
	.unpack_kept = unpack_kept,
	.release = release,
};
