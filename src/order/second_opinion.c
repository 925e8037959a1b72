#include "order/second_opinion.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "storage/vector.h"
#include "order/held.h"

#define NO_EVENT UINT32_MAX

/* Pairs of events: for the first executions, and for each one that follows. */
#define PAIRS_AT_FIRST 1000000u
#define PAIRS_EACH 1000u

bool second_opinion_due(struct second_opinion *second, const struct trace *trace)
{
	if (CHECKS < 1)
		return false;
	uint64_t pairs = (uint64_t)trace->nevents * trace->nevents;
	if (!second->saved)
		second->saved = PAIRS_AT_FIRST;
	second->saved += PAIRS_EACH;
	if (pairs >= second->saved)
		return false;
	second->saved -= pairs;
	return true;
}

/* What is found out about the trace. */
struct view {
	const struct trace *trace;
	uint32_t from, nevents, width;
	uint32_t *number; /* of each event within its thread, from 1 */
	uint32_t *clocks; /* rows of `width`: one per event, then others */
	uint32_t nrows, clocks_size;
	VECTOR(struct race) races; /* others: of each, what order->others has */
	VECTOR(uint32_t) others;
	uint32_t *list; /* scratch: events */
	uint32_t nlist;
	uint32_t *readers; /* the same: of a lock, since somebody last had it alone */
	uint32_t nreaders;
	char *wrong;
};

/*
 * Who goes on in an atomic block wakes all who sleep, but orders nothing: what he does then are accesses of their own.
 */
static bool ordered_by_conflict(const struct op *a, const struct op *b)
{
	return a->kind != EV_RESUME && b->kind != EV_RESUME && ops_conflict(a, b);
}

static const struct event *event_at(const struct view *view, uint32_t i)
{
	return &view->trace->events[i];
}

static uint32_t *row(const struct view *view, uint32_t n)
{
	return view->clocks + (size_t)n * view->width;
}

static uint32_t new_row(struct view *view)
{
	view->clocks =
		array_grow(view->clocks, &view->clocks_size, (view->nrows + 1ull) * view->width, sizeof *view->clocks);
	memset(row(view, view->nrows), 0, view->width * sizeof *view->clocks);
	return view->nrows++;
}

static void join(struct view *view, uint32_t to, uint32_t from)
{
	for (uint32_t i = 0; i < view->width; i++)
		if (row(view, to)[i] < row(view, from)[i])
			row(view, to)[i] = row(view, from)[i];
}

/* Is the event in what the clock stands for? */
static bool has(const struct view *view, uint32_t clock, uint32_t event)
{
	return row(view, clock)[event_at(view, event)->thread] >= view->number[event];
}

static void complain(struct view *view, char *text)
{
	if (view->wrong)
		free(text);
	else
		view->wrong = text;
}

/* --- what a thread's next operation comes after, whatever it conflicts with --- */

static bool wakes(const struct event *event, unsigned thread)
{
	return event_is(event->op.kind, EV_LETS_GO) && event->value >> thread & 1;
}

static bool settles(const struct event *event, uint32_t thread)
{
	unsigned kind = event->op.kind;

	return (kind == EV_JOIN || kind == EV_TRYJOIN || kind == EV_DETACH) && event->op.target == thread;
}

/* Does the earlier event let the thread get to the operation at all? */
static bool leads_to(const struct event *earlier, const struct op *op, unsigned thread)
{
	if (earlier->thread == thread || (earlier->op.kind == EV_CREATE && earlier->op.target == thread))
		return true;
	if (op->kind == EV_JOIN)
		return earlier->op.kind == EV_EXIT && earlier->thread == op->target;
	return event_is(op->kind, EV_LET_GO) && wakes(earlier, thread);
}

