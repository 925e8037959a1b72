// N threads take a lock that they have made themselves.  Whoever has to wait does not go round and round: as with a mutex
// there is one execution for each order in which they come, also when they look before they try.
// expect: optimal verified executions=120 [args: 5] [options: --seed=1]
// expect: optimal verified executions=24 fork [args: 4] [cc: -DTICKETS] [options: --seed=2]
// expect: optimal verified executions=2 fork [args: 2]
// expect: optimal verified executions=6 [args: 3]
// expect: optimal verified executions=24 [args: 4]
// expect: optimal verified executions=120 [args: 5]
// expect: optimal verified executions=720 [args: 6]
// expect: source verified executions=24 blocked=0 [args: 4]
// expect: dpor verified executions=24 blocked=0 [args: 4]
// expect: all verified executions=66 [args: 3] [options: --awaits]
// expect: optimal verified executions=120 [args: 5] [cc: -DCOMPARE]
// expect: optimal verified executions=120 [args: 5] [cc: -DFLAG]
// expect: optimal verified executions=120 [args: 5] [cc: -DTICKETS]
// expect: optimal verified executions=24 [args: 4] [cc: -DTICKETS -DYIELD]
// expect: all verified executions=31 [args: 2] [cc: -DTICKETS] [options: --awaits]
// expect: optimal verified executions=6 fork [args: 3] [cc: -DLOOK_FIRST]
// expect: all verified executions=6 [args: 2] [cc: -DLOOK_FIRST] [options: --awaits]
// expect: all verified executions=348 blocked=80 [args: 2] [cc: -DLOOK_FIRST]
// expect: optimal bug=livelock executions=6 replay [args: 3] [cc: -DFORGET] [options: --keep-going]
// expect: all bug=livelock executions=14 [args: 3] [cc: -DFORGET] [options: --awaits --keep-going]
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOST 16

static int counter;

static void pass_time(void)
{
#ifdef YIELD
	sched_yield();
#endif
}

#ifdef TICKETS
static atomic_uint next_ticket, now_served;

static void lock(void)
{
	unsigned ticket = atomic_fetch_add(&next_ticket, 1);

	while (atomic_load(&now_served) != ticket)
		pass_time();
}

static void unlock(void)
{
	atomic_fetch_add(&now_served, 1);
}
#elif defined FLAG
static atomic_flag taken = ATOMIC_FLAG_INIT;

static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
		pass_time();
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&taken, memory_order_release);
}
#else
static atomic_int taken;

static bool try_lock(void)
{
#ifdef COMPARE
	int expected = 0;
	return atomic_compare_exchange_strong(&taken, &expected, 1);
#else
	return !atomic_exchange(&taken, 1);
#endif
}

static void lock(void)
{
#ifdef LOOK_FIRST
	do {
		while (atomic_load(&taken))
			pass_time();
	} while (!try_lock());
#else
	while (!try_lock())
		pass_time();
#endif
}

static void unlock(void)
{
#ifdef FORGET
	if (counter == 2)
		return;
#endif
	atomic_store(&taken, 0);
}
#endif

static void *work(void *unused)
{
	lock();
	counter++;
	unlock();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = argc > 1 ? atoi(argv[1]) : 2;

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	assert(counter == n);
	return 0;
}
