// Whatever runs at the end of the process is part of it: handlers, destructors, also when the last thread ends it.
// expect: source bug=assertion executions=1 line=@check [cc: -DWAY=1]
// expect: source bug=assertion executions=1 line=@check [cc: -DWAY=2]
// expect: source bug=assertion executions=1 line=@check [cc: -DWAY=3]
// expect: source bug=assertion executions=1 line=@check replay [cc: -DWAY=4]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int value;

#if WAY == 2
__attribute__((destructor))
#endif
static void
check(void)
{
	assert(value == 0); // @check
}

#if WAY == 3
__attribute__((constructor)) static void early(void)
{
	atexit(check);
}
#endif

static void *set(void *unused)
{
	value = 1;
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (WAY == 1 || WAY == 4)
		atexit(check);
	pthread_create(&thread, NULL, set, NULL);
	if (WAY == 4)
		pthread_exit(NULL);
	pthread_join(thread, NULL);
	return 0;
}
