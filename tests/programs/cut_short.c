// Executions that are cut short by --max-steps or the watchdog are no bugs, nor do they keep others from being found.
//   CASE 1: a thread that never ends comes first: the race is with one that would only come after it
//   CASE 2: the same, with locks: an assertion fails if the endless one comes first, once
//   CASE 3: one that never ends and one that ends with a lock
//   CASE 4: an endless loop without visible operations, in one of the orders; in the other one an assertion fails
//   CASE 5: two threads that never end, and nothing is wrong
//   CASE 6: many interleavings, all of them without an end: the search ends nevertheless
//   CASE 7: an endless loop without visible operations, with a race before it
// expect: - bug=race executions=1 line=@race replay [cc: -DCASE=1] [options: --watchdog=1 --max-steps=1000]
// expect: source bug=race executions=1 line=@race [cc: -DCASE=1] [options: --watchdog=1 --max-steps=1000]
// expect: dpor bug=race executions=1 line=@race [cc: -DCASE=1] [options: --watchdog=1 --max-steps=1000]
// expect: - bug=race executions=1 line=@race replay [cc: -DCASE=1] [options: --watchdog=1 --max-steps=1000 --seed=1]
// expect: - bug=race executions=1 line=@race [cc: -DCASE=1] [options: --watchdog=1]
// expect: - bug=assertion executions=3 line=@first replay [cc: -DCASE=2] [options: --max-steps=1000]
// expect: - bug=assertion executions=11 line=@first [cc: -DCASE=2] [options: --max-steps=40 --keep-going]
// expect: - bug=lock executions=1 line=@held replay [cc: -DCASE=3] [options: --max-steps=1000]
// expect: - bug=assertion executions=2 line=@order replay [cc: -DCASE=4] [options: --watchdog=1]
// expect: - incomplete executions=1000 line=@turn [cc: -DCASE=5] [options: --max-steps=1000] [says: was in a loop here]
// expect: - incomplete executions=1000 [cc: -DCASE=6] [options: --max-steps=1000] [says: many executions were cut short]
// expect: source incomplete executions=1000 [cc: -DCASE=6] [options: --max-steps=1000] [says: many executions were cut short]
// expect: - incomplete executions=30 [cc: -DCASE=6] [options: --max-steps=1000 --keep-going --max-executions=30]
// expect: - bug=assertion,race executions=2 line=@before replay [cc: -DCASE=7] [options: --watchdog=1]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, rounds, checked;
static atomic_int turn, ready;

static void *increment(void *unused)
{
	for (;;)
		counter++; // @race
	return unused;
}

static void *serve(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		rounds++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *check(void *unused)
{
	pthread_mutex_lock(&lock);
	checked = 1;
	assert(rounds != 1); // @first
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *forget(void *unused)
{
	pthread_mutex_lock(&lock); // @held
	return unused;
}

static void *stay(void *unused)
{
	for (;;)
		atomic_fetch_add(&turn, 1); // @turn
	return unused;
}

static void *compute(void *unused)
{
	if (CASE == 7)
		counter++; // @before
	if (!atomic_load(&ready))
		for (volatile int i = 0;; i++)
			;
	assert(!"it was ready"); // @order
	return unused;
}

static void *prepare(void *unused)
{
	if (CASE == 7)
		counter++; // @before
	atomic_store(&ready, 1);
	return unused;
}

int main(void)
{
	static void *(*const pairs[][2])(void *) = {{increment, increment}, {serve, check}, {stay, forget},
						    {compute, prepare},	    {stay, stay},   {stay, stay},
						    {compute, prepare}};
	pthread_t threads[4];
	int count = CASE == 6 ? 4 : 2;

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, pairs[CASE - 1][i % 2], NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
