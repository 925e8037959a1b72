/*
 * Happens-before and races: small traces by hand, and random ones against a slow
 * second opinion that closes the direct edges transitively.
 */
#include "check.h"

#include <stdlib.h>

#include "order/order.h"
#include "order/weak.h"
#include "wire/channel.h"

static struct trace *trace;
static struct order order;

static void begin(unsigned nthreads)
{
	trace->nevents = trace->npending = 0;
	trace->nthreads = nthreads;
	trace->ending = ENDING_EXIT;
}

static struct event *add(unsigned thread, enum event_kind kind, uint64_t object)
{
	struct event *event = &trace->events[trace->nevents++];

	*event = (struct event){.thread = (uint8_t)thread, .op = {.kind = (uint8_t)kind, .object = object}};
	event->forced = event_is(kind, EV_LOCAL);
	if (event_table[kind].object_class == OBJECT_MEMORY)
		event->op.size = 4;
	return event;
}

static void add_pending(unsigned thread, enum event_kind kind, uint64_t object, bool enabled)
{
	trace->pending[trace->npending++] = (struct pending){.thread = (uint8_t)thread,
							     .enabled = enabled,
							     .op = {.kind = (uint8_t)kind, .object = object}};
}

static void compute(void)
{
	order_compute(&order, trace, 0);
}

static bool has_race(uint32_t first, uint32_t second)
{
	for (uint32_t i = 0; i < order.nraces; i++)
		if (order.races[i].first == first && order.races[i].second == second)
			return true;
	return false;
}

static void writes_race(void)
{
	begin(2);
	add(0, EV_WRITE, 0x1000);
	add(1, EV_WRITE, 0x1000);
	compute();
	CHECK(order.nraces == 1 && has_race(0, 1));
	CHECK(order_before(&order, 0, 1));
}

static void reads_do_not(void)
{
	begin(3);
	add(0, EV_READ, 0x1000);
	add(1, EV_READ, 0x1000);
	add(2, EV_WRITE, 0x1000);
	compute();
	CHECK(order.nraces == 2 && has_race(0, 2) && has_race(1, 2));
	CHECK(!order_before(&order, 0, 1));
}

static void only_immediate_races_count(void)
{
	begin(3);
	add(0, EV_WRITE, 0x1000);
	add(1, EV_WRITE, 0x1000);
	add(2, EV_WRITE, 0x1000);
	compute();
	CHECK(order.nraces == 2 && has_race(0, 1) && has_race(1, 2));
}

static void locks_race_lock_with_lock(void)
{
	begin(2);
	add(0, EV_MUTEX_LOCK, 0x1000);
	add(0, EV_WRITE, 0x2000);
	add(0, EV_MUTEX_UNLOCK, 0x1000);
	add(1, EV_MUTEX_LOCK, 0x1000);
	add(1, EV_WRITE, 0x2000);
	add(1, EV_MUTEX_UNLOCK, 0x1000);
	compute();
	CHECK(order.nraces == 1 && has_race(0, 3));
	CHECK(order_before(&order, 1, 4));
}

static void trylock_races_with_unlock(void)
{
	begin(2);
	add(0, EV_MUTEX_LOCK, 0x1000);
	add(0, EV_MUTEX_UNLOCK, 0x1000);
	add(1, EV_MUTEX_TRYLOCK, 0x1000);
	compute();
	CHECK(order.nraces == 1 && has_race(1, 2));
	begin(2);
	add(0, EV_MUTEX_LOCK, 0x1000);
	add(1, EV_MUTEX_TRYLOCK_FAIL, 0x1000);
	add(0, EV_MUTEX_UNLOCK, 0x1000);
	compute();
	CHECK(order.nraces == 2 && has_race(0, 1) && has_race(1, 2));
}

static void create_and_join_order(void)
{
	begin(2);
	add(0, EV_WRITE, 0x1000);
	add(0, EV_CREATE, 0)->op.target = 1;
	add(1, EV_WRITE, 0x1000);
	add(1, EV_EXIT, 0);
	add(0, EV_JOIN, 1)->op.target = 1;
	add(0, EV_WRITE, 0x1000);
	compute();
	CHECK(order.nraces == 0);
	CHECK(order_before(&order, 0, 2) && order_before(&order, 2, 5));
}

