// Each of N readers comes before or after the one writer: 2^N.
// expect: optimal verified executions=4 fork [args: 2]
// expect: optimal verified executions=8 [args: 3]
// expect: optimal verified executions=256 [args: 8]
// expect: optimal verified executions=1024 [args: 10]
// expect: optimal verified executions=256 [args: 8] [cc: -DBACKWARDS]
// expect: optimal verified executions=256 fork [args: 8] [options: --seed=1]
// expect: optimal verified executions=256 [args: 8] [cc: -DBACKWARDS] [options: --seed=2]
// expect: source verified executions=8 blocked=0 [args: 3]
// expect: source verified executions=256 blocked=0 [args: 8]
// expect: dpor verified executions=8 blocked=0 [args: 3]
// expect: all verified executions=105 [args: 3]
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST 16

static atomic_int variable;

static void *look(void *unused)
{
	(void)atomic_load(&variable);
	return unused;
}

static void *set(void *unused)
{
	atomic_store(&variable, 1);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST + 1];
	int n = argc > 1 ? atoi(argv[1]) : 2;

#ifdef BACKWARDS
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, look, NULL);
	pthread_create(&threads[n], NULL, set, NULL);
#else
	pthread_create(&threads[n], NULL, set, NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, look, NULL);
#endif
	for (int i = 0; i <= n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
