/*
 * What is computed from one trace after another, where they begin alike, is what would be
 * computed from each of them alone.
 */
#include "check.h"

#include <stdlib.h>

#include "order/history.h"
#include "order/order.h"
#include "order/weak.h"
#include "wire/channel.h"

enum { ROUNDS = 3000, LONGEST = 120 };

static struct trace *trace;
static uint64_t random_state;

static unsigned draw(unsigned limit)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(random_state >> 33) % limit;
}

/* --- traces that no program need ever have --- */

static const enum event_kind memory_kinds[] = {EV_READ,	       EV_WRITE,      EV_ATOMIC_LOAD, EV_ATOMIC_STORE,
					       EV_ATOMIC_RMW,  EV_ATOMIC_CAS, EV_FREE,	      EV_FUTEX_WAIT,
					       EV_ATOMIC_LOAD, EV_READ,	      EV_WRITE};
static const enum event_kind object_kinds[] = {
	EV_MUTEX_INIT,	    EV_MUTEX_LOCK,	 EV_MUTEX_LOCK,	   EV_MUTEX_TRYLOCK,  EV_MUTEX_TRYLOCK_FAIL,
	EV_MUTEX_UNLOCK,    EV_MUTEX_UNLOCK,	 EV_MUTEX_DESTROY, EV_COND_SIGNAL,    EV_COND_BROADCAST,
	EV_COND_WAIT,	    EV_COND_WAKE,	 EV_RWLOCK_RDLOCK, EV_RWLOCK_WRLOCK,  EV_RWLOCK_RDUNLOCK,
	EV_RWLOCK_WRUNLOCK, EV_RWLOCK_TRYRDLOCK, EV_SEM_WAIT,	   EV_SEM_POST,	      EV_SEM_TRYWAIT_FAIL,
	EV_BARRIER_ARRIVE,  EV_BARRIER_LAST,	 EV_RWLOCK_INIT,   EV_RWLOCK_DESTROY, EV_FUTEX_WAKE_ALL};
static const enum event_kind thread_kinds[] = {EV_CREATE,  EV_EXIT,    EV_JOIN,		EV_DETACH,	 EV_FENCE,
					       EV_TIMEOUT, EV_TRYJOIN, EV_ATOMIC_BEGIN, EV_BARRIER_LEAVE};

#define ONE_OF(list) (list)[draw(sizeof(list) / sizeof *(list))]

static uint64_t draw_object(void)
{
	return (draw(2) ? HEAP_ADDRESS : 0) + 0x2000 + 64 * draw(2);
}

static struct op draw_op(unsigned nthreads)
{
	unsigned what = draw(10);
	struct op op = {.order = (uint8_t)draw(6), .site = 1 + draw(5)};

	if (what < 5) {
		op.kind = ONE_OF(memory_kinds);
		op.object = 0x1000 + (draw(4) ? draw(24) : 64 * draw(40));
		op.size = 1u << draw(5);
		if (op.kind == EV_FREE)
			op.object = draw(2) ? draw_object() - 8 * draw(30) : 0x1000 - 8 * draw(4);
		if (op.kind == EV_FREE)
			op.size = draw(2) ? 24 : 100 + draw(1000);
	} else if (what < 9) {
		op.kind = ONE_OF(object_kinds);
		op.object = draw_object();
		if (event_table[op.kind].effect == EFFECT_WAIT)
			op.object2 = draw_object();
		if (!draw(8))
			op.size = CANCELLABLE(draw(nthreads));
	} else {
		op.kind = ONE_OF(thread_kinds);
		op.target = draw(nthreads);
		op.object = event_table[op.kind].object_class == OBJECT_THREAD ? op.target : 0;
	}
	return op;
}

/* The thread whose atomic block is open before the event, or -1. */
static int open_block(uint32_t event)
{
	while (event--) {
		if (trace->events[event].op.kind == EV_ATOMIC_BEGIN)
			return trace->events[event].thread;
		if (!trace->events[event].forced || trace->events[event].op.kind == EV_ATOMIC_END)
			return -1;
	}
	return -1;
}