static void signal_before_wake(void)
{
	begin(2);
	add(0, EV_MUTEX_LOCK, 0x1000);
	add(0, EV_COND_WAIT, 0x2000)->op.object2 = 0x1000;
	add(1, EV_WRITE, 0x3000);
	add(1, EV_COND_SIGNAL, 0x2000)->value = 1; /* wakes thread 0 */
	add(0, EV_COND_WAKE, 0x1000);
	add(0, EV_WRITE, 0x3000);
	compute();
	CHECK(order_before(&order, 3, 4));
	CHECK(order.nraces == 1 && has_race(1, 3));
}

static void a_blocked_lock_races(void)
{
	begin(2);
	add(0, EV_MUTEX_LOCK, 0x1000);
	add_pending(1, EV_MUTEX_LOCK, 0x1000, false);
	trace->ending = ENDING_DEADLOCK;
	compute();
	CHECK(order.nraces == 1 && has_race(0, 1) && order.races[0].thread == 1);
}

static void the_end_races_with_everything(void)
{
	begin(3);
	add(1, EV_READ, 0x1000);
	add(0, EV_PROCESS_EXIT, 0);
	add_pending(1, EV_READ, 0x2000, true);
	add_pending(2, EV_MUTEX_LOCK, 0x3000, false);
	compute();
	CHECK(order.nraces == 2 && has_race(0, 1) && has_race(1, 2));
}

static void sizes_overlap(void)
{
	begin(2);
	add(0, EV_WRITE, 0x1000)->op.size = 8;
	add(1, EV_READ, 0x1006)->op.size = 4;
	add(0, EV_WRITE, 0x1008)->op.size = 1;
	add(0, EV_WRITE, 0x100a)->op.size = 1;
	compute();
	CHECK(order.nraces == 2 && has_race(0, 1) && has_race(1, 2));
}

static void old_races_are_not_listed(void)
{
	begin(2);
	add(0, EV_WRITE, 0x1000);
	add(1, EV_WRITE, 0x1000);
	add(0, EV_WRITE, 0x1000);
	order_forget(&order);
	order_compute(&order, trace, 2);
	CHECK(order.nraces == 1 && has_race(1, 2));
}

/* --- the second opinion --- */

enum { LENGTH = 40, THREADS = 4 };

static unsigned draw(uint64_t *state, unsigned limit)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(*state >> 33) % limit;
}

static void random_trace(uint64_t seed)
{
	static const enum event_kind kinds[] = {EV_READ, EV_WRITE, EV_ATOMIC_LOAD, EV_ATOMIC_RMW};
	uint64_t state = seed * 977 + 5;
	int owner[2] = {-1, -1};
	uint64_t locks = HEAP_ADDRESS + 0x2000;

	begin(THREADS);
	while (trace->nevents < LENGTH) {
		unsigned thread = draw(&state, THREADS), what = draw(&state, 9), which = draw(&state, 2);
		if (what == 8) { /* of a small or a large block, around what the others touch */
			struct event *event =
				add(thread, EV_FREE, (draw(&state, 2) ? locks - 0x80 : 0xf80) + 8 * draw(&state, 24));
			event->op.size = which ? 24 : 200 + draw(&state, 200);
		} else if (what < 4) {
			struct event *event = add(thread, kinds[what], 0x1000 + draw(&state, 12));
			event->op.size = 1u << draw(&state, 4);
		} else if (owner[which] < 0) {
			add(thread, what % 2 ? EV_MUTEX_LOCK : EV_MUTEX_TRYLOCK, locks + 64 * which);
			owner[which] = (int)thread;
		} else if (owner[which] == (int)thread) {
			add(thread, EV_MUTEX_UNLOCK, locks + 64 * which);
			owner[which] = -1;
		} else {
			add(thread, EV_MUTEX_TRYLOCK_FAIL, locks + 64 * which);
		}
	}
}

static void clocks_agree_with_the_closure(void)
{
	static bool before[LENGTH][LENGTH];
	unsigned wrong = 0;

	for (uint64_t seed = 0; seed < 300; seed++) {
		random_trace(seed);
		compute();
		for (uint32_t j = 0; j < LENGTH; j++) {
			for (uint32_t i = 0; i < j; i++)
				before[i][j] = trace->events[i].thread == trace->events[j].thread ||
					       ops_conflict(&trace->events[i].op, &trace->events[j].op);
			for (uint32_t k = 0; k < j; k++)
				for (uint32_t i = 0; i < k; i++)
					before[i][j] |= before[i][k] && before[k][j];
			for (uint32_t i = 0; i < j; i++)
				wrong += before[i][j] != order_before(&order, i, j);
		}
	}
	CHECK(wrong == 0);
}

