/* Which nodes of the graph of states are open, what the executor is told about them, and what is forgotten. */
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

/* The node with this number, at this depth, in which threads 0 and 1 can move and thread 0 must. */
static uint32_t node(struct state_graph *graph, uint64_t number, uint32_t depth)
{
	uint32_t node = graph_node(graph, state(number), 3);

	graph->nodes[node].wanted |= 1;
	graph->nodes[node].depth = depth;
	return node;
}

static uint32_t step(struct state_graph *graph, uint32_t from, unsigned thread, uint32_t to)
{
	uint32_t edge = graph_add_edge(graph, (struct state_edge){.from = from, .to = to, .thread = (uint8_t)thread});

	graph->nodes[from].wanted |= 1ull << thread;
	if (to != NO_NODE && !graph->nodes[to].parent)
		graph->nodes[to].parent = edge;
	return edge;
}

static const struct state_slot *slot(const struct state_graph *graph, uint32_t node)
{
	return &channel->states[graph->nodes[node].slot];
}

/* What is open leads to something that is left to do; a way round is always open. */
static void test_open(void)
{
	struct state_graph graph;

	begin(&graph, 1 << 20);
	uint32_t a = node(&graph, 0, 0), b = node(&graph, 1, 1), c = node(&graph, 2, 2);
	step(&graph, a, 0, b);
	step(&graph, b, 0, c);
	step(&graph, c, 0, NO_NODE);
	CHECK(graph.nodes[a].open && graph.nodes[b].open && graph.nodes[c].open);
	graph_settle(&graph, b);
	CHECK(graph.nodes[a].open && graph.nodes[b].open); /* what it leads to was not looked at */
	graph_settle(&graph, c);
	CHECK(!graph.nodes[a].open && !graph.nodes[b].open && !graph.nodes[c].open);
	CHECK(slot(&graph, a)->finished && !slot(&graph, a)->todo);
	graph.nodes[c].final = true;
	graph.nodes[c].wanted |= 2;
	graph_settle(&graph, c);
	CHECK(graph.nodes[a].open && graph.nodes[b].open && graph.nodes[c].open && !graph.nodes[c].final);
	CHECK(slot(&graph, c)->todo == 2 && slot(&graph, a)->todo == 1 && !slot(&graph, a)->finished);
	step(&graph, c, 1, a);
	graph_settle(&graph, c);
	CHECK(graph.nodes[a].open && graph.nodes[b].open && graph.nodes[c].open);
	CHECK(slot(&graph, c)->todo == 2);
	end(&graph);
}

/* A chain of nodes of which the last are final: these are forgotten, and can come again. */
static void test_forget(void)
{
	enum { N = 40 };
	struct state_graph graph;
	uint32_t nodes[N];
	uint16_t label;

	begin(&graph, 0); /* for 16 nodes */
	graph.limit = N;
	for (uint32_t i = 0; i < N; i++)
		nodes[i] = node(&graph, i, i);
	for (uint32_t i = N; i-- > 0;) {
		step(&graph, nodes[i], 0, i + 1 < N ? nodes[i + 1] : NO_NODE);
		label = (uint16_t)i;
		graph_set_steps(&graph, nodes[i], &label, 1);
	}
	graph.nodes[nodes[5]].wanted |= 2;
	for (uint32_t i = N; i-- > 0;)
		graph_settle(&graph, nodes[i]);
	CHECK(graph.nodes[nodes[5]].open && !graph.nodes[nodes[6]].open);
	for (uint32_t i = 0; i < N; i++)
		graph.nodes[nodes[i]].final = !graph.nodes[nodes[i]].open;
	uint32_t *numbers = graph_forget(&graph);
	CHECK(graph.nnodes == N / 2 && graph.forgotten == N / 2);
	for (uint32_t i = 0; i < N; i++)
		CHECK((numbers[nodes[i]] == NO_NODE) == (i >= N / 2));
	for (uint32_t i = 0; i < N / 2; i++) {
		uint32_t at = numbers[nodes[i]], edge = graph_find_edge(&graph, at, 0, 0);
		CHECK(graph_node(&graph, state(i), 3) == at && graph.nodes[at].depth == i);
		CHECK(graph.steps[graph.nodes[at].steps] == i && graph.nodes[at].nsteps == 1);
		CHECK(graph.edges[edge].forgotten == (i + 1 == N / 2));
		CHECK(i + 1 == N / 2 || graph.edges[edge].to == numbers[nodes[i + 1]]);
		CHECK(!i || graph.edges[graph.nodes[at].parent].from == numbers[nodes[i - 1]]);
	}
	CHECK(slot(&graph, numbers[nodes[5]])->todo == 2 && slot(&graph, numbers[nodes[6]])->finished);
	uint32_t last = numbers[nodes[N / 2 - 1]], again = node(&graph, N / 2, N / 2);
	CHECK(again == N / 2);
	graph_lead(&graph, graph_find_edge(&graph, last, 0, 0), again);
	graph_settle(&graph, last);
	CHECK(graph.nodes[last].open && graph.nodes[numbers[nodes[0]]].open);
	free(numbers);
	end(&graph);
}

int main(void)
{
	TEST(test_open);
	TEST(test_forget);
	return check_result();
}
