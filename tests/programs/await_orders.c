// A lock whose load acquires and whose exchange does not.  If the lock was given back and is free again between the two, nothing
// orders what its last owner did before what the next one does: a data race, in any search and whoever moves first.
// expect: optimal bug=race executions=4 blocked=2 line=@inside [options: --keep-going]
// expect: optimal bug=race executions=4 blocked=2 line=@inside [options: --keep-going --seed=1]
// expect: optimal bug=race executions=4 blocked=2 line=@inside [options: --keep-going --seed=2]
// expect: source bug=race executions=4 blocked=2 line=@inside [options: --keep-going]
// expect: dpor bug=race executions=4 blocked=2 line=@inside [options: --keep-going]
// expect: optimal verified executions=2 blocked=0 [cc: -DEXCHANGE_ACQUIRES]
// expect: optimal verified executions=2 blocked=0 [cc: -DCOUNT]
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int word;

#ifdef COUNT
/* the value never comes back, so that what the load acquires is what the update would */
static void *work(void *unused)
{
	int old;

	do
		old = atomic_load_explicit(&word, memory_order_acquire);
	while (!atomic_compare_exchange_strong_explicit(&word, &old, old + 1, memory_order_release,
							memory_order_relaxed));
	return unused;
}
#else
#ifdef EXCHANGE_ACQUIRES
#define EXCHANGE_ORDER memory_order_acquire
#else
#define EXCHANGE_ORDER memory_order_relaxed
#endif

static void *work(void *unused)
{
	do
		while (atomic_load_explicit(&word, memory_order_acquire))
			;
	while (atomic_exchange_explicit(&word, 1, EXCHANGE_ORDER));
	data++; // @inside
	atomic_store_explicit(&word, 0, memory_order_release);
	return unused;
}
#endif

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return data < 0;
}
