// Message passing through a flag: with release and acquire the data is safe; relaxed, the flag orders nothing.
// expect: source verified executions=2 fork [cc: -DRELEASE=memory_order_release -DACQUIRE=memory_order_acquire]
// expect: dpor verified executions=2 [cc: -DRELEASE=memory_order_release -DACQUIRE=memory_order_acquire]
// expect: source verified executions=2 [cc: -DRELEASE=memory_order_seq_cst -DACQUIRE=memory_order_seq_cst]
// expect: source bug=race executions=2 line=@data replay [cc: -DRELEASE=memory_order_relaxed -DACQUIRE=memory_order_relaxed] [options: --keep-going]
// expect: source bug=race executions=2 line=@data [cc: -DRELEASE=memory_order_relaxed -DACQUIRE=memory_order_acquire] [options: --keep-going]
// expect: source bug=race executions=2 line=@data [cc: -DRELEASE=memory_order_release -DACQUIRE=memory_order_relaxed] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *send(void *unused)
{
	data = 42; // @data
	atomic_store_explicit(&flag, 1, RELEASE);
	return unused;
}

static void *receive(void *unused)
{
	if (atomic_load_explicit(&flag, ACQUIRE))
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
