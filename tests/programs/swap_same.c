// A compare-and-swap that puts there what is there, in one order, and fails in another: it is one thing that the thread is
// about to do.  What comes after it is a rival of what the other thread does first.
// expect: optimal bug=exit executions=3 [options: --keep-going]
// expect: source bug=exit executions=3 [options: --keep-going]
// expect: dpor bug=exit executions=3 [options: --keep-going]
// expect: all bug=exit executions=9 [options: --keep-going]
// expect: - bug=exit executions=4 [options: --stateful --keep-going]
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int turn, count;

static void *add(void *unused)
{
	atomic_fetch_add(&count, 1);
	atomic_store(&turn, 1);
	return unused;
}

static void *set(void *unused)
{
	int expected = 0;

	if (atomic_compare_exchange_strong(&turn, &expected, 0))
		atomic_exchange(&count, 1);
	return unused;
}

int main(void)
{
	pthread_t adder, setter;

	pthread_create(&adder, NULL, add, NULL);
	pthread_create(&setter, NULL, set, NULL);
	pthread_join(adder, NULL);
	pthread_join(setter, NULL);
	return atomic_load(&count) != 2; /* 0 only if the setter came first */
}
