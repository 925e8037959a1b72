// An atomic update that leaves the value as it is writes: a plain read at the same time is a data race.
// expect: optimal bug=race executions=1 line=@read
// expect: source bug=race executions=1 line=@read
// expect: dpor bug=race executions=1 line=@read
// expect: all bug=race executions=1 line=@read
// expect: - bug=race executions=1 line=@read [options: --stateful]
// expect: optimal bug=race executions=1 line=@read [cc: -DWEAK]
// expect: optimal verified executions=1 [cc: -DFAILS]
// expect: all verified executions=2 [cc: -DFAILS]
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int value = 1, copy;
static atomic_int other;

static void *update(void *unused)
{
	_Atomic int *shared = (_Atomic int *)&value;
#ifdef FAILS /* then it only looks */
	atomic_compare_exchange_strong(shared, &(int){2}, 3);
#else
	atomic_exchange(shared, 1); // @read
#endif
#ifdef WEAK
	atomic_store_explicit(&other, 1, memory_order_relaxed);
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, update, NULL);
#ifdef WEAK /* lets the value pass, and orders nothing */
	while (!atomic_load_explicit(&other, memory_order_relaxed))
		;
#endif
	copy = value; // @read
	pthread_join(thread, NULL);
	return 0;
}
