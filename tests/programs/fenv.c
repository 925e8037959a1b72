// The floating point environment is a thread's own, begins as its creator's, and is as it was when the next execution begins:
// exception flags of the x87 unit (long double) and of the others, and the rounding mode.
//   CASE 1: flags of another thread      2: flags of an execution before       3: rounding
// expect: - verified executions=1 [cc: -DCASE=1 -lm]
// expect: all verified executions=6 blocked=1 [cc: -DCASE=1 -lm]
// expect: - verified executions=1 [cc: -DCASE=1 -DNUMBER=double -lm]
// expect: - bug=assertion executions=2 line=@flag replay [cc: -DCASE=2 -lm] [options: --keep-going]
// expect: - bug=assertion executions=4 line=@flag [cc: -DCASE=2 -lm] [options: --keep-going --stateful]
// expect: - bug=assertion executions=2 line=@flag [cc: -DCASE=2 -DNUMBER=double -lm] [options: --keep-going]
// expect: - verified executions=1 fork [cc: -DCASE=3 -lm]
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef NUMBER
#define NUMBER long double
#endif

static volatile NUMBER one = 1, three = 3, third;
static atomic_int done, chosen;

static void *divide(void *unused)
{
	assert(CASE != 3 || fegetround() == FE_UPWARD);
	if (CASE == 1)
		third = one / three;
	done = 1;
	assert(CASE != 1 || fetestexcept(FE_INEXACT));
	chosen = 1;
	return unused;
}

int main(void)
{
	pthread_t thread;

	assert(!fetestexcept(FE_INEXACT)); /* whatever came before */
	if (CASE == 3)
		fesetround(FE_UPWARD);
	pthread_create(&thread, NULL, divide, NULL);
	if (CASE == 2 && !chosen)
		third = one / three;
	while (!done)
		;
	if (CASE == 2)
		assert(fetestexcept(FE_INEXACT)); // @flag
	else
		assert(!fetestexcept(FE_INEXACT));
	pthread_join(thread, NULL);
	return 0;
}
