#include "search/dfs/dfs.h"

#include <assert.h>
#include <stdlib.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "search/dfs/rule.h"
#include "search/strategy.h"

void dfs_init(struct dfs *dfs, const struct dfs_rule *rule, struct order *order)
{
	*dfs = (struct dfs){.rule = rule, .order = order};
	if (rule->init)
		rule->init(dfs);
}

void dfs_release(struct dfs *dfs)
{
	if (dfs->rule->release)
		dfs->rule->release(dfs);
	vector_release(&dfs->explored);
	vector_release(&dfs->elsewhere);
	memory_free(dfs->nodes);
}

void dfs_forget(struct dfs *dfs)
{
	if (dfs->rule->release)
		dfs->rule->release(dfs);
	dfs->data = NULL;
	if (dfs->rule->init)
		dfs->rule->init(dfs);
	dfs->nnodes = dfs->nplanned = dfs->branch = dfs->base = 0;
	dfs->explored.count = dfs->elsewhere.count = 0;
	dfs->partial = dfs->cut = false;
	order_forget(dfs->order);
}

bool node_is_valid(const struct node *node)
{
	return node->thread < MAX_THREADS && (node->backtrack >> node->thread & 1) &&
	       !(node->done >> node->thread & 1) && !(node->done & ~node->backtrack) &&
	       !(node->backtrack & ~node->enabled) && !(node->backtrack & node->sleep) &&
	       (!node->forced || node->backtrack == thread_bit(node->thread)) &&
	       (!node->choices || node->choice < node->choices);
}

bool dfs_is_valid(const struct dfs *dfs)
{
	for (uint32_t i = dfs->base; i < dfs->nnodes; i++)
		if (!node_is_valid(&dfs->nodes[i]))
			return false;
	for (uint32_t i = 0; i < dfs->explored.count; i++) {
		const struct explored *explored = &dfs->explored.items[i];
		bool ordered = !i || explored[-1].node <= explored->node;
		if (!ordered || explored->node >= dfs->nnodes || explored->sleeper.thread >= MAX_THREADS)
			return false;
	}
	return dfs->base <= dfs->nnodes && dfs->nnodes <= dfs->nodes_size;
}

void node_add(struct node *node, unsigned thread)
{
	debug_invariant(thread < MAX_THREADS);
	debug_invariant(!node->forced);
	node->backtrack |= thread_bit(thread) & node->enabled & ~node->sleep;
}

static void add_all(struct node *node)
{
	node->backtrack |= node->enabled & ~node->sleep;
}

static void offer_demand(const struct dfs *dfs, uint32_t node, uint64_t threads, unsigned thread)
{
	struct buffer offer = {0};

	invariant(dfs->offer && node < dfs->base);
	pack_number(&offer, threads);
	pack_number(&offer, thread);
	dfs->offer(dfs->offer_context, node, &offer);
	buffer_release(&offer);
}

void dfs_demand(struct dfs *dfs, uint32_t i, uint64_t threads, unsigned thread)
{
	struct node *node = &dfs->nodes[i];
	uint64_t candidates = threads & node->enabled;

	invariant(i < dfs->nnodes);
	invariant(!node->forced); /* races are reversed where somebody else can be chosen */
	uint64_t explored = node->backtrack | node->sleep | node->elsewhere;
	if (threads & explored || !(node->enabled & ~explored))
		return;
	if (i < dfs->base)
		offer_demand(dfs, i, threads, thread);
	else if (!candidates)
		add_all(node); /* no proof covers it, so take everything: never lose a bug */
	else if (candidates >> thread & 1)
		node_add(node, thread);
	else
		node_add(node, (unsigned)__builtin_ctzll(candidates));
}

void dfs_accept_demand(struct dfs *dfs, uint32_t node, struct packed *offer)
{
	uint64_t threads = unpack_number(offer);
	unsigned thread = (unsigned)unpack_number(offer);

	dfs_demand(dfs, node, threads, thread % MAX_THREADS);
}

void explored_add(struct explored_list *list, const struct sleeper *sleeper, uint32_t node)
{
	vector_add(list, (struct explored){.sleeper = *sleeper, .node = node});
}

void explored_cut(struct explored_list *list, uint32_t node)
{
	while (list->count && list->items[list->count - 1].node >= node)
		list->count--;
}

/* No race is looked for between timeouts that nobody else can prevent: all of them are explored. */
static uint64_t first_backtrack(const struct dfs *dfs, const struct event *event)
{
	return (event_is(event->op.kind, EV_QUIET) || dfs->everything) && !event->forced
		       ? event->enabled & ~event->sleep
		       : thread_bit(event->thread);
}

static struct node *node_place(struct dfs *dfs, uint32_t i)
{
	dfs->nodes = array_grow(dfs->nodes, &dfs->nodes_size, i + 1ull, sizeof *dfs->nodes);
	return &dfs->nodes[i];
}

struct node *dfs_push(struct dfs *dfs)
{
	debug_invariant(dfs->nnodes < MAX_EVENTS + MAX_THREADS);
	return node_place(dfs, dfs->nnodes++);
}

