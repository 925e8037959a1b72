// expect: - verified executions=45 transitions=1623 [options: --stateful]
// expect: - verified executions=35 transitions=1048 [options: --stateful] [cc: -DSTEP=3]
// expect: optimal incomplete executions=1000 [options: --max-executions=1000]
// expect: - bug=assertion executions=1 [options: --stateful] [cc: -DASSERTION]
/*
 * Two threads that change one variable in atomic steps: Figure 4.1 of Yang's dissertation (2009), N = 64.
 * One step has one visible operation: the new value of d is looked at where it was made.
 *
 * Everything depends on everything, so without states there is no end to it: 45! / (13! 32!) interleavings.
 * With states: each of the 13 steps of one thread meets each number of steps of the other, and back.  The dissertation
 * reports 35 executions and 2,084 transitions: 35 is what it takes with steps of 5 and 3 (docs/ALGORITHMS.md).
 *
 * The figure has an assertion as well, d % 5 != 4, which does not hold as printed (0 + 5 + 10 - 0 - 2 - 4 is 9), so
 * that there would be nothing to finish: -DASSERTION.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 64
#endif
#ifndef STEP
#define STEP 2
#endif

static atomic_int d;

static void look_at(int value)
{
#ifdef ASSERTION
	assert(value % 5 != 4);
#else
	(void)value;
#endif
}

static void *add(void *unused)
{
	(void)unused;
	for (int i = 0; i < N; i += 5)
		look_at(atomic_fetch_add(&d, i) + i);
	return NULL;
}

static void *subtract(void *unused)
{
	(void)unused;
	for (int j = 0; j < N; j += STEP)
		look_at(atomic_fetch_sub(&d, j) - j);
	return NULL;
}

int main(void)
{
	pthread_t adder, subtracter;

	pthread_create(&adder, NULL, add, NULL);
	pthread_create(&subtracter, NULL, subtract, NULL);
	pthread_join(adder, NULL);
	pthread_join(subtracter, NULL);
	return 0;
}
