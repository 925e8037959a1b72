// Exit handlers run in the reverse of the order in which they were registered, whichever thread did that.
// expect: optimal bug=assertion executions=2 line=@check [options: --keep-going] [cc: -DFIRST=reset -DSECOND=check] fork replay
// expect: source bug=assertion executions=2 [options: --keep-going] [cc: -DFIRST=reset -DSECOND=check]
// expect: dpor bug=assertion executions=2 [options: --keep-going] [cc: -DFIRST=reset -DSECOND=check]
// expect: all bug=assertion executions=3 [options: --keep-going] [cc: -DFIRST=reset -DSECOND=check]
// expect: - bug=assertion executions=2 [options: --stateful --exact-states --keep-going] [cc: -DFIRST=reset -DSECOND=check]
// expect: - bug=assertion executions=2 [options: --jobs=2 --keep-going] [cc: -DFIRST=reset -DSECOND=check]
// expect: - bug=assertion executions=2 [options: --keep-going] [cc: -DFIRST=check -DSECOND=reset]
// expect: - bug=assertion executions=2 [options: --keep-going --seed=7] [cc: -DFIRST=check -DSECOND=reset]
// expect: - verified executions=2 [cc: -DFIRST=check -DSECOND=check]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int ready = 1;

static void check(void)
{
	assert(ready); // @check
}

static void reset(void)
{
	ready = 0;
}

static void *first(void *unused)
{
	atexit(FIRST);
	return unused;
}

static void *second(void *unused)
{
	atexit(SECOND);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	(void)check, (void)reset;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
