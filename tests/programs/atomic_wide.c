// expect: optimal verified executions=8 [args: count]
// expect: all verified executions=45 [args: count]
// expect: - verified executions=16 [args: count] [options: --stateful]
// expect: optimal bug=assertion executions=2 [args: seen] [options: --keep-going]
// expect: - bug=assertion executions=2 [args: seen] [options: --stateful --keep-going]
// expect: - bug=assertion executions=2 [args: seen] [options: --stateful --exact-states --keep-going]
// expect: optimal verified executions=8 [args: count] [cc: -mcx16]
// expect: optimal verified executions=2 [args: misaligned]
// expect: - verified executions=2 [args: misaligned] [options: --stateful]
/*
 * Atomic operations that the processor has no instruction for are calls of library functions, and each is one operation.
 * Two stores, or exchanges, have two orders.  Counting: the loads of both before the first exchange or not, and who is
 * first, times two for the number of 16 bytes.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct pair {
	long a, b;
};

static _Atomic struct pair pair;
static _Atomic __int128 wide;
static struct __attribute__((packed)) {
	char before;
	int number;
} packed;

static void *count(void *unused)
{
	struct pair old = atomic_load(&pair), new;

	(void)unused;
	do {
		new.a = old.a + 1;
		new.b = old.b + 2;
	} while (!atomic_compare_exchange_strong(&pair, &old, new));
	atomic_fetch_add(&wide, 1);
	return NULL;
}

static void *set(void *unused)
{
	struct pair value = {1, 2};

	(void)unused;
	atomic_store(&pair, value);
	return NULL;
}

static void *misaligned(void *unused)
{
	int one = 1, old;

	(void)unused;
	__atomic_exchange(&packed.number, &one, &old, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "count";
	void *(*function)(void *) = !strcmp(what, "count") ? count : !strcmp(what, "seen") ? set : misaligned;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, function, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	struct pair end = atomic_load(&pair);
	if (function == count)
		assert(end.a == 2 && end.b == 4 && atomic_load(&wide) == 2);
	else if (function == set)
		assert(end.a == 0);
	else
		assert(packed.number == 1);
	return 0;
}
