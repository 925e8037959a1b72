// main returns while threads run and nothing is wrong behind it: each thread stops before or after each of its steps.
// expect: source verified executions=4 fork
// expect: dpor verified executions=4
// expect: all verified executions=5
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *one(void *unused)
{
	a = 1;
	return unused;
}

static void *two(void *unused)
{
	b = 1;
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, one, NULL);
	pthread_create(&t2, NULL, two, NULL);
	return 0;
}
