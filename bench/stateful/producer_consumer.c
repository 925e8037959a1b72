// expect: - verified executions=60 blocked=0 transitions=3120 [cc: -DPAIRS=2 -DITEMS=1]
// expect: - verified executions=88 blocked=0 transitions=2758 [cc: -DPAIRS=2 -DITEMS=1] [options: --stateful]
// expect: - verified executions=22824 blocked=0 transitions=2008512 [cc: -DPAIRS=2 -DITEMS=2]
// expect: - verified executions=469 blocked=0 transitions=25954 [cc: -DPAIRS=2 -DITEMS=2] [options: --stateful]
/*
 * Producers and consumers with semaphores (Dijkstra 1965): `places` counts the free places of the buffer, `items` what is in
 * it, and a third one is the lock.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef PAIRS
#define PAIRS 2 /* as many producers as consumers */
#endif
#ifndef ITEMS
#define ITEMS 1 /* of each producer, and for each consumer */
#endif
enum { SIZE = 2 };

static sem_t places, items, mutex;
static int buffer[SIZE], in, out;

static void *produce(void *unused)
{
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&places);
		sem_wait(&mutex);
		buffer[in] = 1;
		in = (in + 1) % SIZE;
		sem_post(&mutex);
		sem_post(&items);
	}
	return unused;
}

static void *consume(void *unused)
{
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&items);
		sem_wait(&mutex);
		assert(buffer[out] == 1);
		buffer[out] = 0;
		out = (out + 1) % SIZE;
		sem_post(&mutex);
		sem_post(&places);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2 * PAIRS];

	sem_init(&places, 0, SIZE);
	sem_init(&items, 0, 0);
	sem_init(&mutex, 0, 1);
	for (int i = 0; i < 2 * PAIRS; i++)
		pthread_create(&threads[i], NULL, i < PAIRS ? produce : consume, NULL);
	for (int i = 0; i < 2 * PAIRS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
