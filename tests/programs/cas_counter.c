// N threads count with compare-and-swap.  A round in which somebody else was faster might as well not have happened: one
// execution for each order.
// expect: optimal verified executions=2 fork [args: 2]
// expect: optimal verified executions=120 [args: 5]
// expect: all verified executions=15 [args: 3] [options: --awaits]
// expect: source verified executions=24 [args: 4]
// expect: dpor verified executions=24 blocked=0 [args: 4]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST 16

static atomic_int counter;

static void *count(void *unused)
{
	int old;

	do
		old = atomic_load_explicit(&counter, memory_order_acquire);
	while (!atomic_compare_exchange_weak_explicit(&counter, &old, old + 1, memory_order_release,
						      memory_order_relaxed));
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = argc > 1 ? atoi(argv[1]) : 2;

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	assert(atomic_load(&counter) == n);
	return 0;
}
