#include "search/dfs/search.h"

#include <assert.h>
#include <stdlib.h>

#include "common/stopping.h"
#include "common/trouble.h"
#include "search/strategy.h"

void search_init(struct search *search, const struct strategy *strategy)
{
	*search = (struct search){.strategy = strategy,
				  .all_states = search->all_states,
				  .channel = search->channel,
				  .state_memory = search->state_memory,
				  .offer = search->offer,
				  .offer_context = search->offer_context};
	order_init(&search->order);
	if (strategy->init)
		strategy->init(search);
}

void search_release(struct search *search)
{
	if (search->strategy->release)
		search->strategy->release(search);
	order_release(&search->order);
	free(search->explored.items);
	free(search->elsewhere.items);
	free(search->nodes);
}

void search_clear(struct search *search)
{
	const struct strategy *strategy = search->strategy;

	search_release(search);
	search_init(search, strategy);
}

void search_forget(struct search *search)
{
	if (search->strategy->release)
		search->strategy->release(search);
	search->data = NULL;
	if (search->strategy->init)
		search->strategy->init(search);
	search->nnodes = search->nplanned = search->branch = search->base = 0;
	search->explored.count = search->elsewhere.count = 0;
	search->partial = false;
	order_forget(&search->order);
}

/* The facts of search.h about one node. */
static bool node_is_valid(const struct node *node)
{
	return (node->enabled >> node->thread & 1) && (node->backtrack >> node->thread & 1) &&
	       !(node->sleep >> node->thread & 1) && !(node->done & ~node->backtrack) &&
	       !(node->backtrack & ~node->enabled) && !(node->done >> node->thread & 1) &&
	       (!node->forced || node->backtrack == thread_bit(node->thread)) &&
	       (!node->choices || node->choice < node->choices);
}

void node_add(struct node *node, unsigned thread)
{
	assert(thread < MAX_THREADS && !node->forced);
	node->backtrack |= thread_bit(thread) & node->enabled & ~node->sleep;
}

static void add_all(struct node *node)
{
	node->backtrack |= node->enabled & ~node->sleep;
}

static void offer_ask(const struct search *search, uint32_t node, uint64_t threads, unsigned thread)
{
	struct buffer offer = {0};

	pack_number(&offer, threads);
	pack_number(&offer, thread);
	search->offer(search->offer_context, node, &offer);
	buffer_release(&offer);
}

void search_ask(struct search *search, uint32_t i, uint64_t threads, unsigned thread)
{
	struct node *node = &search->nodes[i];
	uint64_t candidates = threads & node->enabled;

	assert(!node->forced);
	uint64_t explored = node->backtrack | node->sleep | node->elsewhere;
	if (threads & explored || !(node->enabled & ~explored))
		return;
	if (i < search->base)
		offer_ask(search, i, threads, thread);
	else if (!candidates)
		add_all(node); /* no proof covers it, so take everything: never lose a bug */
	else if (candidates >> thread & 1)
		node_add(node, thread);
	else
		node_add(node, (unsigned)__builtin_ctzll(candidates));
}

void search_accept_ask(struct search *search, uint32_t node, struct packed *offer)
{
	uint64_t threads = unpack_number(offer);
	unsigned thread = (unsigned)unpack_number(offer);

	search_ask(search, node, threads, thread % MAX_THREADS);
}

void explored_add(struct explored_list *list, const struct sleeper *sleeper, uint32_t node)
{
	if (list->count == list->size) {
		list->size = list->size ? 2 * list->size : 64;
		list->items = xrealloc(list->items, list->size * sizeof *list->items);
	}
	list->items[list->count++] = (struct explored){.sleeper = *sleeper, .node = node};
}

void explored_cut(struct explored_list *list, uint32_t node)
{
	while (list->count && list->items[list->count - 1].node >= node)
		list->count--;
}

/* No race is looked for between timeouts that nobody else can prevent: all of them are explored. */
static uint64_t first_backtrack(const struct search *search, const struct event *event)
{
	return (event_is(event->op.kind, EV_QUIET) || search->everything) && !event->forced
		       ? event->enabled & ~event->sleep
		       : thread_bit(event->thread);
}

