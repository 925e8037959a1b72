/* The second opinion agrees with what is right, and with nothing else. */
#include "check.h"

#include <stdlib.h>

#include "order/second_opinion.h"

static struct trace *trace;
static struct order order;

static struct event *add(unsigned thread, enum event_kind kind, uint64_t object)
{
	struct event *event = &trace->events[trace->nevents++];

	*event = (struct event){.thread = (uint8_t)thread,
				.enabled = 1ull << thread,
				.op = {.kind = (uint8_t)kind, .object = object}};
	event->forced = event_is(kind, EV_LOCAL);
	if (event_table[kind].object_class == OBJECT_MEMORY)
		event->op.size = 4;
	return event;
}

/* Two threads under main: accesses in and outside of critical sections, and main waits for them. */
static void make_trace(void)
{
	trace->nevents = trace->npending = 0;
	trace->nthreads = 3;
	trace->ending = ENDING_EXIT;
	add(0, EV_CREATE, 0)->op.target = 1;
	add(0, EV_CREATE, 0)->op.target = 2;
	add(1, EV_WRITE, 0x2000)->enabled = 6;
	add(1, EV_MUTEX_LOCK, 0x1000)->enabled = 6;
	add(1, EV_WRITE, 0x3000); /* thread 2 waits for the mutex from its read on, but reads first */
	add(2, EV_READ, 0x2000)->enabled = 6;
	add(1, EV_MUTEX_UNLOCK, 0x1000);
	add(2, EV_MUTEX_LOCK, 0x1000)->enabled = 6;
	add(1, EV_EXIT, 0);
	add(2, EV_WRITE, 0x3000)->enabled = 4;
	add(2, EV_MUTEX_UNLOCK, 0x1000);
	add(2, EV_EXIT, 0);
	add(0, EV_JOIN, 1)->op.target = 1;
	add(0, EV_JOIN, 2)->op.target = 2;
	add(0, EV_PROCESS_EXIT, 0);
	order_forget(&order);
	order_compute(&order, trace, 0);
}

static bool agrees(uint32_t from)
{
	char *wrong = second_opinion(&order, from);
	bool good = !wrong;

	free(wrong);
	return good;
}

static void it_agrees_with_what_is_right(void)
{
	make_trace();
	CHECK(order.nraces == 2);
	CHECK(agrees(0));
	order_compute(&order, trace, 6);
	CHECK(order.nraces == 1);
	CHECK(agrees(6));
	CHECK(!agrees(0));
}

static void it_names_the_event(void)
{
	make_trace();
	trace->events[5].enabled = 2;
	char *wrong = second_opinion(&order, 0);
	CHECK_TEXT(wrong ? wrong : "nothing", "event 5: its thread 2 was not enabled");
	free(wrong);
}

static void clocks_matter(void)
{
	unsigned tried = 0;

	for (uint32_t i = 0; i < 15; i++)
		for (unsigned thread = 0; thread < 3; thread++) {
			make_trace();
			uint32_t *clock = &order.clocks[i * order.width + thread];
			if (!*clock || trace->events[i].thread == thread)
				continue;
			tried++;
			--*clock;
			CHECK(!agrees(0));
			*clock += 1;
			CHECK(agrees(0));
		}
	CHECK(tried > 15);
	make_trace();
	order.clocks[4 * order.width + 2] = 1; /* the first of thread 2 is later */
	order.clocks[6 * order.width + 2] = 1; /* … and before this one */
	CHECK(!agrees(0));
}

static void races_matter(void)
{
	make_trace();
	order.nraces--;
	CHECK(!agrees(0));
	make_trace();
	order.races[1].first++;
	CHECK(!agrees(0));
	make_trace();
	order.races[1].clock--;
	CHECK(!agrees(0));
	make_trace();
	order.races[0].thread = 0;
	CHECK(!agrees(0));
}

static void enabled_sets_matter(void)
{
	make_trace();
	trace->events[4].enabled = 2 | 1; /* main waits for a thread that has not ended */
	CHECK(!agrees(0));
	make_trace();
	trace->events[6].enabled = 2 | 4; /* the mutex is taken */
	CHECK(!agrees(0));
	make_trace();
	trace->events[1].enabled = 1 | 4; /* not created yet */
	CHECK(!agrees(0));
	make_trace();
	trace->events[12].enabled = 1 | 2; /* ended */
	CHECK(!agrees(0));
	make_trace();
	trace->events[5].enabled = 4; /* it only wants to unlock */
	CHECK(!agrees(0));
}

int main(void)
{
	trace = calloc(1, sizeof *trace);
	if (!trace)
		return 2;
	order_init(&order);
	TEST(it_agrees_with_what_is_right);
	TEST(it_names_the_event);
	TEST(clocks_matter);
	TEST(races_matter);
	TEST(enabled_sets_matter);
	order_release(&order);
	free(trace);
	return check_result();
}
