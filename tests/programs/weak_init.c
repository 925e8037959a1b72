// To initialise or destroy a synchronisation object orders nothing: with a flag that is relaxed there is a race.
// expect: optimal bug=race executions=1 line=@write [args: init]
// expect: all bug=race executions=1 line=@write [args: init]
// expect: optimal bug=race executions=1 line=@before [args: destroy]
// expect: optimal verified executions=2 [args: released]
// expect: optimal bug=lock,race executions=1 line=@object [args: object]
// expect: optimal bug=race executions=1 line=@object_end [args: object_end]
// expect: optimal verified executions=4 [args: barrier_destroyed]
#include "api.h"

#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int ready;
static bool releases;
static int data;

static void *use(void *unused)
{
	if (!releases ? atomic_load_explicit(&ready, memory_order_relaxed)
		      : atomic_load_explicit(&ready, memory_order_acquire)) {
		pthread_mutex_lock(&mutex);
		data++; // @write
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void make(void)
{
	data = 1; // @write
	pthread_mutex_init(&mutex, NULL);
}

CASE(init)
{
	pthread_t thread = start(use, NULL);

	make();
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	finish(thread);
}

CASE(released)
{
	releases = true;
	pthread_t thread = start(use, NULL);
	make();
	atomic_store_explicit(&ready, 1, memory_order_release);
	finish(thread);
}

static void *end(void *unused)
{
	if (atomic_load_explicit(&ready, memory_order_relaxed)) {
		pthread_mutex_destroy(&mutex);
		data++; // @before
	}
	return unused;
}

CASE(destroy)
{
	pthread_mutex_init(&mutex, NULL);
	pthread_t thread = start(end, NULL);
	data = 1; // @before
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	finish(thread);
}

static void *lock_only(void *unused)
{
	if (atomic_load_explicit(&ready, memory_order_relaxed))
		pthread_mutex_lock(&mutex); // @object
	return unused;
}

/* The object itself is not ready for who sees the flag. */
CASE(object)
{
	pthread_t thread = start(lock_only, NULL);

	pthread_mutex_init(&mutex, NULL); // @object
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	finish(thread);
}

static void *end_only(void *unused)
{
	if (atomic_load_explicit(&ready, memory_order_relaxed))
		pthread_mutex_destroy(&mutex); // @object_end
	return unused;
}

CASE(object_end)
{
	pthread_mutex_init(&mutex, NULL);
	pthread_t thread = start(end_only, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex); // @object_end
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	finish(thread);
}

static pthread_barrier_t barrier;

static void *meet(void *unused)
{
	atomic_fetch_add_explicit(&ready, 1, memory_order_relaxed);
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		pthread_barrier_destroy(&barrier);
	return unused;
}

/* Who leaves first may destroy it. */
CASE(barrier_destroyed)
{
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_t thread = start(meet, NULL);
	meet(NULL);
	finish(thread);
}
