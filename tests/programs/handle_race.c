// The C library stores a thread's handle before the thread runs: it may use it, but who else uses it must know that it is there.
// expect: - verified executions=2 fork [cc: -DWAY=0]
// expect: all verified executions=3 [cc: -DWAY=0]
// expect: - verified executions=2 [cc: -DWAY=0] [options: --all-visible]
// expect: - verified executions=3 [cc: -DWAY=0] [options: --stateful]
// expect: - verified executions=1 fork [cc: -DWAY=1]
// expect: all verified executions=14 [cc: -DWAY=1]
// expect: source verified executions=1 [cc: -DWAY=1]
// expect: dpor verified executions=1 [cc: -DWAY=1]
// expect: source bug=race executions=2 line=@other fork replay [options: --keep-going] [cc: -DWAY=2]
// expect: all bug=race executions=14 line=@other [options: --keep-going] [cc: -DWAY=2]
// expect: source bug=race executions=2 line=@main fork replay [options: --keep-going] [cc: -DWAY=3]
// expect: all bug=race executions=3 line=@main [options: --keep-going] [cc: -DWAY=3]
#include <assert.h>
#include <pthread.h>

static pthread_t handle, handles[2];

static void *detach_itself(void *unused)
{
	pthread_detach(handle);
	return unused;
}

static void *look_for_itself(void *number)
{
	assert(pthread_equal(handles[(long)number], pthread_self()));
	return number;
}

static void *look_for_the_other(void *number)
{
	(void)!pthread_equal(handles[1 - (long)number], pthread_self()); // @other
	return number;
}

static void run_two(void *(*run)(void *))
{
	for (long i = 0; i < 2; i++)
		pthread_create(&handles[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(handles[i], NULL);
}

int main(void)
{
	switch (WAY) {
	case 0: pthread_create(&handle, NULL, detach_itself, NULL); pthread_exit(NULL);
	case 1: run_two(look_for_itself); break;
	case 2: run_two(look_for_the_other); break;
	case 3:
		pthread_create(&handles[0], NULL, look_for_the_other, (void *)1);
		handle = handles[0];
		handles[0] = 0; // @main
		pthread_join(handle, NULL);
		break;
	}
	return 0;
}
