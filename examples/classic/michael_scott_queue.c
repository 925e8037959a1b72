/*
 * The lock-free queue of Michael and Scott (1996).
 *
 * Each thread puts one item in and takes one out, so nobody may find the queue empty: at that
 * moment at least as many items have been put in as others have taken.
 *
 * Correct: a new node is linked behind the last one by compare-and-swap first; then the tail is
 *          swung, by whoever notices that it lags behind.
 * Fault:   the tail is swung first and the node linked later.  A thread that stops in between
 *          cuts the list: items behind the gap are in the queue, but not reachable, and another
 *          thread does not even find the item that it has just put in.
 *
 *     inspect check examples/classic/michael_scott_queue.c
 *     inspect check -DFAULTY examples/classic/michael_scott_queue.c
 */
// expect: source verified executions=16 blocked=48 fork
// expect: dpor verified executions=16 blocked=48
// expect: source bug=assertion executions=4 blocked=8 line=@found replay [cc: -DFAULTY]
// expect: source bug=assertion executions=25 blocked=18 line=@found [cc: -DFAULTY] [options: --keep-going]
// expect: dpor bug=assertion executions=25 blocked=18 line=@found [cc: -DFAULTY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define N 2

struct node {
	struct node *_Atomic next;
	int item;
};

/* One node for each item and one in front of the first; nodes are not used again. */
static struct node nodes[N + 1];
static struct node *_Atomic head = nodes, *_Atomic tail = nodes;
static atomic_int taken[N];

#ifdef FAULTY
static void enqueue(struct node *node)
{
	struct node *last = atomic_exchange(&tail, node);

	atomic_store(&last->next, node);
}
#else
static void enqueue(struct node *node)
{
	for (;;) {
		struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);

		if (last != atomic_load(&tail))
			continue;
		if (next) {
			atomic_compare_exchange_strong(&tail, &last, next);
		} else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
			atomic_compare_exchange_strong(&tail, &last, node);
			return;
		}
	}
}
#endif

/* -1 when the queue is empty. */
static int dequeue(void)
{
	for (;;) {
		struct node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);

		if (first != atomic_load(&head))
			continue;
		if (!next)
			return -1;
		if (first == last)
			atomic_compare_exchange_strong(&tail, &last, next);
		else if (atomic_compare_exchange_strong(&head, &first, next))
			return next->item;
	}
}

static void *work(void *argument)
{
	int me = (int)(intptr_t)argument, item;

	nodes[me + 1].item = me;
	enqueue(&nodes[me + 1]);
	item = dequeue();
	assert(item >= 0); // @found
	taken[item]++;
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < N; i++)
		assert(taken[i] == 1);
	return 0;
}
