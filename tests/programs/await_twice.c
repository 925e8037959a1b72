// Rounds of waiting loops that look at one location more than once: somebody may change it between the two looks.
// expect: optimal bug=assertion executions=7 blocked=5 line=@seen [cc: -DLOADS] [options: --keep-going]
// expect: all bug=assertion executions=12 blocked=5 line=@seen [cc: -DLOADS] [options: --awaits --keep-going]
// expect: all bug=assertion executions=136 blocked=19 line=@seen [cc: -DLOADS] [options: --keep-going]
// expect: optimal bug=assertion executions=4 blocked=2 line=@seen [cc: -DOTHER_VALUE] [options: --keep-going]
// expect: optimal bug=livelock executions=6 blocked=0 [cc: -DTAKE] [options: --keep-going]
// expect: optimal verified executions=8 blocked=0 [cc: -DTAKE -DUNDO]
// expect: optimal bug=assertion executions=4 blocked=0 line=@seen [cc: -DFAILURE] [options: --keep-going]
// expect: optimal bug=assertion executions=4 blocked=0 line=@seen [cc: -DEXCHANGE] [options: --keep-going]
// expect: optimal bug=assertion executions=66 blocked=23 line=@seen [cc: -DMANY] [options: --keep-going]
// expect: optimal bug=assertion executions=66 blocked=23 line=@seen [cc: -DMANY] [options: --keep-going --seed=1]
// expect: source bug=assertion executions=66 blocked=23 line=@seen [cc: -DMANY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

#if defined LOADS
/* the two may differ */
static void *first(void *unused)
{
	for (int value = 1; value <= 3; value++)
		atomic_store(&x, value);
	return unused;
}

static void *second(void *unused)
{
	for (;;) {
		int a = atomic_load(&x), b = atomic_load(&x);
		assert(!(a == 1 && b == 2)); // @seen
		if (b == 3)
			return unused;
	}
}
#elif defined OTHER_VALUE
/* the compare-and-swap does not expect what was loaded */
static void *first(void *unused)
{
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	atomic_store(&x, 4);
	return unused;
}

static void *second(void *unused)
{
	for (;;) {
		int seen = atomic_load(&x), expected = 2;
		if (seen == 1 && atomic_compare_exchange_strong(&x, &expected, 3))
			assert(0); // @seen
		if (seen == 4)
			return unused;
	}
}
#elif defined TAKE
/* a semaphore of one: who was too late must give back what it has taken */
static void take(void)
{
	for (;;) {
		if (atomic_load(&x) <= 0)
			continue;
		if (atomic_fetch_sub(&x, 1) > 0)
			return;
#ifdef UNDO
		atomic_fetch_add(&x, 1);
#endif
	}
}

static void *first(void *unused)
{
	take();
	atomic_fetch_add(&x, 1);
	return unused;
}
#define second first
#define START 1
#elif defined FAILURE
/* that the compare-and-swap fails is seen, though it expects what was loaded */
static atomic_int failures;

static void *first(void *unused)
{
	for (;;) {
		int seen = atomic_load(&x);
		if (atomic_compare_exchange_strong(&x, &seen, seen + 1))
			return unused;
		atomic_fetch_add(&failures, 1);
	}
}
#define second first
#define AFTERWARDS assert(atomic_load(&failures) == 0)
#elif defined EXCHANGE
/* an exchange overwrites what came after the load */
static void *first(void *unused)
{
	atomic_store(&x, 2);
	return unused;
}

static void *second(void *unused)
{
	for (;;) {
		if (atomic_load(&x))
			return unused;
		int old = atomic_exchange(&x, 1);
		if (old == 0)
			return unused;
		assert(old != 2); // @seen
	}
}
#elif defined MANY
/* more values than are tried */
static void *first(void *unused)
{
	for (int value = 1; value <= 45; value++)
		atomic_store(&x, value);
	return unused;
}

static void *second(void *unused)
{
	int value;

	while ((value = atomic_load(&x)) % 2 == 0)
		;
	assert(value != 3); // @seen
	return unused;
}
#endif

#ifndef START
#define START 0
#endif
#ifndef AFTERWARDS
#define AFTERWARDS
#endif

int main(void)
{
	pthread_t threads[2];

	atomic_init(&x, START);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	AFTERWARDS; // @seen
	return 0;
}
