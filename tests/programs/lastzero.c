// From the paper on optimal dynamic partial order reduction: one thread looks for the last zero of an array, from its
// end; thread j writes array[j - 1] + 1 to array[j].  Source sets begin executions that turn out to be redundant here.
// expect: optimal verified executions=64 fork [args: 5]
// expect: optimal verified executions=3328 [args: 10]
// expect: optimal verified executions=64 [args: 5] [cc: -DBACKWARDS]
// expect: optimal verified executions=64 [args: 5] [options: --seed=1]
// expect: optimal verified executions=64 fork [args: 5] [cc: -DBACKWARDS] [options: --seed=2]
// expect: optimal verified executions=3328 [args: 10] [cc: -DBACKWARDS] [options: --seed=3]
// expect: source verified executions=64 blocked=15 [args: 5]
// expect: dpor verified executions=64 blocked=53 [args: 5]
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST 16

static atomic_int array[MOST + 1];
static int n;

static void *look(void *unused)
{
	int i = n;

	while (atomic_load(&array[i]))
		i--;
	return unused;
}

static void *write_next(void *number)
{
	long j = (long)number;

	atomic_store(&array[j], atomic_load(&array[j - 1]) + 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST + 1];

	n = argc > 1 ? atoi(argv[1]) : 5;
	pthread_create(&threads[0], NULL, look, NULL);
	for (long i = 1; i <= n; i++) {
#ifdef BACKWARDS
		long j = n + 1 - i;
#else
		long j = i;
#endif
		pthread_create(&threads[j], NULL, write_next, (void *)j);
	}
	for (long j = 0; j <= n; j++)
		pthread_join(threads[j], NULL);
	return 0;
}
