/*
 * Stateful search: no move is taken twice from the same state (Yang, Chen, Gopalakrishnan, Kirby,
 * SPIN 2008, and what docs/ALGORITHMS.md says about the differences).
 *
 * The search keeps the graph of all states seen and of the moves between them.  An execution is a
 * path through it; it goes on beyond states that are known, and takes there what nobody has
 * taken yet, until it comes to one from which nothing is left to explore.  The search is over when from
 * each state enough moves were taken:
 *
 *   - all outcomes of an operation that was performed there;
 *   - for a move with a label u, every rival of u (labels.h): a thread that may later do something
 *     that conflicts with u.  If a rival cannot move in that state, all threads that can;
 *   - for a move that wakes somebody who could have ended his wait by himself, that thread;
 *   - in a part of the graph that no move leads out of, each thread that could move somewhere in
 *     it has moved somewhere in it.
 *
 * Sleep sets would not be sound here, and there are none.
 */
#include "search/stateful/stateful.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "order/progress.h"
#include "search/stateful/cycles.h"
#include "search/stateful/labels.h"
#include "order/locksets.h"
#include "search/stateful/meetings.h"
#include "search/stateful/graph.h"
#include "search/stateful/plan.h"

enum { FEW_STATES = 1000 };

/* Why it cannot go on. */
#define FULL "there was no room for those that are needed (--state-memory)"
#define INEXACT "states that seemed to be the same were not"

/* A move of the last execution. */
struct taken {
	uint32_t vertex, label;
	uint32_t event; /* its first */
	uint64_t created; /* threads that there were */
	uint8_t thread;
	bool is_new; /* it had not been taken before */
};

/* How far the threads have come in an execution. */
struct progress_of_threads {
	struct locksets *locksets;
	struct standing of[MAX_THREADS]; /* but for the locks */
	uint64_t created, ended;
};

static uint32_t find_label(struct labels *labels, const struct progress_of_threads *threads, unsigned thread,
			   const struct op *op)
{
	struct standing standing = threads->of[thread];

	standing.locks = threads->locksets->held[thread];
	return labels_find(labels, thread, &standing, op);
}

struct stateful {
	struct state_graph graph;
	struct labels labels;
	struct locksets locksets;
	VECTOR(struct taken) taken;
	uint64_t version; /* of the labels, when all vertices were last looked at */
	uint32_t looked; /* executions since then */
	struct state_plan plan;
	bool cancels; /* somebody cancels somebody */
	bool waits_have_ends; /* there are waits on condition variables that need no signal to end */
	bool looked_for_livelock;
	bool shows_livelock; /* the last plan leads into one and once round it */
	struct turns turns; /* of the last execution */
	bool weak; /* there are atomic operations that do not order what they should */
	bool timed_out, spun; /* in some execution a time limit was reached as a last resort; … a round was in vain */
	bool endless; /* from some states no execution comes to an end */
	bool done; /* nothing is left to do */
};

/* --- what is to be done --- */

static void want(struct stateful *stateful, uint32_t number, uint64_t threads)
{
	struct vertex *vertex = &stateful->graph.vertices[number];
	uint64_t before = vertex->wanted;

	invariant(number < stateful->graph.nvertices);
	vertex->wanted |= threads & vertex->enabled;
	if (vertex->wanted == before)
		return;
	graph_settle(&stateful->graph, number);
	state_plan_enqueue(&stateful->plan, &stateful->graph, number);
}

/*
 * Can it be that the thread whose next move has this label takes another one next, because of what others do?
 * Who awaits a value begins with what depends on the value; a wait that can be cancelled, or that has a time
 * limit or other ways to end, turns into one of them.
 */
static bool next_may_vary(const struct stateful *stateful, uint32_t next)
{
	const struct label *label = &stateful->labels.all[next];

	return stateful->cancels || label->awaits || (label->varies && stateful->waits_have_ends);
}

/*
 * A move with this label was taken from the vertex: who may come to do something that should have been
 * tried instead?  If he cannot move there, anybody who can may be the one to let him.
 */
