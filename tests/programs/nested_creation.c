// Threads created by several threads: a thread is the k-th child of its parent, whoever came first.  Both parents create
// two children that all take one lock: 4! orders.
// expect: source verified executions=24 fork
// expect: dpor verified executions=24
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int leaves;

static void *leaf(void *unused)
{
	pthread_mutex_lock(&mutex);
	leaves++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *parent(void *unused)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, leaf, NULL);
	pthread_create(&t2, NULL, leaf, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, parent, NULL);
	pthread_create(&t2, NULL, parent, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(leaves == 4);
	return 0;
}
