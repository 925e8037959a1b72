/*
 * Treiber's lock-free stack (1986) and the ABA problem, with nodes that are used again.
 *
 * A little stack machine: one thread pops a number; the other adds, that is, pops two numbers and
 * pushes their sum in a node from its list of free ones, which is the node it popped first.
 * Whatever the order, the numbers popped and left add up to the same total.
 *
 * Correct: beside the top there is a tag that every change counts up; both are compared and
 *          swapped as one word.
 * Fault:   no tag.  The popping thread reads the top A and its successor B, then the adding
 *          thread takes A and B away and brings A back.  The top is A again, the swap succeeds,
 *          and B, which is not in the stack any more, becomes the top: the rest is lost.
 *          Look for the compare-exchange that should have failed.
 *
 *     inspect check examples/classic/treiber_stack.c
 *     inspect check -DFAULTY examples/classic/treiber_stack.c
 */
// expect: source verified executions=37 fork
// expect: source verified executions=2452 blocked=28 [cc: -DPOPPERS=2]
// expect: dpor verified executions=37
// expect: dpor verified executions=2452 blocked=118 [cc: -DPOPPERS=2]
// expect: source bug=assertion executions=2 line=@sum replay [cc: -DFAULTY]
// expect: source bug=assertion executions=37 line=@sum [cc: -DFAULTY] [options: --keep-going]
// expect: source bug=assertion executions=2356 blocked=28 line=@sum [cc: -DFAULTY -DPOPPERS=2] [options: --keep-going]
// expect: dpor bug=assertion executions=37 line=@sum [cc: -DFAULTY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef POPPERS
#define POPPERS 1
#endif
#define NUMBERS 3 /* 1, 2 and 4 */
#define TOTAL 7

/* Nodes are known by their number; 0 is none. */
static struct node {
	_Atomic uint32_t next; /* read by threads that do not own the node */
	int value;
} nodes[NUMBERS + 1];

static _Atomic uint64_t top; /* the tag above, the node below */
static _Thread_local uint32_t free_nodes;

static uint64_t pack(uint64_t before, uint32_t node)
{
#ifdef FAULTY
	uint64_t tag = before >> 32;
#else
	uint64_t tag = (before >> 32) + 1;
#endif

	return tag << 32 | node;
}

static void push(uint32_t node, int value)
{
	uint64_t old = atomic_load(&top);

	nodes[node].value = value;
	do
		atomic_store(&nodes[node].next, (uint32_t)old);
	while (!atomic_compare_exchange_strong(&top, &old, pack(old, node)));
}

/* 0 when the stack is empty. */
static uint32_t pop(void)
{
	uint64_t old = atomic_load(&top);

	while ((uint32_t)old) {
		uint32_t next = atomic_load(&nodes[(uint32_t)old].next);

		if (atomic_compare_exchange_strong(&top, &old, pack(old, next)))
			break;
	}
	return (uint32_t)old;
}

static void recycle(uint32_t node)
{
	atomic_store(&nodes[node].next, free_nodes);
	free_nodes = node;
}

static uint32_t unused_node(void)
{
	uint32_t node = free_nodes;

	free_nodes = atomic_load(&nodes[node].next);
	return node;
}

static void *popper(void *unused)
{
	uint32_t node = pop();

	(void)unused;
	return (void *)(intptr_t)(node ? nodes[node].value : 0);
}

static void *adder(void *unused)
{
	uint32_t a = pop(), b = pop();
	int sum = (a ? nodes[a].value : 0) + (b ? nodes[b].value : 0);

	if (b)
		recycle(b);
	if (a) {
		recycle(a);
		push(unused_node(), sum);
	}
	return unused;
}

int main(void)
{
	pthread_t poppers[POPPERS], adding;
	intptr_t total = 0;

	for (uint32_t i = 1; i <= NUMBERS; i++)
		push(i, 1 << (i - 1));
	for (int i = 0; i < POPPERS; i++)
		pthread_create(&poppers[i], NULL, popper, NULL);
	pthread_create(&adding, NULL, adder, NULL);
	for (int i = 0; i < POPPERS; i++) {
		void *value;

		pthread_join(poppers[i], &value);
		total += (intptr_t)value;
	}
	pthread_join(adding, NULL);
	for (uint32_t node = pop(); node; node = pop())
		total += nodes[node].value;
	assert(total == TOTAL); // @sum
	return 0;
}