static void draw_event(uint32_t i, unsigned nthreads)
{
	int owner = open_block(i);
	struct event *event = &trace->events[i];

	*event = (struct event){.thread = (uint8_t)draw(nthreads),
				.value = draw(1 << nthreads),
				.op = draw_op(nthreads)};
	if (owner >= 0) {
		event->thread = (uint8_t)owner;
		event->forced = true;
		if (!draw(3))
			event->op = (struct op){.kind = EV_ATOMIC_END};
	} else {
		event->forced = i && event_is(event->op.kind, EV_LOCAL);
		if (event->forced)
			event->thread = trace->events[i - 1].thread;
	}
	if (event->op.kind == EV_TIMEOUT)
		event->instead = draw(2) ? EV_MUTEX_LOCK : EV_RWLOCK_RDLOCK;
	if (i + 1 == trace->nevents && draw(2))
		event->op = (struct op){.kind = EV_PROCESS_EXIT};
}

/* Another trace, with the same first `from` events. */
static void draw_trace(uint32_t from)
{
	unsigned nthreads = 2 + draw(4) + (draw(50) ? 0 : 4);

	trace->nevents = from + 1 + draw(LONGEST - from);
	for (uint32_t i = from; i < trace->nevents; i++)
		draw_event(i, nthreads);
	trace->ending = draw(8) ? ENDING_EXIT : ENDING_STOPPED;
	trace->npending = draw(3);
	trace->nthreads = nthreads;
	for (uint32_t i = 0; i < trace->nevents; i++)
		if (trace->events[i].thread >= trace->nthreads)
			trace->nthreads = trace->events[i].thread + 1u;
	for (uint32_t i = 0; i < trace->npending; i++)
		trace->pending[i] = (struct pending){.thread = (uint8_t)i,
						     .enabled = draw(2),
						     .waiting = !draw(4),
						     .op = draw_op(nthreads)};
}

/* --- happens-before and races --- */

static bool same_clock(const struct order *a, const struct order *b, uint32_t row_a, uint32_t row_b)
{
	return !memcmp(order_clock(a, row_a), order_clock(b, row_b), trace->nthreads * sizeof(uint32_t));
}

static bool same_race(const struct order *a, const struct order *b, uint32_t i)
{
	const struct race *x = &a->races[i], *y = &b->races[i];

	return x->first == y->first && x->node == y->node && x->second == y->second && x->thread == y->thread &&
	       same_clock(a, b, x->clock, y->clock);
}

static bool same_order(const struct order *a, const struct order *b)
{
	if (a->nevents != b->nevents || a->nraces != b->nraces)
		return false;
	for (uint32_t i = 0; i < a->nevents; i++)
		if (a->local[i] != b->local[i] || a->cause[i] != b->cause[i] || !same_clock(a, b, i, i))
			return false;
	for (uint32_t i = 0; i < a->nraces; i++)
		if (!same_race(a, b, i))
			return false;
	for (uint32_t i = 0; i < trace->npending && trace->ending != ENDING_STOPPED; i++)
		if (a->pending_cause[trace->pending[i].thread] != b->pending_cause[trace->pending[i].thread])
			return false;
	return true;
}

/* What goes from trace to trace. */
static struct order order;
static struct weak *weak;
static struct history history;

static void begin(uint64_t seed)
{
	random_state = seed;
	trace->nevents = 0;
	order_init(&order);
	weak = weak_new();
	history_init(&history);
}

static void end(void)
{
	order_release(&order);
	weak_free(weak);
	history_release(&history);
}

/* Returns from where on it is new, or to be looked at. */
static uint32_t next_trace(void)
{
	uint32_t from = draw(trace->nevents + 1u);

	if (from == trace->nevents || !draw(40)) {
		order_forget(&order);
		weak_forget(weak);
		history_back(&history, 0);
		draw_trace(0);
		return draw(trace->nevents);
	}
	draw_trace(from);
	return from;
}

/* As while an execution goes on: its events are taken in as they come, the last one not before there is another. */
static void follow_for_a_while(uint32_t from)
{
	if (draw(2))
		return;
	order_begin(&order, trace, from);
	for (uint32_t n = from; n + 1 < trace->nevents; n += 1 + draw(4))
		order_follow(&order, n);
}

/* Where the events of threads are, also after some were taken back. */
static void check_next(void)
{
	uint32_t event = draw(trace->nevents), next = event + 1;
	uint64_t threads = draw(1 << trace->nthreads);
	bool block = false;

	while (next < trace->nevents && !(threads >> trace->events[next].thread & 1))
		next++;
	CHECK(order_next_of_any(&order, threads, event) == next);
	for (uint32_t i = event + 1; i < trace->nevents; i++)
		block |= order.briefs[i].block && !order.briefs[i].local;
	CHECK(order_has_block_after(&order, event) == block);
	uint32_t chosen = event;
	while (chosen && trace->events[chosen].forced)
		chosen--;
	CHECK(order.chosen[event] == chosen);
}