static void a_free_races_with_accesses(void)
{
	for (uint32_t size = 8; size <= 1 << 20; size *= 2) {
		begin(3);
		add(0, EV_READ, 0x100000 + size - 4);
		add(0, EV_READ, 0x100000 + size);
		add(1, EV_FREE, 0x100000)->op.size = size;
		add(2, EV_WRITE, 0x100000 + size / 2);
		add(2, EV_WRITE, 0x100000 - 4);
		compute();
		CHECK(order.nraces == 2 && has_race(0, 2) && has_race(2, 3));
	}
}

/* --- weak atomics --- */

static uint32_t count_weak(void)
{
	struct weak *weak = weak_new();
	uint32_t n;

	weak_races(weak, trace, 0, &n);
	weak_free(weak);
	return n;
}

static void message(unsigned store_order, unsigned load_order)
{
	begin(2);
	add(0, EV_WRITE, 0x1000);
	add(0, EV_ATOMIC_STORE, 0x2000)->op.order = (uint8_t)store_order;
	add(1, EV_ATOMIC_LOAD, 0x2000)->op.order = (uint8_t)load_order;
	add(1, EV_READ, 0x1000);
}

static void relaxed_flags_do_not_order(void)
{
	message(ORDER_RELEASE, ORDER_ACQUIRE);
	CHECK(count_weak() == 0);
	message(ORDER_SEQ_CST, ORDER_SEQ_CST);
	CHECK(count_weak() == 0);
	message(ORDER_RELAXED, ORDER_ACQUIRE);
	CHECK(count_weak() == 1);
	message(ORDER_RELEASE, ORDER_RELAXED);
	CHECK(count_weak() == 1);
}

static void fences_order(void)
{
	begin(2);
	add(0, EV_WRITE, 0x1000);
	add(0, EV_FENCE, 0)->op.order = ORDER_RELEASE;
	add(0, EV_ATOMIC_STORE, 0x2000)->op.order = ORDER_RELAXED;
	add(1, EV_ATOMIC_LOAD, 0x2000)->op.order = ORDER_RELAXED;
	add(1, EV_FENCE, 0)->op.order = ORDER_ACQUIRE;
	add(1, EV_READ, 0x1000);
	CHECK(count_weak() == 0);
	trace->events[4].op.order = ORDER_RELEASE;
	CHECK(count_weak() == 1);
}

static void updates_go_on_with_a_release_sequence(void)
{
	begin(3);
	add(0, EV_WRITE, 0x1000);
	add(0, EV_ATOMIC_STORE, 0x2000)->op.order = ORDER_RELEASE;
	add(1, EV_ATOMIC_RMW, 0x2000)->op.order = ORDER_RELAXED;
	add(2, EV_ATOMIC_LOAD, 0x2000)->op.order = ORDER_ACQUIRE;
	add(2, EV_READ, 0x1000);
	CHECK(count_weak() == 0);
	trace->events[2].op.kind = EV_ATOMIC_STORE; /* a relaxed store ends it */
	CHECK(count_weak() == 1);
}

/* Reference counts: the last user frees. */
static void a_free_after_a_relaxed_decrement(void)
{
	for (uint32_t size = 8; size <= 1 << 20; size *= 2) {
		begin(2);
		add(0, EV_READ, 0x100000 + size - 4);
		add(0, EV_ATOMIC_RMW, 0x2000)->op.order = ORDER_ACQ_REL;
		add(1, EV_ATOMIC_RMW, 0x2000)->op.order = ORDER_ACQ_REL;
		add(1, EV_FREE, 0x100000)->op.size = size;
		CHECK(count_weak() == 0);
		trace->events[2].op.order = ORDER_RELEASE;
		CHECK(count_weak() == 1);
	}
}

int main(void)
{
	trace = calloc(1, sizeof *trace);
	if (!trace)
		return 2;
	order_init(&order);
	TEST(writes_race);
	TEST(reads_do_not);
	TEST(only_immediate_races_count);
	TEST(locks_race_lock_with_lock);
	TEST(trylock_races_with_unlock);
	TEST(create_and_join_order);
	TEST(signal_before_wake);
	TEST(a_blocked_lock_races);
	TEST(the_end_races_with_everything);
	TEST(sizes_overlap);
	TEST(old_races_are_not_listed);
	TEST(a_free_races_with_accesses);
	TEST(clocks_agree_with_the_closure);
	TEST(relaxed_flags_do_not_order);
	TEST(fences_order);
	TEST(updates_go_on_with_a_release_sequence);
	TEST(a_free_after_a_relaxed_decrement);
	order_release(&order);
	free(trace);
	return check_result();
}