static struct node *node_place(struct search *search, uint32_t i)
{
	if (i >= search->nodes_size) {
		search->nodes_size = search->nodes_size ? 2 * search->nodes_size : 256;
		search->nodes = xrealloc(search->nodes, search->nodes_size * sizeof *search->nodes);
	}
	return &search->nodes[i];
}

struct node *search_push(struct search *search)
{
	return node_place(search, search->nnodes++);
}

static void make_node(struct search *search, uint32_t i, const struct event *event)
{
	*node_place(search, i) = (struct node){.enabled = event->enabled,
					       .sleep = event->sleep,
					       .backtrack = first_backtrack(search, event),
					       .op = event->op,
					       .choice = event->choice,
					       .first_choice = event->choice,
					       .choices = event->op.choices,
					       .thread = event->thread,
					       .forced = event->forced};
	assert(node_is_valid(&search->nodes[i]));
	if (i && !search->offer)
		search->nodes[i - 1].asleep_after = event->sleep;
}

/* The node of the plan's last step was there before; what it leads to is new. */
static uint32_t first_new(const struct search *search)
{
	return search->nnodes ? search->nnodes - 1 : 0;
}

void search_begin(struct search *search, const struct trace *trace)
{
	order_begin(&search->order, trace, first_new(search));
	search->nmade = search->nnodes;
}

void search_follow(struct search *search, const struct trace *trace, uint32_t nevents)
{
	order_follow(&search->order, nevents);
	for (; search->nmade < nevents; search->nmade++)
		make_node(search, search->nmade, &trace->events[search->nmade]);
}

/* --- executions that were cut short --- */

static void ask_for(struct search *search, uint32_t node, unsigned thread)
{
	while (node < search->nnodes && search->nodes[node].forced)
		node++;
	if (node == search->nnodes || !(search->nodes[node].enabled >> thread & 1))
		return;
	if (search->early <= node)
		search->early = node + 1;
	if (search->strategy->ask)
		search->strategy->ask(search, node, thread);
	else
		search_ask(search, node, thread_bit(thread), thread);
}

static const struct op *pending_op(const struct trace *trace, unsigned thread)
{
	for (uint32_t i = 0; i < trace->npending; i++)
		if (trace->pending[i].thread == thread)
			return &trace->pending[i].op;
	return NULL;
}

/* As early as it could, and after each of the first operations that its own conflicts with. */
static void ask_early(struct search *search, const struct trace *trace, unsigned thread, uint32_t since)
{
	enum { TIMES = 3 };
	const struct op *op = pending_op(trace, thread);
	unsigned times = 0;

	ask_for(search, since, thread);
	for (uint32_t i = since; op && i + 1 < trace->nevents && times < TIMES; i++)
		if (ops_conflict(&trace->events[i].op, op)) {
			ask_for(search, i + 1, thread);
			times++;
		}
}

/* Who could have moved, and has not done so again, is to do so early: no race tells of it. */
static void ask_for_others(struct search *search, const struct trace *trace)
{
	uint32_t since[MAX_THREADS];
	uint64_t waiting = 0;

	search->early = 0;
	for (uint32_t i = 0; i < trace->nevents; i++) {
		const struct event *event = &trace->events[i];
		for (uint64_t new = event->enabled & ~waiting; new; new &= new - 1)
			since[__builtin_ctzll(new)] = i;
		waiting = (waiting | event->enabled) & ~thread_bit(event->thread);
	}
	for (; waiting; waiting &= waiting - 1) {
		unsigned thread = (unsigned)__builtin_ctzll(waiting);
		ask_early(search, trace, thread, since[thread]);
	}
}

