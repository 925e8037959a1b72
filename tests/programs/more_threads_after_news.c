// expect: - verified executions=72 [args: 7]
// expect: - verified executions=72 [args: 7] [options: --checkpoints=0]
// expect: - verified executions=72 [args: 7] [options: --jobs=2]
// expect: - verified executions=72 [args: 7] [options: --search=source]
// expect: - verified executions=72 [args: 2] fork
/*
 * Deep in the search an execution does what none before it did (tryjoin), so that the search starts again, and then
 * creates more threads than the runtime is prepared for: it is run twice, the second time by another plan than the
 * first.  Nothing of the first attempt may count.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int round, over, lock;
static int sum, nthreads;
static pthread_t writer, reader;

static void *idle(void *unused)
{
	return unused;
}

static void add(int number)
{
	while (atomic_exchange(&lock, 1))
		;
	sum += number;
	atomic_store(&lock, 0);
}

static void *write(void *unused)
{
	for (int i = 0; i < 4; i++)
		atomic_store(&round, i);
	add(1);
	atomic_store(&over, 1);
	return unused;
}

static void *read(void *unused)
{
	int seen = atomic_load(&round);
	int late = atomic_load(&over);

	add(2);
	if (seen == 3 && !late) {
		pthread_t threads[8];
		pthread_tryjoin_np(writer, NULL);
		for (int i = 0; i < nthreads; i++)
			pthread_create(&threads[i], NULL, idle, NULL);
		for (int i = 0; i < nthreads; i++)
			pthread_join(threads[i], NULL);
	}
	return unused;
}

int main(int argc, char **argv)
{
	nthreads = argc > 1 ? atoi(argv[1]) : 0;
	pthread_create(&writer, NULL, write, NULL);
	pthread_create(&reader, NULL, read, NULL);
	pthread_join(reader, NULL);
	return 0;
}