static uint64_t rivals_at(const struct stateful *stateful, uint32_t number, uint32_t label)
{
	const struct vertex *vertex = &stateful->graph.vertices[number];
	uint64_t rivals = 0, left = stateful->labels.rival_threads[label] & ~vertex->ended;

	for (; left; left &= left - 1) {
		unsigned thread = (unsigned)__builtin_ctzll(left);
		uint32_t next = thread < vertex->nmoves ? stateful->graph.moves[vertex->moves + thread] : NO_LABEL;
		/* somebody who is not known here has yet to be created, and nobody knows as what */
		if (next == NO_LABEL || next_may_vary(stateful, next) ||
		    labels_may_rival(&stateful->labels, label, next))
			rivals |= thread_bit(thread);
	}
	return rivals & ~vertex->enabled ? vertex->enabled : rivals;
}

static void want_rivals(struct stateful *stateful, uint32_t number)
{
	const struct state_graph *graph = &stateful->graph;

	for (uint32_t i = graph->vertices[number].out; i; i = graph->edges[i].next_out)
		want(stateful, number, rivals_at(stateful, number, graph->edges[i].label));
}

/*
 * More is known of what comes after what than when this was last asked.  Where a vertex is not open now, all that can come
 * after it was seen, and what is learned in other places does not matter for it.
 */
static void want_all_rivals(struct stateful *stateful)
{
	struct state_graph *graph = &stateful->graph;

	stateful->version = stateful->labels.version;
	stateful->looked = 0;
	for (uint32_t i = 0; i < graph->nvertices && !stop_due(); i++)
		if (!graph->vertices[i].final)
			want_rivals(stateful, i);
	invariant(!graph->unsettled.count);
	for (uint32_t i = 0; i < graph->nvertices; i++)
		graph->vertices[i].final |= !graph->vertices[i].open;
}

/* --- an execution --- */

/* The move was taken: now what can follow what is known for all that lead here and lead on. */
static void link_labels(struct stateful *stateful, uint32_t number)
{
	struct state_graph *graph = &stateful->graph;
	const struct edge *edge = &graph->edges[number];

	for (uint32_t i = graph->vertices[edge->from].in; i; i = graph->edges[i].next_in)
		labels_follow(&stateful->labels, graph->edges[i].label, edge->label);
	if (edge->to == NO_VERTEX)
		return;
	for (uint32_t i = graph->vertices[edge->to].out; i; i = graph->edges[i].next_out)
		labels_follow(&stateful->labels, edge->label, graph->edges[i].label);
}

/* False when the same move from the same state has led somewhere else before. */
static bool take_move(struct stateful *stateful, struct edge edge, bool is_new)
{
	struct state_graph *graph = &stateful->graph;
	uint32_t number = graph_find_edge(graph, edge.from, edge.thread, edge.choice);

	if (number && graph->edges[number].label != edge.label)
		return false;
	if (number && !graph->edges[number].forgotten)
		return graph->edges[number].to == edge.to;
	if (number && edge.to == NO_VERTEX)
		return false;
	if (number)
		graph_lead(graph, number, edge.to);
	else
		number = graph_add_edge(graph, edge);
	graph->hits += edge.to != NO_VERTEX && !is_new;
	if (is_new) {
		invariant(edge.to != edge.from && !graph->vertices[edge.to].parent);
		graph->vertices[edge.to].parent = number;
		graph->vertices[edge.to].depth = graph->vertices[edge.from].depth + 1;
	}
	link_labels(stateful, number);
	return true;
}

/* What the thread was about to do when it did this. */
static struct op intended(const struct event *event)
{
	struct op op = event->op;

	if (op.kind == EV_TIMEOUT)
		op.kind = (uint8_t)event->instead;
	if (op.kind == EV_MUTEX_LOCK_LOST)
		op.kind = EV_MUTEX_LOCK;
	if (op.kind == EV_COND_WAKE_LOST)
		op.kind = EV_COND_WAKE;
	return op;
}

