// A recursive mutex: the owner locks it again and it is free only after as many unlocks.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth;

static void *nest(void *unused)
{
	pthread_mutex_lock(&mutex);
	assert(++depth == 1);
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(++depth == 2);
	assert(pthread_mutex_trylock(&mutex) == 0);
	pthread_mutex_unlock(&mutex);
	depth--;
	pthread_mutex_unlock(&mutex);
	depth--;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, nest, NULL);
	pthread_create(&t2, NULL, nest, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
