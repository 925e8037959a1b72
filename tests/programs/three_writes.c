// Section 2.3.1 of the 2009 dissertation on Inspect: three orders of the writes to x, and x = 3 races with both others.
// Every interleaving: 3 - k ways to have k of t2's operations after t1's end, times k + 1 places for main's join.
// expect: source bug=race executions=3 line=@race fork replay [options: --keep-going]
// expect: dpor bug=race executions=3 line=@race [options: --keep-going]
// expect: all bug=race executions=4 line=@race [options: --keep-going]
// expect: source bug=race executions=1 line=@race
#include <pthread.h>

static int x, y;

static void *t1(void *unused)
{
	x = 1; // @race
	x = 2; // @race
	return unused;
}

static void *t2(void *unused)
{
	y = 1;
	x = 3; // @race
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, t1, NULL);
	pthread_create(&b, NULL, t2, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