static void make_node(struct dfs *dfs, uint32_t i, const struct event *event)
{
	*node_place(dfs, i) = (struct node){.enabled = event->enabled,
					    .sleep = event->sleep,
					    .backtrack = first_backtrack(dfs, event),
					    .op = event->op,
					    .choice = event->choice,
					    .first_choice = event->choice,
					    .choices = event->op.choices,
					    .thread = event->thread,
					    .forced = event->forced};
	debug_invariant(node_is_valid(&dfs->nodes[i]));
	if (i && !dfs->offer)
		dfs->nodes[i - 1].asleep_after = event->sleep;
}

/* The node of the plan's last step was there before; what it leads to is new. */
static uint32_t first_new(const struct dfs *dfs)
{
	return dfs->nnodes ? dfs->nnodes - 1 : 0;
}

/* --- executions that were cut short --- */

static void demand_at(struct dfs *dfs, uint32_t node, unsigned thread)
{
	while (node < dfs->nnodes && dfs->nodes[node].forced)
		node++;
	if (node == dfs->nnodes || !(dfs->nodes[node].enabled >> thread & 1))
		return;
	invariant(!dfs->nodes[node].forced);
	if (dfs->early <= node)
		dfs->early = node + 1;
	if (dfs->rule->demand)
		dfs->rule->demand(dfs, node, thread);
	else
		dfs_demand(dfs, node, thread_bit(thread), thread);
}

static const struct op *pending_op(const struct trace *trace, unsigned thread)
{
	for (uint32_t i = 0; i < trace->npending; i++)
		if (trace->pending[i].thread == thread)
			return &trace->pending[i].op;
	return NULL;
}

/* As early as it could, and after each of the first operations that its own conflicts with. */
static void demand_early(struct dfs *dfs, const struct trace *trace, unsigned thread, uint32_t since)
{
	enum { TIMES = 3 };
	const struct op *op = pending_op(trace, thread);
	unsigned times = 0;

	demand_at(dfs, since, thread);
	for (uint32_t i = since; op && i + 1 < trace->nevents && times < TIMES; i++)
		if (ops_conflict(&trace->events[i].op, op)) {
			demand_at(dfs, i + 1, thread);
			times++;
		}
}

/* Who could have moved, and has not done so again, is to do so early: no race tells of it. */
static void demand_others(struct dfs *dfs, const struct trace *trace)
{
	uint32_t since[MAX_THREADS];
	uint64_t waiting = 0;

	dfs->early = 0;
	for (uint32_t i = 0; i < trace->nevents; i++) {
		const struct event *event = &trace->events[i];
		for (uint64_t new = event->enabled & ~waiting; new; new &= new - 1)
			since[__builtin_ctzll(new)] = i;
		waiting = (waiting | event->enabled) & ~thread_bit(event->thread);
	}
	for (; waiting; waiting &= waiting - 1) {
		unsigned thread = (unsigned)__builtin_ctzll(waiting);
		demand_early(dfs, trace, thread, since[thread]);
	}
}

/* It may be long, and to reverse a race takes as long as it is: where that comes to too much, only the first ones are. */
static void analyse_cut(struct dfs *dfs, const struct trace *trace)
{
	enum { ENOUGH = 1000000000 };
	uint32_t nraces = dfs->order->nraces, most = ENOUGH / (trace->nevents + 1);

	if (nraces > most)
		dfs->order->nraces = most;
	dfs->rule->analyse(dfs, trace);
	dfs->order->nraces = nraces;
	for (uint32_t i = 0; i < dfs->nnodes; i++)
		dfs->nodes[i].cut |= thread_bit(dfs->nodes[i].thread);
	demand_others(dfs, trace);
}

/*
 * The last execution was cut short, and so would be most of those that differ from it near its end: what was to be
 * explored from the second half of its nodes is given up, so that few executions that are cut come to other places; all but
 * where others were asked for.  (No search that was cut is complete.)
 */
static void give_up_end(struct dfs *dfs)
{
	uint32_t kept = dfs->nnodes / 2 > dfs->base ? dfs->nnodes / 2 : dfs->base;

	if (kept < dfs->early)
		kept = dfs->early;
	invariant(kept >= dfs->base);
	while (dfs->nnodes > kept) {
		if (dfs->rule->forget_node)
			dfs->rule->forget_node(dfs, dfs->nnodes - 1);
		dfs->nnodes--;
		explored_cut(&dfs->explored, dfs->nnodes);
	}
}

/* --- executions --- */

static void make_nodes(struct dfs *dfs, const struct trace *trace)
{
	dfs->branch = dfs->nnodes;
	if (dfs->nnodes) {
		struct node *top = &dfs->nodes[dfs->nnodes - 1];
		top->op = trace->events[dfs->nnodes - 1].op;
		top->choices = top->op.choices;
	}
	invariant(trace->nevents <= MAX_EVENTS + MAX_THREADS);
	for (uint32_t i = dfs->nnodes; i < trace->nevents; i++)
		make_node(dfs, i, &trace->events[i]);
	dfs->nnodes = trace->nevents;
}