/* A new row: the clock of the operation before event `end`, without its conflicts. */
static uint32_t clock_before(struct view *view, uint32_t end, const struct op *op, unsigned thread)
{
	uint32_t clock = new_row(view);
	bool woken = false, settled = false;

	for (uint32_t i = 0; i < end && op->kind == EV_JOIN; i++)
		settled |= settles(event_at(view, i), op->target);
	for (uint32_t i = end; i-- > 0;) {
		const struct event *earlier = event_at(view, i);
		if (!leads_to(earlier, op, thread) || (settled && earlier->op.kind == EV_EXIT))
			continue;
		if (earlier->thread != thread && earlier->op.kind != EV_CREATE && earlier->op.kind != EV_EXIT) {
			if (woken) /* by the last one only */
				continue;
			woken = true;
		}
		join(view, clock, i);
	}
	return clock;
}

/* --- races --- */

static void add_race(struct view *view, uint32_t first, uint32_t second, unsigned thread, uint32_t clock)
{
	uint32_t node = first;

	while (event_at(view, node)->forced)
		node--;
	if (second < view->from || (node != first && has(view, clock, node)))
		return;
	vector_add(&view->races,
		   (struct race){
			   .first = first, .node = node, .second = second, .thread = (uint8_t)thread, .clock = clock});
}

static bool takes_alone(unsigned effect)
{
	return effect == EFFECT_ACQUIRE || effect == EFFECT_TRY_ACQUIRE;
}

static bool takes_as_reader(unsigned effect)
{
	return effect == EFFECT_READ_ACQUIRE || effect == EFFECT_TRY_READ_ACQUIRE;
}

static bool is_of_reader(const struct op *op)
{
	unsigned effect = event_table[op->kind].effect;

	return (takes_as_reader(effect) && !event_is(op->kind, EV_TAKES_NOTHING)) || effect == EFFECT_READ_RELEASE;
}

/* What the operation does to the lock: the mutex that a wait releases counts. */
static unsigned effect_on(const struct op *op, unsigned object_class, uint64_t object)
{
	const struct event_info *info = &event_table[op->kind];

	if (info->object_class == object_class && op->object == object)
		return info->effect;
	if (object_class == OBJECT_MUTEX && info->effect == EFFECT_WAIT && op->object2 == object)
		return EFFECT_RELEASE;
	return EFFECT_NONE;
}

static bool holds_as_reader(const struct view *view, unsigned thread)
{
	int count = 0;

	for (uint32_t i = 0; i < view->nlist; i++) {
		const struct event *event = event_at(view, view->list[i]);
		if (event->thread == thread && is_of_reader(&event->op))
			count += event_table[event->op.kind].effect == EFFECT_READ_RELEASE ? -1 : 1;
	}
	return count > 0;
}

/* Who takes the lock after this event has nothing more to do with the earlier one. */
static bool replaces(const struct event *event, const struct event *earlier, unsigned effect, bool nested)
{
	bool total = takes_alone(effect) || effect == EFFECT_CHANGE || effect == EFFECT_SIGNAL;

	if (total && ordered_by_conflict(&earlier->op, &event->op))
		return true;
	if (earlier->thread != event->thread)
		return false;
	if (is_of_reader(&event->op))
		return is_of_reader(&earlier->op) && !nested && effect != EFFECT_READ_RELEASE;
	return earlier->op.kind == event->op.kind && earlier->op.object2 == event->op.object2;
}

/* List the events before `end` that still matter to who takes the lock; returns the last that took it alone. */
static uint32_t list_uses(struct view *view, uint32_t end, unsigned object_class, uint64_t object)
{
	uint32_t last = NO_EVENT;

	view->nlist = view->nreaders = 0;
	for (uint32_t i = 0; i < end; i++) {
		const struct event *event = event_at(view, i);
		unsigned effect = effect_on(&event->op, object_class, object);
		uint32_t kept = 0;
		if (effect == EFFECT_NONE || event_is(event->op.kind, EV_LOCAL))
			continue;
		bool nested = is_of_reader(&event->op) && holds_as_reader(view, event->thread);
		for (uint32_t k = 0; k < view->nlist; k++)
			if (!replaces(event, event_at(view, view->list[k]), effect, nested))
				view->list[kept++] = view->list[k];
		view->list[kept++] = i;
		view->nlist = kept;
		last = takes_alone(effect) ? i : last;
		if (takes_alone(effect) || effect == EFFECT_CHANGE)
			view->nreaders = 0;
		if (is_of_reader(&event->op))
			view->readers[view->nreaders++] = i;
	}
	return last;
}

