// Who arrives last at a barrier can tell, and the order of the others makes no difference: N classes for each round.
// expect: optimal verified executions=3 [cc: -DN=3 -DROUNDS=1] fork
// expect: optimal verified executions=27 [cc: -DN=3 -DROUNDS=3]
// expect: optimal verified executions=27 [cc: -DN=3 -DROUNDS=3] [options: --seed=3]
// expect: optimal verified executions=27 [cc: -DN=3 -DROUNDS=3] [options: --jobs=2]
// expect: source verified executions=27 [cc: -DN=3 -DROUNDS=3]
// expect: optimal verified executions=36 [cc: -DN=6 -DROUNDS=2]
// expect: optimal bug=deadlock executions=12 [cc: -DN=3 -DROUNDS=1 -DMORE=1] [options: --keep-going]
// expect: all bug=deadlock executions=462 [cc: -DN=3 -DROUNDS=1 -DMORE=1] [options: --keep-going]
#include <pthread.h>

#ifndef MORE
#define MORE 0 // threads that are too many: one is left at the barrier
#endif

static pthread_barrier_t barrier;

static void *work(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		pthread_barrier_wait(&barrier);
	return unused;
}

int main(void)
{
	pthread_t threads[N + MORE];

	pthread_barrier_init(&barrier, NULL, N);
	for (int i = 0; i < N + MORE; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < N + MORE; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	return 0;
}
