// Long executions: up to a million events, and a limit that cuts them short.
// expect: source verified executions=2 [args: 100000] [options: --max-steps=1000000]
// expect: dpor verified executions=2 [args: 100000] [options: --max-steps=1000000]
// expect: source incomplete executions=1 line=@loop [args: 100000] [options: --max-steps=1000]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long rounds, sum, shared;

static void *count(void *unused)
{
	for (long i = 0; i < rounds; i++)
		sum += i; // @loop
	pthread_mutex_lock(&mutex);
	shared++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *touch(void *unused)
{
	pthread_mutex_lock(&mutex);
	shared++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t1, t2;

	rounds = argc > 1 ? atol(argv[1]) : 1000;
	pthread_create(&t1, NULL, count, NULL);
	pthread_create(&t2, NULL, touch, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(sum == rounds * (rounds - 1) / 2 && shared == 2);
	return 0;
}
