// expect: - verified executions=10 blocked=0 transitions=301 [cc: -DN=3 -DLAPS=1]
// expect: - verified executions=8 blocked=0 transitions=164 [cc: -DN=3 -DLAPS=1] [options: --stateful]
// expect: - verified executions=1250 blocked=0 transitions=69875 [cc: -DN=3 -DLAPS=2]
// expect: - verified executions=44 blocked=0 transitions=1427 [cc: -DN=3 -DLAPS=2] [options: --stateful]
/*
 * A token ring: N stations pass a token round LAPS times.  The token is the number of the station whose turn it is, under a
 * lock; whoever passes it on wakes all, and those whose turn it is not go back to sleep.
 */
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef LAPS
#define LAPS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static long token;

static void *station(void *argument)
{
	long me = (long)argument;

	for (int i = 0; i < LAPS; i++) {
		pthread_mutex_lock(&mutex);
		while (token != me)
			pthread_cond_wait(&passed, &mutex);
		token = (me + 1) % N;
		pthread_cond_broadcast(&passed);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	pthread_t stations[N];

	for (long i = 0; i < N; i++)
		pthread_create(&stations[i], NULL, station, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(stations[i], NULL);
	return 0;
}
