// A producer of two items and two consumers that each take one, waiting in a loop as one must.
// expect: source verified executions=30 fork
// expect: dpor verified executions=30
// expect: - verified executions=30
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *producer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&mutex);
		items++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *consumer(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (items == 0)
		pthread_cond_wait(&filled, &mutex);
	assert(items > 0);
	items--;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t p, c1, c2;

	pthread_create(&p, NULL, producer, NULL);
	pthread_create(&c1, NULL, consumer, NULL);
	pthread_create(&c2, NULL, consumer, NULL);
	pthread_join(p, NULL);
	pthread_join(c1, NULL);
	pthread_join(c2, NULL);
	assert(items == 0);
	return 0;
}
