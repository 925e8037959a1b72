// A compare-and-swap that fails has an order of its own: relaxed, it does not see what the flag's writer did before.
// expect: source bug=race executions=2 line=@data [cc: -DFAILURE=memory_order_relaxed] [options: --keep-going]
// expect: source verified executions=2 [cc: -DFAILURE=memory_order_acquire] [options: --keep-going]
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *send(void *unused)
{
	data = 1; // @data
	atomic_store_explicit(&flag, 1, memory_order_release);
	return unused;
}

static void *receive(void *unused)
{
	int expected = 0;

	if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acq_rel, FAILURE))
		return data ? unused : NULL; // @data
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
