// expect: - verified executions=1296 blocked=0 transitions=64800 [cc: -DN=3 -DROUNDS=2]
// expect: - verified executions=43 blocked=0 transitions=1607 [cc: -DN=3 -DROUNDS=2] [options: --stateful]
/*
 * A sense-reversing barrier made of two atomic variables (Hensgen, Finkel and Manber 1988), ROUNDS times.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static atomic_int missing = N, sense;
static int done[N];

static void pass(int *mine)
{
	if (atomic_fetch_sub(&missing, 1) == 1) {
		missing = N;
		sense = !*mine;
	} else {
		while (sense == *mine)
			;
	}
	*mine = !*mine;
}

/* One barrier between writing and reading, one between reading and the next writing. */
static void *work(void *argument)
{
	long me = (long)argument;
	int mine = 0;

	for (int i = 1; i <= ROUNDS; i++) {
		done[me] = i;
		pass(&mine);
		assert(done[(me + 1) % N] == i);
		pass(&mine);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (long i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