/* Something is learned about what a thread may do next: all vertices must be looked at again. */
static void learn(struct stateful *stateful, bool *known, bool is_so)
{
	if (*known || !is_so)
		return;
	*known = true;
	stateful->labels.version++;
}

/* Is it seen that a wait for a signal can end without one? */
static void note_ends(struct stateful *stateful, unsigned kind)
{
	learn(stateful, &stateful->waits_have_ends,
	      kind == EV_COND_TIMEOUT || kind == EV_COND_SPURIOUS || kind == EV_COND_CANCELLED || kind == EV_TIMEOUT);
}

/* The execution has ended in a state that is known: what comes after that can come after its last move. */
static void take_known(struct stateful *stateful, uint32_t number, uint32_t last, uint16_t next[MAX_THREADS])
{
	const struct vertex *vertex = &stateful->graph.vertices[number];

	for (uint32_t i = 0; i < vertex->nmoves; i++) {
		uint16_t label = stateful->graph.moves[vertex->moves + i];
		if (label == NO_LABEL)
			continue;
		next[i] = label;
		labels_follow(&stateful->labels, last, label);
	}
}

/* What was still to be done when the execution ended can come after its last move. */
static void take_pending(struct stateful *stateful, const struct trace *trace, uint32_t last,
			 const struct progress_of_threads *threads, uint16_t next[MAX_THREADS])
{
	for (uint32_t i = 0; i < trace->npending; i++) {
		const struct pending *pending = &trace->pending[i];
		struct op op = pending->op;
		if (pending->instead)
			op.kind = pending->instead;
		note_ends(stateful, op.kind);
		learn(stateful, &stateful->waits_have_ends, pending->timed);
		next[pending->thread] = (uint16_t)find_label(&stateful->labels, threads, pending->thread, &op);
		labels_follow(&stateful->labels, last, next[pending->thread]);
		learn(stateful, &stateful->labels.all[next[pending->thread]].awaits,
		      pending->await || pending->op.kind == EV_SPIN);
	}
}

static void set_moves(struct stateful *stateful, const struct taken *taken, const uint16_t next[MAX_THREADS],
		      uint32_t nthreads)
{
	uint16_t moves[MAX_THREADS];

	for (uint32_t i = 0; i < nthreads; i++) {
		moves[i] = taken->created >> i & 1 ? next[i] : NO_LABEL;
		invariant(moves[i] == NO_LABEL || stateful->labels.all[moves[i]].thread == i);
	}
	graph_set_moves(&stateful->graph, taken->vertex, moves, nthreads);
}

/* The last execution's moves, from the last to the first: what was everybody to do next? */
static void note_next_moves(struct search *search, const struct trace *trace, uint16_t next[MAX_THREADS])
{
	struct stateful *stateful = search->own;

	for (uint32_t i = stateful->taken.count; i-- > 0;) {
		const struct taken *taken = &stateful->taken.items[i];
		invariant(taken->label < stateful->labels.count && taken->label != NO_LABEL);
		invariant(stateful->graph.vertices[taken->vertex].enabled >> taken->thread & 1);
		next[taken->thread] = (uint16_t)taken->label;
		if (!stateful->graph.vertices[taken->vertex].nmoves)
			set_moves(stateful, taken, next, trace->nthreads);
		if (taken->is_new)
			meetings_find(&search->insight.meetings, trace, taken->event,
				      &(struct meeting_state){&stateful->graph, &stateful->labels, taken->vertex});
		want(stateful, taken->vertex, thread_bit(taken->thread));
		want_rivals(stateful, taken->vertex);
		graph_settle(&stateful->graph, taken->vertex);
		state_plan_enqueue(&stateful->plan, &stateful->graph, taken->vertex);
	}
}

