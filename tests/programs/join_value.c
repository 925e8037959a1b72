// A thread's result by return and by pthread_exit, joined by another thread than the creator.
// expect: source verified executions=1 fork
// expect: dpor verified executions=1
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void *by_return(void *value)
{
	return (char *)value + 1;
}

static void *by_exit(void *value)
{
	pthread_exit((char *)value + 2);
}

static void *join(void *thread)
{
	void *value;

	assert(pthread_join(*(pthread_t *)thread, &value) == 0);
	return value;
}

int main(void)
{
	pthread_t t1, t2, t3;
	void *value;

	pthread_create(&t1, NULL, by_return, (void *)10);
	pthread_create(&t2, NULL, by_exit, (void *)20);
	pthread_create(&t3, NULL, join, &t2);
	pthread_join(t1, &value);
	assert((intptr_t)value == 11);
	pthread_join(t3, &value);
	assert((intptr_t)value == 22);
	assert(pthread_equal(pthread_self(), pthread_self()) && !pthread_equal(t1, pthread_self()));
	return 0;
}
