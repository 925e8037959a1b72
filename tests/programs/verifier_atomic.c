// A function whose name begins with __VERIFIER_atomic_ is one atomic block.
// expect: source verified executions=2
// expect: all verified executions=2
// expect: source bug=assertion,race executions=4 [cc: -DNAME=update] [options: --keep-going]
#include <assert.h>
#include <pthread.h>

#ifndef NAME
#define NAME __VERIFIER_atomic_update
#endif

static int value;

void NAME(int factor)
{
	int before = value;

	value = before * factor + 1;
}

static void *run(void *unused)
{
	NAME(2);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	NAME(3);
	pthread_join(thread, NULL);
	assert(value == 3 || value == 4);
	return 0;
}