/* The vertex in which event i was chosen, or in which the execution ended. */
static uint32_t vertex_at(struct search *search, const struct trace *trace, uint32_t i, uint64_t ended, bool *is_new)
{
	struct stateful *stateful = search->own;
	uint32_t before = stateful->graph.nvertices, number;

	*is_new = false;
	if (i == trace->nevents && trace->ending != ENDING_CYCLE && trace->ending != ENDING_KNOWN)
		return NO_VERTEX;
	number = graph_add(&stateful->graph, trace->states[i], i < trace->nevents ? trace->events[i].enabled : 0);
	if (search->setup.channel->exact_states && !graph_is_exact(&stateful->graph, number, i))
		failure("two states have the same hash and are not the same");
	if (search->setup.channel->silent)
		failure("the memory at %#" PRIx64 " changed without notice", search->setup.channel->silent);
	*is_new = stateful->graph.nvertices != before;
	if (*is_new) {
		stateful->graph.vertices[number].ended = ended;
		stateful->graph.vertices[number].late = i < trace->nevents ? trace->events[i].late : 0;
	}
	return number;
}

/* Did the plan lead to where it led the first time? */
static bool is_as_expected(const struct stateful *stateful)
{
	for (uint32_t i = 0; i < stateful->plan.npath; i++)
		if (i >= stateful->taken.count || stateful->taken.items[i].vertex != stateful->plan.expected[i])
			return false;
	return true;
}

static void follow(struct progress_of_threads *threads, const struct event *event)
{
	struct standing *mine = &threads->of[event->thread], *other = &threads->of[event->op.target % MAX_THREADS];

	locksets_follow(threads->locksets, event);
	switch (event->op.kind) {
	case EV_EXIT: threads->ended |= thread_bit(event->thread); break;
	case EV_CREATE:
		threads->created |= thread_bit(event->op.target);
		mine->created |= thread_bit(event->op.target);
		other->joined = mine->joined;
		break;
	case EV_JOIN:
	case EV_TRYJOIN:
		mine->joined |= other->joined;
		if (threads->ended >> event->op.target & 1)
			mine->joined |= thread_bit(event->op.target);
		break;
	}
}

/* What happens to all threads up to the next decision after event i. */
static uint32_t follow_to_decision(struct stateful *stateful, const struct trace *trace, uint32_t i,
				   struct progress_of_threads *threads)
{
	do {
		follow(threads, &trace->events[i]);
		stateful->weak |= trace->events[i].op.kind == EV_FENCE || op_is_weak(&trace->events[i].op);
		stateful->timed_out |= event_is(trace->events[i].op.kind, EV_QUIET);
		note_ends(stateful, trace->events[i].op.kind);
	} while (++i < trace->nevents && !event_is_decision(&trace->events[i]));
	return i;
}

/*
 * A move that wakes somebody who could have ended his wait by himself: nothing after it tells of that, so it must
 * be tried.
 */
static void want_leavers(struct stateful *stateful, uint32_t vertex, const struct event *events, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		unsigned kind = events[i].op.kind;
		if (kind != EV_COND_SIGNAL && kind != EV_COND_BROADCAST)
			continue;
		want(stateful, vertex, events[0].enabled & events[i].value);
		learn(stateful, &stateful->waits_have_ends, events[0].enabled & events[i].value);
	}
}

/*
 * An operation with several outcomes inside an atomic block is a move of its own, in a state in which nobody else can move.
 * What others would do instead, they do before the block: its first move counts as all of it, as far as it was taken.
 */
static const struct taken *first_of_block(const struct stateful *stateful, const struct trace *trace)
{
	const struct taken *taken = &stateful->taken.items[stateful->taken.count - 1];

	while (trace->events[taken->event].forced) {
		invariant(taken > stateful->taken.items && taken[-1].thread == taken->thread);
		taken--;
	}
	return taken;
}

static void learn_block(struct stateful *stateful, const struct trace *trace, uint32_t end)
{
	const struct taken *first = first_of_block(stateful, trace);
	const struct event *events = trace->events + first->event;

	labels_learn(&stateful->labels, first->label, events, end - first->event);
	want_leavers(stateful, first->vertex, events, end - first->event);
}

