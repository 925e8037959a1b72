// Each way to die at once, without any concurrency: the first execution shows it.
// expect: source bug=crash executions=1 line=@null fork replay [cc: -DWAY=1]
// expect: source bug=assertion executions=1 line=@abort replay [cc: -DWAY=2]
// expect: source bug=crash executions=1 line=@divide [cc: -DWAY=3]
// expect: source bug=assertion executions=1 line=@assert replay [cc: -DWAY=4] [says: impossible == 1]
// expect: source bug=crash executions=1 line=@recursion [cc: -DWAY=5]
// expect: source bug=crash executions=1 line=@trap [cc: -DWAY=6]
#include <assert.h>
#include <stdlib.h>

static int impossible;

#if WAY == 5
static int deeper(volatile int *frame)
{
	volatile int mine[64];

	mine[0] = *frame + 1; // @recursion
	return deeper(mine) + mine[0]; // @recursion
}
#endif

int main(void)
{
#if WAY == 1
	*(volatile int *)8 = 1; // @null
#elif WAY == 2
	abort(); // @abort
#elif WAY == 3
	return 1 / *(volatile int *)&impossible; // @divide
#elif WAY == 4
	assert(impossible == 1); // @assert
#elif WAY == 5
	volatile int frame = 0;

	return deeper(&frame); // @recursion
#elif WAY == 6
	__builtin_trap(); // @trap
#endif
	return 0;
}
