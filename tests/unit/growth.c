/*
 * How the work of an analysis grows with the length of one execution: what is counted, not the time it takes, for a
 * length and for twice that length.
 */
#include "check.h"

#include "explore/strategies.h"

#include <stdlib.h>

#include "wire/channel.h"

enum { LENGTH = 4000, COUNTER = 0x1000, MUTEX = 0x2000, ARRAY = 0x10000 };

static struct trace *trace;

static struct event *add(unsigned thread, enum event_kind kind, uint64_t object)
{
	struct event *event = &trace->events[trace->nevents++];

	*event = (struct event){.thread = (uint8_t)thread,
				.enabled = 7,
				.op = {.kind = (uint8_t)kind, .object = object, .choices = 1}};
	event->forced = event_is(kind, EV_LOCAL);
	if (event_table[kind].object_class == OBJECT_MEMORY)
		event->op.size = 4;
	return event;
}

static void begin(void)
{
	trace->nevents = trace->npending = 0;
	trace->nthreads = 3;
	trace->ending = ENDING_EXIT;
	add(0, EV_CREATE, 1)->op.target = 1;
	add(0, EV_CREATE, 2)->op.target = 2;
}

/* The main thread comes back when all is over. */
static void end(void)
{
	for (unsigned thread = 1; thread <= 2; thread++) {
		add(thread, EV_EXIT, thread);
		add(0, EV_JOIN, thread)->op.target = thread;
	}
}

/* --- executions --- */

/* Both add to a counter, in turns. */
static void alternate(uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		add(1 + i % 2, EV_READ, COUNTER);
		add(1 + i % 2, EV_WRITE, COUNTER);
	}
}

static void alternate_with_mutex(uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		add(1 + i % 2, EV_MUTEX_LOCK, MUTEX);
		add(1 + i % 2, EV_WRITE, COUNTER);
		add(1 + i % 2, EV_MUTEX_UNLOCK, MUTEX);
	}
}

/* One reads for long what the other writes again and again. */
static void read_in_between(uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		add(i % 100 ? 1 : 2, i % 100 ? EV_ATOMIC_LOAD : EV_ATOMIC_STORE, COUNTER);
}

/* Two write the same locations, one after the other: each race is as long as the rest of the execution. */
static void write_same(uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		add(1, EV_ATOMIC_STORE, ARRAY + 8 * i);
	for (uint32_t i = 0; i < length; i++)
		add(2, EV_ATOMIC_STORE, ARRAY + 8 * i);
}

/* --- work --- */

static uint64_t looks_of(const struct strategy *strategy, void (*fill)(uint32_t), uint32_t length)
{
	struct search search;

	begin();
	fill(length);
	end();
	search_init(&search, strategy, &(struct search_setup){0});
	search_take_in(&search, trace, 0);
	CHECK(search.order.nraces >= length / 100);
	uint64_t looks = order_looks(&search.order);
	search_release(&search);
	return looks;
}

static void check_linear(const struct strategy *strategy, void (*fill)(uint32_t))
{
	uint64_t once = looks_of(strategy, fill, LENGTH), twice = looks_of(strategy, fill, 2 * LENGTH);

	CHECK(twice <= 3 * once);
	if (twice > 3 * once)
		printf("%s: %llu, then %llu\n", strategy->name, (unsigned long long)once, (unsigned long long)twice);
}

static void turns_are_linear(void)
{
	check_linear(strategy_find("optimal"), alternate);
	check_linear(strategy_find("source"), alternate);
}

static void critical_sections_are_linear(void)
{
	check_linear(strategy_find("optimal"), alternate_with_mutex);
	check_linear(strategy_find("source"), alternate_with_mutex);
}

static void many_reads_are_linear(void)
{
	check_linear(strategy_find("optimal"), read_in_between);
	check_linear(strategy_find("source"), read_in_between);
}

/* (Optimal keeps the sequences themselves, each as long as the race.) */
static void distant_races_are_linear(void)
{
	check_linear(strategy_find("source"), write_same);
}

int main(void)
{
	trace = calloc(1, sizeof *trace);
	TEST(turns_are_linear);
	TEST(critical_sections_are_linear);
	TEST(many_reads_are_linear);
	TEST(distant_races_are_linear);
	free(trace);
	return check_result();
}