/* The execution as a path through the graph.  The vertex that it ends in, or NO_VERTEX if it has come to its end. */
static uint32_t take_moves(struct search *search, const struct trace *trace, struct progress_of_threads *threads)
{
	struct stateful *stateful = search->own;
	uint32_t n = trace->nevents, i = 0;
	bool is_new;

	stateful->taken.count = 0;
	if (n && !event_is_decision(&trace->events[0]))
		i = follow_to_decision(stateful, trace, 0, threads);
	uint32_t vertex = vertex_at(search, trace, i, threads->ended, &is_new);
	while (i < n && vertex != NO_VERTEX && !stop_due()) {
		const struct event *event = &trace->events[i];
		struct op op = intended(event);
		uint32_t label = find_label(&stateful->labels, threads, event->thread, &op);
		uint64_t created = threads->created;
		uint32_t end = follow_to_decision(stateful, trace, i, threads);
		uint32_t to = vertex_at(search, trace, end, threads->ended, &is_new);

		uint32_t edges = stateful->graph.nedges;
		bool progress = false, attempt = false;

		for (uint32_t k = i; k < end; k++) {
			progress |= event_is_progress(&trace->events[k]);
			attempt |= event_is_attempt(&trace->events[k]);
		}
		if (!take_move(stateful,
			       (struct edge){.from = vertex,
					     .to = to,
					     .label = label,
					     .choice = event->choice,
					     .choices = event->op.choices,
					     .thread = event->thread,
					     .spun = to == NO_VERTEX && trace->ending == ENDING_SPUN,
					     .progress = progress,
					     .attempt = attempt},
			       is_new))
			search->lost = INEXACT;
		vector_add(&stateful->taken, (struct taken){.vertex = vertex,
							    .label = label,
							    .event = i,
							    .created = created,
							    .thread = event->thread,
							    .is_new = stateful->graph.nedges != edges});
		learn(stateful, &stateful->labels.all[label].awaits,
		      event_table[event->op.kind].object_class == OBJECT_MEMORY && event->await);
		if (event_is(event->op.kind, EV_QUIET) || search->everything)
			want(stateful, vertex, event->enabled);
		learn_block(stateful, trace, end);
		invariant(end > i);
		vertex = to;
		i = end;
	}
	return vertex;
}

/* The vertices that the execution has come to are not to be forgotten now, not even the one that it has ended in. */
static void keep_vertices_of(struct state_graph *graph, const struct trace *trace)
{
	for (uint32_t i = 0; i <= trace->nevents; i++) {
		uint32_t vertex = state_is_known(trace->states[i]) ? graph_find(graph, trace->states[i]) : NO_VERTEX;
		if (vertex != NO_VERTEX)
			graph->vertices[vertex].final = false;
	}
}

/*
 * Room for the states of one more execution.  From now on everything takes longer: what is forgotten
 * may be explored again.
 */
static void make_room(struct search *search, const struct trace *trace)
{
	struct stateful *stateful = search->own;
	struct state_graph *graph = &stateful->graph;
	uint32_t nevents = trace->nevents;

	if (graph->nvertices + nevents + 1 <= graph->limit)
		return;
	want_all_rivals(stateful);
	keep_vertices_of(graph, trace);
	uint32_t *numbers = graph_forget(graph);
	state_plan_renumber(&stateful->plan, graph, numbers);
	memory_free(numbers);
	stateful->plan.furthest_first = true;
	if (graph->nvertices > graph->limit / 4 * 3 || graph->nvertices + nevents + 1 > graph->limit)
		search->lost = FULL;
}