/* It may be long, and to reverse a race takes as long as it is: where that comes to too much, only the first ones are. */
static void analyse_cut(struct search *search, const struct trace *trace)
{
	enum { ENOUGH = 1000000000 };
	uint32_t nraces = search->order.nraces, most = ENOUGH / (trace->nevents + 1);

	if (nraces > most)
		search->order.nraces = most;
	search->strategy->analyse(search, trace);
	search->order.nraces = nraces;
	if (search->strategy->next)
		return;
	for (uint32_t i = 0; i < search->nnodes; i++)
		search->nodes[i].cut |= thread_bit(search->nodes[i].thread);
	ask_for_others(search, trace);
}

void search_give_up_end(struct search *search)
{
	uint32_t kept = search->nnodes / 2 > search->base ? search->nnodes / 2 : search->base;

	if (kept < search->early)
		kept = search->early;
	if (search->strategy->next)
		return;
	while (search->nnodes > kept) {
		if (search->strategy->forget_node)
			search->strategy->forget_node(search, search->nnodes - 1);
		search->nnodes--;
		explored_cut(&search->explored, search->nnodes);
	}
}

/* --- executions --- */

void search_analyse(struct search *search, const struct trace *trace)
{
	assert(search->nnodes <= trace->nevents);
	assert(!search->nnodes || trace->events[search->nnodes - 1].thread == search->nodes[search->nnodes - 1].thread);
	uint32_t from = first_new(search);
	search->branch = search->nnodes;
	if (search->nnodes) {
		struct node *top = &search->nodes[search->nnodes - 1];
		top->op = trace->events[search->nnodes - 1].op;
		top->choices = top->op.choices;
	}
	if (!order_is_begun(&search->order, from))
		search->nmade = search->nnodes;
	for (; search->nmade < trace->nevents; search->nmade++)
		make_node(search, search->nmade, &trace->events[search->nmade]);
	search->nnodes = trace->nevents;
	order_compute(&search->order, trace, from);
	if (stop_due())
		return;
	if (ending_is_cut(trace->ending))
		analyse_cut(search, trace);
	else
		search->strategy->analyse(search, trace);
}

static uint64_t threads_left(const struct node *node)
{
	return node->backtrack & ~(node->done | node->sleep | thread_bit(node->thread));
}

bool search_has_more(const struct search *search, uint32_t i)
{
	const struct node *node = &search->nodes[i];

	if (search->strategy->has_more)
		return search->strategy->has_more(search, i);
	return node->choice + 1 < node->choices || threads_left(node);
}

bool search_advance(struct search *search)
{
	struct node *node = &search->nodes[search->nnodes - 1];

	if (search->strategy->advance)
		return search->strategy->advance(search);
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
	assert(node_is_valid(node));
	return true;
}

void search_plan(struct search *search, struct plan *plan)
{
	const struct node *top = &search->nodes[search->nnodes - 1];

	plan->nsteps = search->nnodes;
	plan->nguided = 0;
	plan->sleep = search->strategy->uses_sleep ? top->sleep | (top->done & ~top->cut) : 0;
	plan->flags = 0;
	/* a step that is left is that of the last node, and nodes are only added after it */
	if (search->nplanned > search->nnodes - 1)
		search->nplanned = search->nnodes - 1;
	for (uint32_t i = search->nplanned; i < search->nnodes; i++)
		plan->steps[i] = (struct step){.thread = search->nodes[i].thread, .choice = search->nodes[i].choice};
	search->nplanned = search->nnodes;
	if (search->strategy->guide)
		search->strategy->guide(search, plan);
}

uint32_t search_sure_steps(const struct search *search)
{
	enum { LOOKS = 64 };

	if (search->strategy->next)
		return 0;
	for (uint32_t i = search->nnodes; i > search->base && search->nnodes - i < LOOKS; i--)
		if (search_has_more(search, i - 1))
			return i - 1;
	return 0;
}

bool search_next(struct search *search, struct plan *plan)
{
	if (search->strategy->next)
		return search->strategy->next(search, plan);
	while (search->nnodes > search->base &&
	       !(search_has_more(search, search->nnodes - 1) && search_advance(search))) {
		search->nnodes--;
		explored_cut(&search->explored, search->nnodes);
	}
	if (search->nnodes == search->base)
		return false;
	search_plan(search, plan);
	return true;
}
