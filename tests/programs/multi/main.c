// A program of several files with a header: two threads put numbers into a queue of another file.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
// expect: source bug=race executions=1 line=@race replay [cc: -DUNLOCKED]
#include <assert.h>
#include <pthread.h>

#include "queue.h"

static struct queue queue = QUEUE_INITIALIZER;

static void *put(void *unused)
{
	queue_put(&queue, 7);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, put, NULL);
	pthread_create(&t2, NULL, put, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(queue.length == 2);
	return 0;
}