void stateful_take_in(struct search *search, const struct trace *trace, uint32_t from)
{
	struct stateful *stateful = search->own;
	struct progress_of_threads threads = {.locksets = &stateful->locksets, .created = thread_bit(0)};
	uint16_t next[MAX_THREADS];

	meetings_clear(&search->insight.meetings, &stateful->labels);
	make_room(search, trace);
	if (search->lost)
		return;
	memset(next, 0xff, sizeof next); /* NO_LABEL */
	locksets_begin(&stateful->locksets);
	stateful->cancels = search->setup.channel->features & FEATURE_CANCEL;
	uint32_t end = take_moves(search, trace, &threads);
	if (stop_due())
		return;
	if (stateful->taken.count) {
		uint32_t last = stateful->taken.items[stateful->taken.count - 1].label;
		take_pending(stateful, trace, last, &threads, next);
		if (end != NO_VERTEX)
			take_known(stateful, end, last, next);
	}
	note_next_moves(search, trace, next);
	slow_invariant(graph_is_valid(&stateful->graph));
	if (!is_as_expected(stateful))
		search->lost = INEXACT;
	stateful->spun |= trace->ending == ENDING_SPUN;
	for (uint32_t k = 0; k < trace->npending; k++)
		stateful->graph.spun |= trace->pending[k].op.kind == EV_SPIN && !trace->pending[k].await;
	search->insight.livelock = stateful->shows_livelock && trace->ending == ENDING_CYCLE;
	stateful->shows_livelock = false;
	turns_take(&stateful->turns, trace, from);
	/* races that only weak atomics hide, or of which no label tells, are seen in executions, not in states */
	search->setup.channel->end_at_known = !stateful->weak && !labels_are_full(&stateful->labels);
}

/* --- the next one --- */

bool stateful_next(struct search *search, struct plan *plan)
{
	struct stateful *stateful = search->own;
	uint32_t vertex;

	/* not after each execution: there may be many states */
	if (stateful->version != stateful->labels.version &&
	    ++stateful->looked > stateful->graph.nvertices / FEW_STATES)
		want_all_rivals(stateful);
	vertex = state_plan_pick(&stateful->plan, &stateful->graph);
	if (vertex == NO_VERTEX && stateful->version != stateful->labels.version) {
		want_all_rivals(stateful);
		vertex = state_plan_pick(&stateful->plan, &stateful->graph);
	}
	if (vertex == NO_VERTEX && cycles_complete(&stateful->graph)) {
		state_plan_enqueue_all(&stateful->plan, &stateful->graph);
		vertex = state_plan_pick(&stateful->plan, &stateful->graph);
	}
	if (vertex != NO_VERTEX)
		state_plan_lead_on(&stateful->plan, &stateful->graph, vertex);
	else if (!stateful->looked_for_livelock)
		stateful->looked_for_livelock = stateful->shows_livelock =
			state_plan_lead_round(&stateful->plan, &stateful->graph);
	if (vertex == NO_VERTEX && !stateful->shows_livelock) {
		stateful->endless = cycles_never_end(&stateful->graph);
		stateful->done = true;
		return false;
	}
	state_plan_write(&stateful->plan, &stateful->turns, plan);
	invariant(plan->nsteps && !stateful->done);
	return true;
}

void stateful_init(struct search *search)
{
	struct stateful *stateful = memory_new_clear(1, sizeof *stateful);

	invariant(!search->own && search->setup.channel); /* states are told by the program */
	search->own = stateful;
	graph_init(&stateful->graph, search->setup.channel, search->setup.state_memory);
	labels_init(&stateful->labels, search->setup.channel->names);
}

void stateful_release(struct search *search)
{
	struct stateful *stateful = search->own;

	graph_release(&stateful->graph);
	labels_release(&stateful->labels);
	meetings_release(&search->insight.meetings);
	state_plan_release(&stateful->plan);
	turns_release(&stateful->turns);
	vector_release(&stateful->taken);
	memory_free(stateful);
}

enum coverage stateful_coverage(const struct search *search)
{
	const struct stateful *stateful = search->own;

	if (stateful->timed_out && stateful->spun)
		return COVERAGE_UNSURE;
	return stateful->done ? COVERAGE_ALL : COVERAGE_PART;
}

void stateful_figures(const struct search *search, struct result *result)
{
	const struct stateful *stateful = search->own;

	result->states = stateful->graph.nvertices + stateful->graph.forgotten;
	result->endless = stateful->endless;
	result->state_hits = stateful->graph.hits;
	result->states_forgotten = stateful->graph.forgotten;
	result->state_bytes = graph_bytes(&stateful->graph);
	result->weak_unsure = stateful->weak;
}
