// expect: - verified executions=62 blocked=0 transitions=3094 [cc: -DREADERS=2 -DWRITERS=1 -DROUNDS=1]
// expect: - verified executions=65 blocked=0 transitions=2034 [cc: -DREADERS=2 -DWRITERS=1 -DROUNDS=1] [options: --stateful]
// expect: - verified executions=30654 blocked=0 transitions=2837584 [cc: -DREADERS=2 -DWRITERS=1 -DROUNDS=2]
// expect: - verified executions=1293 blocked=0 transitions=70838 [cc: -DREADERS=2 -DWRITERS=1 -DROUNDS=2] [options: --stateful]
/*
 * Readers and writers as a monitor (Hoare 1974): a read-write lock made of a mutex and a condition variable, taken ROUNDS
 * times by each thread.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, one, two;
static bool writing;

static void *read_both(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		while (writing)
			pthread_cond_wait(&changed, &mutex);
		readers++;
		pthread_mutex_unlock(&mutex);
		assert(one == two);
		pthread_mutex_lock(&mutex);
		if (--readers == 0)
			pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *write_both(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		while (writing || readers)
			pthread_cond_wait(&changed, &mutex);
		writing = true;
		pthread_mutex_unlock(&mutex);
		one++;
		two++;
		pthread_mutex_lock(&mutex);
		writing = false;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[READERS + WRITERS];

	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_create(&threads[i], NULL, i < READERS ? read_both : write_both, NULL);
	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