static void orders_are_the_same(void)
{
	unsigned wrong = 0, races = 0;

	begin(1);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t from = next_trace();
		struct order alone;
		order_init(&alone);
		follow_for_a_while(from);
		order_compute(&order, trace, from);
		order_compute(&alone, trace, from);
		wrong += !same_order(&order, &alone);
		races += order.nraces;
		order_release(&alone);
		check_next();
	}
	end();
	CHECK(wrong == 0);
	CHECK(races > ROUNDS);
}

/* --- weak atomics --- */

static bool same_weak_races(const struct race *a, const struct race *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].first != b[i].first || a[i].second != b[i].second || a[i].thread != b[i].thread)
			return false;
	return true;
}

/* In every second round few atomics are weak, so that there are traces without any. */
static void strengthen(uint32_t from)
{
	for (uint32_t i = from; i < trace->nevents; i++)
		if (draw(50))
			trace->events[i].op.order = ORDER_SEQ_CST;
}

static void weak_races_are_the_same(void)
{
	unsigned wrong = 0, races = 0, strong = 0;

	begin(2);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t from = next_trace(), n, n_alone;
		if (round % 2)
			strengthen(from);
		struct weak *alone = weak_new();
		const struct race *list = weak_races(weak, trace, from, &n);
		const struct race *list_alone = weak_races(alone, trace, from, &n_alone);
		wrong += n != n_alone || !same_weak_races(list, list_alone, n);
		races += n;
		strong += !list;
		weak_free(alone);
	}
	end();
	CHECK(wrong == 0);
	CHECK(races > ROUNDS);
	CHECK(strong > ROUNDS / 100);
}

/* --- locks --- */

static bool same_locks(const struct held_lock *a, const struct held_lock *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].object != b[i].object || a[i].thread != b[i].thread || a[i].since != b[i].since)
			return false;
	return true;
}

static bool same_made(const struct history *a, const struct history *b)
{
	uint32_t i = a->made[0].next, k = b->made[0].next;

	while (i && k && a->made[i].event == b->made[k].event) {
		i = a->made[i].next;
		k = b->made[k].next;
	}
	return !i && !k;
}

/* Is the initialisation followed by a destruction, and by no other one before?  Read from the trace. */
static bool is_destroyed(uint32_t init)
{
	const struct op *made = &trace->events[init].op;
	uint8_t destroyed = made->kind == EV_MUTEX_INIT ? EV_MUTEX_DESTROY : EV_RWLOCK_DESTROY;

	for (uint32_t i = init + 1; i < trace->nevents; i++) {
		const struct op *op = &trace->events[i].op;
		if (op->object == made->object && (op->kind == destroyed || op->kind == made->kind))
			return op->kind == destroyed;
	}
	return false;
}

static bool right_made(void)
{
	uint32_t k = history.made[0].next;

	for (uint32_t i = 0; i < trace->nevents; i++) {
		const struct op *op = &trace->events[i].op;
		if ((op->kind != EV_MUTEX_INIT && op->kind != EV_RWLOCK_INIT) || is_destroyed(i))
			continue;
		if (!k || history.made[k].event != i)
			return false;
		k = history.made[k].next;
	}
	return !k;
}

static void histories_are_the_same(void)
{
	unsigned wrong = 0, ends = 0, held = 0;

	begin(3);
	for (unsigned round = 0; round < ROUNDS; round++) {
		history_back(&history, next_trace());
		if (!draw(3)) /* as one that falls asleep */
			continue;
		struct history alone;
		history_init(&alone);
		history_follow(&history, trace, trace->nevents);
		history_follow(&alone, trace, trace->nevents);
		wrong += history.nends != alone.nends || history.held.count != alone.held.count ||
			 !same_locks(history.ends, alone.ends, alone.nends) ||
			 !same_locks(history.held.items, alone.held.items, alone.held.count) ||
			 !same_made(&history, &alone) || !right_made();
		ends += alone.nends;
		held += alone.held.count;
		history_release(&alone);
	}
	end();
	CHECK(wrong == 0);
	CHECK(ends > ROUNDS / 10 && held > ROUNDS);
}

int main(void)
{
	trace = calloc(1, sizeof *trace);
	if (!trace)
		return 2;
	TEST(orders_are_the_same);
	TEST(weak_races_are_the_same);
	TEST(histories_are_the_same);
	free(trace);
	return check_result();
}
