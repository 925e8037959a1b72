// One thread that goes round for ever and writes all the time, alone: no operation of others that could be tried before or after,
// so plain search has one execution, which is too long.  Its states show that it gets nowhere.  (From sources each time.)
// expect: - bug=livelock executions=2 [cc: -DCASE=1]
// expect: - bug=livelock executions=2 [cc: -DCASE=2]
// expect: - bug=livelock executions=2 [cc: -DCASE=2 -DONCE_MORE] [options: --seed=1]
// expect: source incomplete executions=1 [cc: -DCASE=2 -DSOURCE]
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, other;

static void *go_round(void *unused)
{
	volatile int seen = 0;

	do {
#if CASE == 2
		other = 1;
		other = 0;
#endif
		seen = flag;
	} while (!seen);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, go_round, NULL);
	pthread_join(thread, NULL);
}
