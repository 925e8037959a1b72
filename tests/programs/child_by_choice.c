// A thread that does not exist yet may come to do one thing or another: its rivals must not be decided by the first.
// expect: - bug=assertion executions=5 [options: --keep-going]
// expect: - bug=assertion executions=8 [options: --keep-going --stateful]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "inspect.h"

static atomic_int looked_at, other;

static void *touch_other(void *unused)
{
	(void)unused;
	atomic_store(&other, 1);
	return NULL;
}

static void *look(void *unused)
{
	(void)unused;
	int value = atomic_load(&looked_at);
	assert(value != 0);
	return NULL;
}

static void *set(void *unused)
{
	(void)unused;
	atomic_store(&looked_at, 1);
	return NULL;
}

static void *create_one(void *unused)
{
	pthread_t child;

	(void)unused;
	pthread_create(&child, NULL, inspect_choose(2) ? look : touch_other, NULL);
	pthread_join(child, NULL);
	return NULL;
}

int main(void)
{
	pthread_t setter, creator;

	pthread_create(&setter, NULL, set, NULL);
	pthread_create(&creator, NULL, create_one, NULL);
	pthread_join(setter, NULL);
	pthread_join(creator, NULL);
	return 0;
}