void dfs_take_in(struct search *search, const struct trace *trace, uint32_t from)
{
	struct dfs *dfs = dfs_of(search);

	invariant(dfs->nnodes <= trace->nevents);
	invariant(from == first_new(dfs));
	invariant(dfs->base <= dfs->nnodes);
	invariant(!dfs->nnodes || trace->events[dfs->nnodes - 1].thread == dfs->nodes[dfs->nnodes - 1].thread);
	dfs->everything = search->everything;
	dfs->cut = ending_is_cut(trace->ending);
	make_nodes(dfs, trace);
	if (dfs->cut)
		analyse_cut(dfs, trace);
	else
		dfs->rule->analyse(dfs, trace);
	invariant(dfs->nnodes == trace->nevents); /* a rule makes no nodes */
	slow_invariant(stop_due() || dfs_is_valid(dfs));
}

static uint64_t threads_left(const struct node *node)
{
	return node->backtrack & ~(node->done | node->sleep | thread_bit(node->thread));
}

bool dfs_has_more(const struct dfs *dfs, uint32_t i)
{
	const struct node *node = &dfs->nodes[i];

	debug_invariant(i < dfs->nnodes);
	if (dfs->rule->has_more)
		return dfs->rule->has_more(dfs, i);
	return node->choice + 1 < node->choices || threads_left(node);
}

bool dfs_advance(struct dfs *dfs)
{
	struct node *node = &dfs->nodes[dfs->nnodes - 1];

	invariant(dfs->nnodes);
	if (dfs->rule->advance)
		return dfs->rule->advance(dfs);
	if (node->choice + 1 < node->choices) {
		node->choice++;
		return true;
	}
	uint64_t left = threads_left(node);
	node->done |= thread_bit(node->thread);
	if (!left)
		return false;
	node->thread = (uint8_t)__builtin_ctzll(left);
	node->choice = 0;
	node->choices = 0; /* known when it has run */
	debug_invariant(node_is_valid(node));
	return true;
}

void dfs_plan(struct dfs *dfs, struct plan *plan)
{
	const struct node *top = &dfs->nodes[dfs->nnodes - 1];

	invariant(dfs->nnodes);
	/* a step that is left is that of the last node, and nodes are only added after it */
	if (dfs->nplanned > dfs->nnodes - 1)
		dfs->nplanned = dfs->nnodes - 1;
	plan_cut(plan, dfs->nplanned);
	for (uint32_t i = dfs->nplanned; i < dfs->nnodes; i++)
		plan_add(plan, (struct step){.thread = dfs->nodes[i].thread, .choice = dfs->nodes[i].choice});
	dfs->nplanned = dfs->nnodes;
	invariant(plan->nsteps == dfs->nnodes);
	plan->sleep = dfs->rule->uses_sleep ? top->sleep | (top->done & ~top->cut) : 0;
	if (dfs->rule->guide)
		dfs->rule->guide(dfs, plan);
	debug_invariant(!(plan->sleep >> top->thread & 1)); /* whoever moves does not sleep */
}

/* With how many of the steps of this plan the next one will begin at least, if that is easy to tell; else 0. */
static uint32_t sure_steps(const struct dfs *dfs)
{
	enum { LOOKS = 64 };

	for (uint32_t i = dfs->nnodes; i > dfs->base && dfs->nnodes - i < LOOKS; i--)
		if (dfs_has_more(dfs, i - 1))
			return i - 1;
	return 0;
}

bool dfs_next(struct search *search, struct plan *plan)
{
	struct dfs *dfs = dfs_of(search);

	if (dfs->cut && !search->setup.keep_going)
		give_up_end(dfs);
	while (dfs->nnodes > dfs->base && !(dfs_has_more(dfs, dfs->nnodes - 1) && dfs_advance(dfs))) {
		dfs->nnodes--;
		explored_cut(&dfs->explored, dfs->nnodes);
	}
	invariant(dfs->nnodes >= dfs->base);
	if (dfs->nnodes == dfs->base)
		return false;
	dfs_plan(dfs, plan);
	plan->sure = sure_steps(dfs);
	debug_invariant(plan_is_valid(plan));
	slow_invariant(dfs_is_valid(dfs));
	return true;
}

/* --- as a strategy --- */

struct dfs *dfs_of(const struct search *search)
{
	invariant(search->strategy->rule && search->own);
	return search->own;
}

void dfs_start(struct search *search)
{
	struct dfs *dfs = memory_new(sizeof *dfs);

	invariant(search->strategy->rule && !search->own);
	dfs_init(dfs, search->strategy->rule, &search->order);
	search->own = dfs;
}

enum coverage dfs_coverage(const struct search *search)
{
	const struct dfs *dfs = dfs_of(search);

	return dfs->nnodes == dfs->base ? COVERAGE_ALL : COVERAGE_PART;
}

void dfs_end(struct search *search)
{
	dfs_release(dfs_of(search));
	memory_free(search->own);
}
