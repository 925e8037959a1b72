// Programs for which a stateful search once said "verified": what it did not know of the state, or of what may come.
// expect: - bug=assertion executions=28 [options: --stateful --keep-going] [cc: -DCASE=1]
// expect: - bug=assertion executions=15 [options: --stateful --keep-going] [cc: -DCASE=2]
// expect: - bug=assertion,race executions=6 [options: --stateful --keep-going --seed=2] [cc: -DCASE=3]
// expect: - bug=assertion executions=4 [options: --stateful --keep-going] [cc: -DCASE=4]
// expect: - bug=assertion,lock executions=4 [options: --stateful --keep-going] [cc: -DCASE=5]
// expect: - bug=assertion executions=4 [options: --stateful --keep-going] [cc: -DCASE=6]
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "inspect.h"

#if CASE == 1 /* a lock of a robust mutex turns out to be lost, or not */
static pthread_mutex_t mutex;
static atomic_int x;

static void *set(void *unused)
{
	x = 1;
	return unused;
}

static void *repair(void *unused)
{
	pthread_mutex_lock(&mutex);
	if (inspect_choose(2))
		pthread_mutex_consistent(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *look(void *unused)
{
	if (!pthread_mutex_lock(&mutex)) {
		int value = x;
		assert(value);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *die_with_it(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_t dead, threads[3];

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attributes);
	pthread_create(&dead, NULL, die_with_it, NULL);
	pthread_join(dead, NULL);
	pthread_create(&threads[0], NULL, set, NULL);
	pthread_create(&threads[1], NULL, repair, NULL);
	pthread_create(&threads[2], NULL, look, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

#elif CASE == 2 /* what a thread that awaits begins with depends on the value */
static atomic_int awaited, x;

static void *set(void *unused)
{
	x = 1;
	return unused;
}

static void *release(void *unused)
{
	awaited = inspect_choose(2) + 1;
	return unused;
}

static void *wait_and_look(void *unused)
{
	for (;;) {
		int value = atomic_load(&awaited), two = 2;
		if (value == 0)
			continue;
		if (value == 1)
			return unused;
		if (atomic_compare_exchange_strong(&awaited, &two, 3)) {
			int seen = x;
			assert(seen);
			return unused;
		}
	}
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, set, NULL);
	pthread_create(&threads[1], NULL, release, NULL);
	pthread_create(&threads[2], NULL, wait_and_look, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

#elif CASE == 3 /* a copy has read and not yet written */
static struct {
	long values[8];
} source, copy;

static void *change(void *unused)
{
	source.values[0] = 2;
	copy.values[1] = 1;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, change, NULL);
	__builtin_memcpy(&copy, &source, sizeof copy);
	pthread_join(thread, NULL);
	assert(copy.values[0] != 0 || copy.values[1] != 1);
	assert(copy.values[0] != 2 || copy.values[1] != 0);
	return 0;
}

#elif CASE == 4 /* the value of a key */
int main(void)
{
	static int a, b;
	pthread_key_t key;

	pthread_key_create(&key, NULL);
	pthread_setspecific(key, &a);
	pthread_setspecific(key, inspect_choose(2) ? &a : &b);
	if (inspect_choose(2))
		assert(pthread_getspecific(key) == &b);
	return 0;
}

#elif CASE == 5 /* how often a recursive mutex is held */
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *try_it(void *unused)
{
	int error = pthread_mutex_trylock(&mutex);
	assert(!error);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	if (inspect_choose(2))
		pthread_mutex_lock(&mutex);
	if (inspect_choose(2)) {
		pthread_mutex_unlock(&mutex);
		pthread_create(&thread, NULL, try_it, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}

#elif CASE == 6 /* which names semaphores have */
int main(void)
{
	sem_open("/a", O_CREAT, 0600, 1);
	sem_open("/b", O_CREAT, 0600, 1);
	sem_unlink(inspect_choose(2) ? "/a" : "/b");
	if (inspect_choose(2))
		assert(sem_open("/a", 0) != SEM_FAILED);
	return 0;
}
#endif
