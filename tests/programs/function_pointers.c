// Calls through pointers, recursion and large locals in threads.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static int fibonacci(int n)
{
	char padding[256];

	memset(padding, n, sizeof padding);
	return n < 2 ? padding[255] : fibonacci(n - 1) + fibonacci(n - 2);
}

static int twice(int n)
{
	return 2 * n;
}

static int (*const functions[])(int) = {fibonacci, twice};

static void *work(void *unused)
{
	int result = functions[0](10) + functions[1](3);

	pthread_mutex_lock(&mutex);
	total += result;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, work, NULL);
	pthread_create(&t2, NULL, work, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(total == 2 * (55 + 6));
	return 0;
}