/* What takes a lock for reading, and holds it. */
static bool is_read_lock(const struct op *op)
{
	return takes_as_reader(event_table[op->kind].effect) && !event_is(op->kind, EV_TAKES_NOTHING);
}

/* Is the event one of those that come later, or does it depend on one? */
static bool is_late(const struct view *view, const uint32_t late[], uint32_t nlate, uint32_t event)
{
	for (uint32_t i = 0; i < nlate; i++)
		if (late[i] <= event && has(view, event, late[i]))
			return true;
	return false;
}

/*
 * The first event that holds the lock against a writer, of a thread whose later events are
 * among those that come late; NO_EVENT if none does.
 */
static uint32_t find_holder(const struct view *view, const uint32_t late[], uint32_t nlate, unsigned thread)
{
	uint32_t first = NO_EVENT;
	int count = 0;

	for (uint32_t i = 0; i < view->nreaders; i++) {
		const struct event *event = event_at(view, view->readers[i]);
		if (event->thread != thread)
			continue;
		if (is_late(view, late, nlate, view->readers[i]))
			break;
		if (is_read_lock(&event->op) && !count++)
			first = view->readers[i];
		if (!is_read_lock(&event->op))
			count--;
	}
	return count > 0 ? first : NO_EVENT;
}

/* Readers that would keep a writer out must come later, too; false if one cannot. */
static bool add_holders(const struct view *view, uint32_t late[], uint32_t *nlate, uint32_t clock)
{
	for (unsigned thread = 0; thread < view->width; thread++) {
		uint32_t holder = find_holder(view, late, *nlate, thread);
		if (holder == NO_EVENT)
			continue;
		if (holder < late[0] || has(view, clock, holder))
			return false;
		invariant(*nlate <= MAX_THREADS);
		late[(*nlate)++] = holder;
		thread = (unsigned)-1; /* from the beginning */
	}
	return true;
}

/* The lock could have been taken before the first event took it. */
static void race_for_lock(struct view *view, uint32_t first, uint32_t end, const struct op *op, unsigned thread)
{
	uint32_t clock = clock_before(view, end, op, thread), before = view->races.count;
	uint32_t late[MAX_THREADS + 1] = {first}, nlate = 1;

	if (first == NO_EVENT || event_at(view, first)->thread == thread || has(view, clock, first))
		return;
	if (is_read_lock(&event_at(view, first)->op) && !add_holders(view, late, &nlate, clock))
		return;
	for (uint32_t i = 0; i < view->nlist; i++)
		if (!is_late(view, late, nlate, view->list[i]) &&
		    ordered_by_conflict(&event_at(view, view->list[i])->op, op))
			join(view, clock, view->list[i]);
	for (uint32_t i = 0; i < view->nreaders; i++)
		if (!is_late(view, late, nlate, view->readers[i]) &&
		    ordered_by_conflict(&event_at(view, view->readers[i])->op, op))
			join(view, clock, view->readers[i]);
	add_race(view, first, end, thread, clock);
	if (view->races.count == before)
		return;
	view->races.items[before].others = view->others.count;
	view->races.items[before].nothers = nlate - 1;
	for (uint32_t i = 1; i < nlate; i++)
		vector_add(&view->others, late[i]);
}

static void races_for_lock(struct view *view, uint32_t end, const struct op *op, unsigned thread)
{
	const struct event_info *info = &event_table[op->kind];
	uint64_t readers = 0;

	if ((info->effect != EFFECT_ACQUIRE && info->effect != EFFECT_READ_ACQUIRE) || end < view->from)
		return;
	uint32_t last = list_uses(view, end, info->object_class, op->object);
	for (uint32_t i = 0; i < view->nlist && info->effect == EFFECT_ACQUIRE; i++) {
		const struct event *event = event_at(view, view->list[i]);
		if (!is_read_lock(&event->op) || readers >> event->thread & 1)
			continue;
		readers |= 1ull << event->thread;
		race_for_lock(view, view->list[i], end, op, thread);
	}
	if (!readers)
		race_for_lock(view, last, end, op, thread);
}

