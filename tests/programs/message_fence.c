// Message passing with relaxed atomics and fences, and without the fences.
// expect: source verified executions=2 fork
// expect: source bug=race executions=2 line=@data [cc: -DNO_FENCE] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *send(void *unused)
{
	data = 42; // @data
#ifndef NO_FENCE
	atomic_thread_fence(memory_order_release);
#endif
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return unused;
}

static void *receive(void *unused)
{
	int seen = atomic_load_explicit(&flag, memory_order_relaxed);

#ifndef NO_FENCE
	atomic_thread_fence(memory_order_acquire);
#endif
	if (seen)
		assert(data == 42); // @data
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, send, NULL);
	pthread_create(&t2, NULL, receive, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
