// expect: - verified executions=517 [options: --stateful]
// expect: - verified executions=5559 [options: --stateful --state-memory=0.3]
// expect: - verified executions=33192
// expect: - verified executions=30 [options: --stateful] [cc: -DITEMS=1]
// expect: - verified executions=60 [cc: -DITEMS=1]
/*
 * A bounded buffer with two producers and two consumers, mutex and condition variables: bbuf of Yang's
 * dissertation (2009), Table 4.1.
 */
#include <assert.h>
#include <pthread.h>

#ifndef ITEMS
#define ITEMS 2 /* of each producer, and for each consumer */
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef SIZE
#define SIZE 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE], count, head;

static void put(int item)
{
	pthread_mutex_lock(&mutex);
	while (count == SIZE)
		pthread_cond_wait(&not_full, &mutex);
	buffer[(head + count++) % SIZE] = item;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&mutex);
}

static int get(void)
{
	pthread_mutex_lock(&mutex);
	while (!count)
		pthread_cond_wait(&not_empty, &mutex);
	int item = buffer[head];
	head = (head + 1) % SIZE;
	count--;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&mutex);
	return item;
}

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 0; i < ITEMS; i++)
		put(1);
	return NULL;
}

static void *consume(void *unused)
{
	(void)unused;
	for (int i = 0; i < ITEMS; i++) {
		int item = get();
		assert(item == 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[PRODUCERS + CONSUMERS];

	for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
		pthread_create(&threads[i], NULL, i < PRODUCERS ? produce : consume, NULL);
	for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