/* Could nobody else run between the two events? */
static bool are_one_block(const struct view *view, uint32_t first, uint32_t second)
{
	for (uint32_t i = first + 1; i <= second; i++)
		if (!event_at(view, i)->forced)
			return false;
	return true;
}

/* Whoever awaits a value could have had it before the last write that changed it to one that is as good. */
static void race_of_await(struct view *view, uint32_t await, uint32_t end, const struct op *op, unsigned thread)
{
	const struct await *info = &view->trace->awaits[await - 1];
	uint32_t clock = clock_before(view, end, op, thread);

	for (uint32_t i = info->write; i; i = view->trace->await_writes[i - 1].previous) {
		const struct await_write *write = &view->trace->await_writes[i - 1];
		bool fails = false, writes = false;
		if (has(view, clock, write->event))
			return;
		for (uint32_t k = info->nvalues; k-- > 0;)
			if (info->values[k] == write->value) {
				fails = info->fails >> k & 1;
				writes = info->writes >> k & 1;
			}
		if (fails || (write->previous &&
			      are_one_block(view, view->trace->await_writes[write->previous - 1].event, write->event)))
			continue;
		uint32_t before = view->races.count;
		add_race(view, write->event, end, thread, clock);
		if (view->races.count == before)
			continue;
		view->races.items[before].second_is = writes ? RACE_AWAIT_WRITES : RACE_AWAIT_READS;
		return;
	}
}

/* A join that need not wait, because of the earlier event: before that it would have had to. */
static void race_of_join(struct view *view, uint32_t earlier, uint32_t event)
{
	const struct event *e = event_at(view, event);
	uint32_t exited = event, clock;

	while (exited-- > 0 &&
	       (event_at(view, exited)->op.kind != EV_EXIT || event_at(view, exited)->thread != e->op.target))
		;
	if (exited != NO_EVENT && earlier < exited && has(view, exited, earlier))
		return;
	clock = new_row(view);
	join(view, clock, event);
	if (exited != NO_EVENT) /* else it may end later, and then the join may follow */
		join(view, clock, exited);
	add_race(view, earlier, event, e->thread, clock);
}

static bool is_settled_by(const struct view *view, const struct event *join, uint32_t earlier)
{
	if (join->op.kind != EV_JOIN || !settles(event_at(view, earlier), join->op.target))
		return false;
	for (uint32_t i = 0; i < earlier; i++)
		if (settles(event_at(view, i), join->op.target))
			return false;
	return true;
}

/* The beginning of the atomic block that the thread is in before the event. */
static uint32_t block_of(const struct view *view, uint32_t event, unsigned thread)
{
	while (event-- > 0) {
		if (event_at(view, event)->thread != thread)
			continue;
		if (event_at(view, event)->op.kind == EV_ATOMIC_END)
			return NO_EVENT;
		if (event_at(view, event)->op.kind == EV_ATOMIC_BEGIN)
			return event;
	}
	return NO_EVENT;
}

/* The earlier event enables this one, which may have had to wait for it inside its atomic block. */
static void race_of_block(struct view *view, uint32_t earlier, uint32_t event)
{
	unsigned thread = event_at(view, event)->thread;
	uint32_t begin = block_of(view, event, thread);

	if (begin == NO_EVENT || event < view->from)
		return;
	if (event_at(view, event)->forced) {
		add_race(view, earlier, event, thread, event);
	} else if (begin < earlier && !has(view, earlier, begin)) {
		vector_add(&view->races, (struct race){.first = begin,
						       .node = begin,
						       .second = earlier,
						       .thread = event_at(view, earlier)->thread,
						       .clock = earlier});
	}
}

/* A wait on a semaphore that had one unit left, or none but for this post. */
static bool needs_post(const struct event *post, const struct event *wait)
{
	return wait->op.kind == EV_SEM_WAIT && (post->opens || (post->op.kind == EV_SEM_POST && wait->value <= 1));
}

