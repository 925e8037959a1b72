// Which processor a thread runs on must not decide what it does: it is always the same.
// expect: source verified executions=1 fork
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static void *look(void *unused)
{
	unsigned processor = 7, node = 7;

	assert(sched_getcpu() == 0);
	assert(getcpu(&processor, &node) == 0 && processor == 0 && node == 0);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, look, NULL);
	look(NULL);
	pthread_join(thread, NULL);
	return 0;
}
