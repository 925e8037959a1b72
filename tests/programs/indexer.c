// The indexer of the first paper on dynamic partial order reduction (POPL 2005): threads put messages into a hash
// table with compare-and-swap.  From 12 threads on, each further thread has three messages whose slots collide: a factor of 8.
// expect: optimal verified executions=64 [args: 13] [options: --seed=1]
// expect: optimal verified executions=64 fork [args: 13] [options: --seed=2]
// expect: optimal verified executions=1 [args: 11]
// expect: optimal verified executions=8 fork [args: 12]
// expect: optimal verified executions=4096 [args: 15]
// expect: optimal verified executions=32768 [args: 16]
// expect: source verified executions=1 [args: 11]
// expect: source verified executions=8 fork [args: 12]
// expect: source verified executions=64 [args: 13]
// expect: source verified executions=512 [args: 14]
// expect: source verified executions=4096 [args: 15]
// expect: dpor verified executions=1 [args: 11]
// expect: dpor verified executions=8 blocked=60 [args: 12]
// expect: dpor verified executions=64 blocked=888 [args: 13]
// expect: - verified executions=8 [args: 12]
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define SIZE 128
#define MESSAGES 4

static atomic_int table[SIZE];

static void insert(int message)
{
	int h = message * 7 % SIZE, empty = 0;

	while (!atomic_compare_exchange_strong(&table[h], &empty, message)) {
		h = (h + 1) % SIZE;
		empty = 0;
	}
}

static void *indexer(void *argument)
{
	int tid = (int)(intptr_t)argument;

	for (int m = 1; m <= MESSAGES; m++)
		insert(m * 11 + tid);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 12;
	pthread_t threads[32];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, indexer, (void *)(intptr_t)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