/* A wait on a condition variable that nobody ended before its time was up: it was not the mutex that it waited for. */
static bool waits_for_signal(const struct view *view, uint32_t event)
{
	const struct event *e = event_at(view, event);

	if (e->op.kind != EV_TIMEOUT || e->instead != EV_COND_WAKE)
		return false;
	for (uint32_t i = event; i-- > 0 && event_at(view, i)->thread != e->thread;)
		if (wakes(event_at(view, i), e->thread))
			return false;
	return true;
}

/* The end of a wait for a signal that somebody has woken: if it could have ended before, that is a race. */
static void race_of_leaving(struct view *view, uint32_t event, const struct op *op, unsigned thread)
{
	uint32_t signal = NO_EVENT, waits = event, node;

	if (!event_is_wake(op->kind))
		return;
	while (waits-- > 0 && event_at(view, waits)->thread != thread)
		if (wakes(event_at(view, waits), thread))
			signal = waits;
	for (node = signal; node != NO_EVENT && event_at(view, node)->forced;)
		node--;
	if (node == NO_EVENT || node < waits || !(event_at(view, node)->enabled >> thread & 1))
		return;
	uint32_t before = view->races.count, clock = new_row(view);
	memcpy(row(view, clock), row(view, waits), view->width * sizeof *view->clocks);
	add_race(view, signal, event, thread, clock);
	if (view->races.count > before)
		view->races.items[before].second_is = RACE_LEAVES;
}

/* The last to come was not that if the earlier one came after it; then it does not know of the others. */
static bool race_of_last(struct view *view, uint32_t earlier, uint32_t event, uint32_t clock)
{
	const struct op *op = &event_at(view, event)->op, *other = &event_at(view, earlier)->op;
	uint32_t before = view->races.count;

	if (!op_arrives(other) || op->kind != event_table[other->kind].last)
		return false;
	add_race(view, earlier, event, event_at(view, event)->thread, clock);
	if (view->races.count > before)
		view->races.items[before].second_is = RACE_NOT_LAST;
	return true;
}

/* --- happens-before --- */

static void one_event(struct view *view, uint32_t event)
{
	const struct event *e = event_at(view, event);
	struct op op = e->op;

	if (op.kind == EV_TIMEOUT)
		op.kind = (uint8_t)e->instead;
	bool awaits = event_table[e->op.kind].object_class == OBJECT_MEMORY && e->await;
	if (awaits)
		race_of_await(view, e->await, event, &e->op, e->thread);
	if (!waits_for_signal(view, event))
		races_for_lock(view, event, &op, e->thread);
	race_of_leaving(view, event, &e->op, e->thread);
	uint32_t clock = clock_before(view, event, &e->op, e->thread);
	memcpy(row(view, event), row(view, clock), view->width * sizeof *view->clocks);
	for (uint32_t i = event; i-- > 0;) {
		const struct event *f = event_at(view, i);
		if (has(view, event, i) || f->thread == e->thread || !ordered_by_conflict(&f->op, &e->op))
			continue;
		bool awaited = awaits && event_table[f->op.kind].effect == EFFECT_WRITE; /* see above */
		if (!awaited && is_settled_by(view, e, i))
			race_of_join(view, i, event);
		else if (awaited || race_of_last(view, i, event, clock))
			; /* there is none, or it is noted */
		else if ((ops_may_be_coenabled(&f->op, &e->op) || event_is_too_late(f)) && !needs_post(f, e))
			add_race(view, i, event, e->thread, event);
		else
			race_of_block(view, i, event);
		join(view, event, i);
	}
	row(view, event)[e->thread] = view->number[event];
}

static void one_pending(struct view *view, const struct pending *pending)
{
	uint32_t n = view->nevents;
	const struct event *last = n ? event_at(view, n - 1) : NULL;

	if (last && event_is(last->op.kind, EV_END) && pending->enabled && last->thread != pending->thread)
		add_race(view, n - 1, n, pending->thread, clock_before(view, n, &pending->op, pending->thread));
	if (pending->await)
		race_of_await(view, pending->await, n, &pending->op, pending->thread);
	if (!pending->enabled && !pending->waiting)
		races_for_lock(view, n, &pending->op, pending->thread);
	race_of_leaving(view, n, &pending->op, pending->thread);
}

