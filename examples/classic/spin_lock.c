/*
 * A spin lock made of an atomic exchange, taken once by each of N threads.
 *
 * Correct: one exchange both looks at the lock and takes it.
 * Fault:   looking and taking are two operations.  Two threads see the lock free, and both are
 *          inside: a race on the counter, and with --keep-going a lost update.
 *
 *     inspect check -DN=3 examples/classic/spin_lock.c
 *     inspect check -DN=3 -DFAULTY --keep-going examples/classic/spin_lock.c
 *
 * The threads have the lock one after the other, in any order: N! executions.  A thread that waits
 * only looks, which changes nothing, so how often it looks does not count.
 */
// expect: source verified executions=2 [cc: -DN=2]
// expect: source verified executions=6 [cc: -DN=3]
// expect: source verified executions=24 [cc: -DN=4]
// expect: source verified executions=120 [cc: -DN=5]
// expect: dpor verified executions=2 [cc: -DN=2]
// expect: dpor verified executions=6 [cc: -DN=3]
// expect: dpor verified executions=24 [cc: -DN=4]
// expect: source bug=race executions=3 line=@inside replay [cc: -DFAULTY -DN=2]
// expect: source bug=assertion,race executions=20 line=@inside [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: dpor bug=assertion,race executions=20 line=@inside [cc: -DFAULTY -DN=2] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif

static atomic_bool locked;
static int counter;

static void lock(void)
{
#ifdef FAULTY
	while (atomic_load(&locked))
		;
	atomic_store(&locked, true);
#else
	while (atomic_exchange(&locked, true))
		;
#endif
}

static void unlock(void)
{
	atomic_store(&locked, false);
}

static void *work(void *unused)
{
	lock();
	counter++; // @inside
	unlock();
	return unused;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N);
	return 0;
}
