/* What the stateful search concludes from cycles in its graph. */
#include "check.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "search/stateful/cycles.h"

static struct channel *channel;

static void begin(struct state_graph *graph)
{
	channel =
		mmap(NULL, sizeof *channel, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(channel != MAP_FAILED);
	graph_init(graph, channel, 1 << 20);
}

static void end(struct state_graph *graph)
{
	graph_release(graph);
	munmap(channel, sizeof *channel);
}

/* The vertex with this number, in which these threads can move. */
static uint32_t vertex(struct state_graph *graph, uint64_t number, uint64_t enabled)
{
	return graph_add(graph, (struct state){number + 1, 1}, enabled);
}

enum { QUIET, TRIES, GETS_ON };

static void step(struct state_graph *graph, uint32_t from, unsigned thread, uint32_t to, int what)
{
	graph_add_edge(graph, (struct edge){.from = from,
					    .to = to,
					    .thread = (uint8_t)thread,
					    .progress = what == GETS_ON,
					    .attempt = what == TRIES});
	graph->vertices[from].wanted |= 1ull << thread;
}

/* Thread 0 goes round for ever; thread 1 could move in one of the states and never has. */
static void test_nobody_is_put_off(void)
{
	struct state_graph graph;

	begin(&graph);
	uint32_t a = vertex(&graph, 0, 1), b = vertex(&graph, 1, 3);
	step(&graph, a, 0, b, GETS_ON);
	step(&graph, b, 0, a, GETS_ON);
	CHECK(cycles_complete(&graph));
	CHECK(vertex_todo(&graph.vertices[b]) == 2 && !vertex_todo(&graph.vertices[a]));
	CHECK(!cycles_complete(&graph)); /* it is wanted now */
	end(&graph);
}

/* The same, but there is a way out, and the thread can move there. */
static void test_a_way_out(void)
{
	struct state_graph graph;

	begin(&graph);
	uint32_t a = vertex(&graph, 0, 3), b = vertex(&graph, 1, 3), c = vertex(&graph, 2, 2);
	step(&graph, a, 0, b, GETS_ON);
	step(&graph, b, 0, a, GETS_ON);
	step(&graph, b, 2, c, GETS_ON);
	step(&graph, c, 1, NO_VERTEX, GETS_ON);
	CHECK(!cycles_complete(&graph));
	end(&graph);
}

/* Two threads try in turn; the way round has both, and begins where it is nearest to the start. */
static void test_livelock(void)
{
	struct state_graph graph;
	uint32_t count, *edges;

	begin(&graph);
	uint32_t a = vertex(&graph, 0, 3), b = vertex(&graph, 1, 3), c = vertex(&graph, 2, 3);
	step(&graph, a, 0, b, TRIES);
	step(&graph, b, 1, c, TRIES);
	step(&graph, c, 0, a, QUIET);
	step(&graph, c, 1, NO_VERTEX, GETS_ON);
	edges = cycles_find_livelock(&graph, &count);
	CHECK(edges && count == 3);
	CHECK(edges && graph.edges[edges[0]].from == a && graph.edges[edges[2]].to == a);
	free(edges);
	end(&graph);
}

/*
 * One of the steps gets on, or a thread that could move is not part of it, or one that does never tries although there is a way
 * out, or somebody who was left behind could go on.
 */
static void test_no_livelock(void)
{
	for (int i = 0; i < 4; i++) {
		struct state_graph graph;
		uint32_t count, *edges;

		begin(&graph);
		uint32_t a = vertex(&graph, 0, i == 1 ? 7 : 3), b = vertex(&graph, 1, 3);
		step(&graph, a, 0, b, i == 0 ? GETS_ON : TRIES);
		step(&graph, b, 1, a, i == 2 ? QUIET : TRIES);
		if (i == 2)
			step(&graph, b, 0, vertex(&graph, 2, 3), GETS_ON);
		graph.vertices[b].late = i == 3;
		edges = cycles_find_livelock(&graph, &count);
		CHECK(!edges && !count);
		free(edges);
		end(&graph);
	}
}

/* Nobody tries anything, but no step leads out of there, and none gets on. */
static void test_closed(void)
{
	struct state_graph graph;
	uint32_t count;

	begin(&graph);
	uint32_t a = vertex(&graph, 0, 3), b = vertex(&graph, 1, 3);
	step(&graph, a, 0, b, QUIET);
	step(&graph, b, 1, a, TRIES);
	uint32_t *edges = cycles_find_livelock(&graph, &count);
	CHECK(edges && count == 2);
	free(edges);
	end(&graph);
}

int main(void)
{
	TEST(test_nobody_is_put_off);
	TEST(test_a_way_out);
	TEST(test_livelock);
	TEST(test_no_livelock);
	TEST(test_closed);
	return check_result();
}