static void compute(struct view *view)
{
	uint32_t count[MAX_THREADS] = {0};

	for (uint32_t i = 0; i < view->nevents; i++) {
		view->number[i] = ++count[event_at(view, i)->thread];
		new_row(view);
	}
	for (uint32_t i = 0; i < view->nevents && !stop_due(); i++) {
		one_event(view, i);
		if (i < view->from)
			view->nrows = view->nevents; /* nobody refers to the others */
	}
	if (stop_due())
		return;
	for (uint32_t i = 0; i < view->trace->npending && view->trace->ending != ENDING_STOPPED; i++)
		one_pending(view, &view->trace->pending[i]);
}

/* --- enabled sets --- */

/* What can be done at any time, by a thread that got there. */
static bool is_always_enabled(unsigned kind)
{
	return kind == EV_WRITE || kind == EV_ATOMIC_STORE || kind == EV_MUTEX_UNLOCK || kind == EV_COND_SIGNAL;
}

/* The memory it is in was freed, perhaps while it was locked: who holds it then cannot be said. */
static bool is_gone(const struct view *view, uint32_t end, uint64_t object)
{
	for (uint32_t i = 0; i < end; i++) {
		const struct op *op = &event_at(view, i)->op;
		if ((op->kind == EV_FREE || event_takes_away(op->kind)) && object - op->object < op->size)
			return true;
	}
	return false;
}

/* What a thread will do next cannot be done before event i. */
static bool is_disabled(const struct view *view, const struct held *held, uint32_t i, uint32_t next)
{
	const struct event *event = event_at(view, next);
	const struct held_lock *owner = held_owner(held, event->op.object);
	bool ended = false;

	switch (event->op.kind) {
	case EV_MUTEX_LOCK:
	case EV_SPIN_LOCK:
	case EV_RWLOCK_WRLOCK: return owner && !is_gone(view, i, event->op.object);
	case EV_JOIN:
		for (uint32_t k = 0; k < i; k++)
			ended |= settles(event_at(view, k), event->op.target) ||
				 (event_at(view, k)->op.kind == EV_EXIT &&
				  event_at(view, k)->thread == event->op.target);
		return !ended;
	}
	return false;
}

struct lives {
	uint64_t created, ended;
	uint32_t next[MAX_THREADS]; /* event of each thread */
};

static void check_enabled(struct view *view, const struct held *held, uint32_t i, const struct lives *lives)
{
	const struct event *event = event_at(view, i);

	if (!(event->enabled >> event->thread & 1))
		complain(view, xasprintf("event %u: its thread %u was not enabled", i, event->thread));
	for (unsigned t = 0; t < view->width; t++) {
		bool enabled = event->enabled >> t & 1, alive = (lives->created & ~lives->ended) >> t & 1;
		uint32_t next = lives->next[t];
		if (enabled && !alive)
			complain(view, xasprintf("event %u: thread %u is enabled, but not alive", i, t));
		if (event->forced || next == NO_EVENT)
			continue;
		/* when nobody could go on, whoever had a time limit could: also one that then got what it waited for */
		if (event_is(event->op.kind, EV_QUIET))
			continue;
		if (enabled && is_disabled(view, held, i, next))
			complain(view,
				 xasprintf("event %u: thread %u is enabled, but must wait (event %u)", i, t, next));
		if (!enabled && alive && is_always_enabled(event_at(view, next)->op.kind))
			complain(view, xasprintf("event %u: thread %u is not enabled (event %u)", i, t, next));
	}
}

static void check_all_enabled(struct view *view)
{
	struct held held;
	struct lives lives = {.created = 1};
	uint32_t *following = xmalloc((view->nevents + 1) * sizeof *following);

	memset(lives.next, 0xff, sizeof lives.next);
	for (uint32_t i = view->nevents; i-- > 0;) {
		following[i] = lives.next[event_at(view, i)->thread];
		lives.next[event_at(view, i)->thread] = i;
	}
	held_init(&held, NULL, 0);
	for (uint32_t i = 0; i < view->nevents && !stop_due(); i++) {
		const struct event *event = event_at(view, i);
		check_enabled(view, &held, i, &lives);
		held_follow(&held, event, i);
		lives.next[event->thread] = following[i];
		if (event->op.kind == EV_CREATE)
			lives.created |= 1ull << event->op.target;
		if (event->op.kind == EV_EXIT)
			lives.ended |= 1ull << event->thread;
	}
	held_release(&held);
	free(following);
}

