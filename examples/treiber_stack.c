/*
 * A lock-free stack and the ABA problem.
 *
 * `pop` reads the top node and its successor, then swings the top with a
 * compare-and-swap.  If meanwhile others pop that node, pop the next one and
 * push the first one back, the top looks unchanged and the swap succeeds, but
 * the successor is no longer in the stack: one node is handed out twice.  A
 * version number beside the top makes the swap fail (-DVERSIONED).
 *
 *     inspect check examples/treiber_stack.c
 *     inspect check -DVERSIONED examples/treiber_stack.c
 */
// expect: source bug=assertion executions=39 line=@twice [options: --keep-going]
// expect: source verified executions=39 [cc: -DVERSIONED]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Nodes are numbers 1 … 2; 0 is the end.  The top is a node and, above it, a version. */
static _Atomic uint32_t top;
static atomic_int next[3];
static atomic_int owned[3];

#ifdef VERSIONED
#define NEW_TOP(old, node) ((((old) >> 16) + 1) << 16 | (uint32_t)(node))
#else
#define NEW_TOP(old, node) ((void)(old), (uint32_t)(node))
#endif
#define NODE(top) ((top) & 0xffff)

static void push(uint32_t node)
{
	uint32_t old = top;

	owned[node] = 0;
	do
		next[node] = (int)NODE(old);
	while (!atomic_compare_exchange_strong(&top, &old, NEW_TOP(old, node)));
}

static uint32_t pop(void)
{
	uint32_t old = top;

	for (;;) {
		uint32_t node = NODE(old);

		if (!node)
			return 0;
		if (atomic_compare_exchange_strong(&top, &old, NEW_TOP(old, next[node]))) {
			int owners = atomic_fetch_add(&owned[node], 1);

			assert(owners == 0); // @twice
			return node;
		}
	}
}

static void *one_pop(void *unused)
{
	pop();
	pop();
	return unused;
}

static void *pop_pop_push(void *unused)
{
	uint32_t first = pop();

	pop();
	if (first)
		push(first);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	push(2);
	push(1);
	pthread_create(&t1, NULL, one_pop, NULL);
	pthread_create(&t2, NULL, pop_pop_push, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
