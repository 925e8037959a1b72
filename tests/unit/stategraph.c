/* Which vertices of the graph of states are open, what the executor is told about them, and what is forgotten. */
#include "check.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "search/stateful/graph.h"

static struct channel *channel;

static void begin(struct state_graph *graph, uint64_t bytes)
{
	channel =
		mmap(NULL, sizeof *channel, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(channel != MAP_FAILED);
	graph_init(graph, channel, bytes);
}

static void end(struct state_graph *graph)
{
	graph_release(graph);
	munmap(channel, sizeof *channel);
}

static struct state state(uint64_t number)
{
	return (struct state){number + 1, 1};
}

/* The vertex with this number, at this depth, in which threads 0 and 1 can move and thread 0 must. */
static uint32_t vertex(struct state_graph *graph, uint64_t number, uint32_t depth)
{
	uint32_t vertex = graph_add(graph, state(number), 3);

	graph->vertices[vertex].wanted |= 1;
	graph->vertices[vertex].depth = depth;
	return vertex;
}

static uint32_t step(struct state_graph *graph, uint32_t from, unsigned thread, uint32_t to)
{
	uint32_t edge = graph_add_edge(graph, (struct edge){.from = from, .to = to, .thread = (uint8_t)thread});

	graph->vertices[from].wanted |= 1ull << thread;
	if (to != NO_VERTEX && !graph->vertices[to].parent)
		graph->vertices[to].parent = edge;
	return edge;
}

static const struct state_slot *slot(const struct state_graph *graph, uint32_t vertex)
{
	return &channel->states[graph->vertices[vertex].slot];
}

/* What is open leads to something that is left to do; a way round is always open. */
static void test_open(void)
{
	struct state_graph graph;

	begin(&graph, 1 << 20);
	uint32_t a = vertex(&graph, 0, 0), b = vertex(&graph, 1, 1), c = vertex(&graph, 2, 2);
	step(&graph, a, 0, b);
	step(&graph, b, 0, c);
	step(&graph, c, 0, NO_VERTEX);
	CHECK(graph.vertices[a].open && graph.vertices[b].open && graph.vertices[c].open);
	graph_settle(&graph, b);
	CHECK(graph.vertices[a].open && graph.vertices[b].open); /* what it leads to was not looked at */
	graph_settle(&graph, c);
	CHECK(!graph.vertices[a].open && !graph.vertices[b].open && !graph.vertices[c].open);
	CHECK(slot(&graph, a)->finished && !slot(&graph, a)->todo);
	graph.vertices[c].final = true;
	graph.vertices[c].wanted |= 2;
	graph_settle(&graph, c);
	CHECK(graph.vertices[a].open && graph.vertices[b].open && graph.vertices[c].open && !graph.vertices[c].final);
	CHECK(slot(&graph, c)->todo == 2 && slot(&graph, a)->todo == 1 && !slot(&graph, a)->finished);
	step(&graph, c, 1, a);
	graph_settle(&graph, c);
	CHECK(graph.vertices[a].open && graph.vertices[b].open && graph.vertices[c].open);
	CHECK(slot(&graph, c)->todo == 2);
	end(&graph);
}

/* A chain of vertices of which the last are final: these are forgotten, and can come again. */
static void test_forget(void)
{
	enum { N = 40 };
	struct state_graph graph;
	uint32_t vertices[N];
	uint16_t label;

	begin(&graph, 0); /* for 16 vertices */
	graph.limit = N;
	for (uint32_t i = 0; i < N; i++)
		vertices[i] = vertex(&graph, i, i);
	for (uint32_t i = N; i-- > 0;) {
		step(&graph, vertices[i], 0, i + 1 < N ? vertices[i + 1] : NO_VERTEX);
		label = (uint16_t)i;
		graph_set_moves(&graph, vertices[i], &label, 1);
	}
	graph.vertices[vertices[5]].wanted |= 2;
	for (uint32_t i = N; i-- > 0;)
		graph_settle(&graph, vertices[i]);
	CHECK(graph.vertices[vertices[5]].open && !graph.vertices[vertices[6]].open);
	for (uint32_t i = 0; i < N; i++)
		graph.vertices[vertices[i]].final = !graph.vertices[vertices[i]].open;
	uint32_t *numbers = graph_forget(&graph);
	CHECK(graph.nvertices == N / 2 && graph.forgotten == N / 2);
	for (uint32_t i = 0; i < N; i++)
		CHECK((numbers[vertices[i]] == NO_VERTEX) == (i >= N / 2));
	for (uint32_t i = 0; i < N / 2; i++) {
		uint32_t at = numbers[vertices[i]], edge = graph_find_edge(&graph, at, 0, 0);
		CHECK(graph_add(&graph, state(i), 3) == at && graph.vertices[at].depth == i);
		CHECK(graph.moves[graph.vertices[at].moves] == i && graph.vertices[at].nmoves == 1);
		CHECK(graph.edges[edge].forgotten == (i + 1 == N / 2));
		CHECK(i + 1 == N / 2 || graph.edges[edge].to == numbers[vertices[i + 1]]);
		CHECK(!i || graph.edges[graph.vertices[at].parent].from == numbers[vertices[i - 1]]);
	}
	CHECK(slot(&graph, numbers[vertices[5]])->todo == 2 && slot(&graph, numbers[vertices[6]])->finished);
	uint32_t last = numbers[vertices[N / 2 - 1]], again = vertex(&graph, N / 2, N / 2);
	CHECK(again == N / 2);
	graph_lead(&graph, graph_find_edge(&graph, last, 0, 0), again);
	graph_settle(&graph, last);
	CHECK(graph.vertices[last].open && graph.vertices[numbers[vertices[0]]].open);
	free(numbers);
	end(&graph);
}

int main(void)
{
	TEST(test_open);
	TEST(test_forget);
	return check_result();
}