/* --- comparing --- */

static void compare_clocks(struct view *view, const struct order *order)
{
	for (uint32_t b = 0; b < view->nevents && !stop_due(); b++)
		for (uint32_t a = 0; a < b; a++)
			if (has(view, b, a) != order_before(order, a, b))
				complain(view, xasprintf("event %u (%s) %s after event %u (%s)", b,
							 event_table[event_at(view, b)->op.kind].name,
							 has(view, b, a) ? "comes" : "does not come", a,
							 event_table[event_at(view, a)->op.kind].name));
}

/* One line of numbers for each race, which sorts and compares. */
struct line {
	uint32_t second, first, node, thread, second_is;
	uint32_t nothers, others[MAX_THREADS];
	uint32_t clock[MAX_THREADS];
};

static int compare_lines(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct line));
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static struct line make_line(const struct race *race, const uint32_t *others, const uint32_t *clock, uint32_t width)
{
	struct line line = {.second = race->second,
			    .first = race->first,
			    .node = race->node,
			    .thread = race->thread,
			    .second_is = race->second_is,
			    .nothers = race->nothers};

	invariant(width <= MAX_THREADS && race->nothers <= MAX_THREADS);
	memcpy(line.clock, clock, width * sizeof *clock);
	if (race->nothers)
		memcpy(line.others, others + race->others, race->nothers * sizeof *others);
	qsort(line.others, race->nothers, sizeof *line.others, compare_numbers);
	return line;
}

/* In order, each once. */
static uint32_t sort_lines(struct line *lines, uint32_t n)
{
	uint32_t kept = 0;

	if (n)
		qsort(lines, n, sizeof *lines, compare_lines);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || compare_lines(&lines[kept - 1], &lines[i]))
			lines[kept++] = lines[i];
	return kept;
}

static void compare_races(struct view *view, const struct order *order)
{
	struct line *ours = xcalloc(view->races.count + 1, sizeof *ours),
		    *theirs = xcalloc(order->nraces + 1, sizeof *theirs);
	uint32_t i = 0;

	for (uint32_t k = 0; k < view->races.count; k++)
		ours[k] = make_line(&view->races.items[k], view->others.items, row(view, view->races.items[k].clock),
				    view->width);
	for (uint32_t k = 0; k < order->nraces; k++)
		theirs[k] = make_line(&order->races[k], order->others, order_clock(order, order->races[k].clock),
				      view->width);
	uint32_t nours = sort_lines(ours, view->races.count), ntheirs = sort_lines(theirs, order->nraces);
	while (i < nours && i < ntheirs && !compare_lines(&ours[i], &theirs[i]))
		i++;
	if (i < nours || i < ntheirs) {
		const struct line *odd = i < nours ? &ours[i] : &theirs[i];
		complain(view, xasprintf("event %u: its race with event %u, of %u races here and %u there", odd->second,
					 odd->first, nours, ntheirs));
	}
	free(ours);
	free(theirs);
}

char *second_opinion(const struct order *order, uint32_t from)
{
	struct view view = {.trace = order->trace,
			    .from = from,
			    .nevents = order->trace->nevents,
			    .width = order->trace->nthreads};

	invariant(order->nevents == view.nevents && order->width >= view.width);
	view.number = xmalloc((view.nevents + 1) * sizeof *view.number);
	view.list = xmalloc((view.nevents + 1) * sizeof *view.list);
	view.readers = xmalloc((view.nevents + 1) * sizeof *view.readers);
	compute(&view);
	compare_clocks(&view, order);
	if (!stop_due())
		compare_races(&view, order);
	check_all_enabled(&view);
	free(view.number);
	free(view.list);
	free(view.readers);
	memory_free(view.clocks);
	vector_release(&view.races);
	vector_release(&view.others);
	if (!stop_due())
		return view.wrong;
	free(view.wrong); /* it comes of what was not computed */
	return NULL;
}
