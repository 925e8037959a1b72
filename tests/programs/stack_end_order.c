// Main ends, and its thread uses main's local variable: from the end of main's stack on that is an error, whether or not
// main has come to the end that decides who is the last thread.  Of four classes two are without it.
// expect: - bug=memory executions=4 transitions=24 line=@use fork replay [options: --keep-going] [says: on the stack of main, which has ended]
// expect: source bug=memory executions=4 line=@use [options: --keep-going]
// expect: dpor bug=memory executions=4 line=@use [options: --keep-going]
// expect: all bug=memory executions=6 transitions=37 line=@use [options: --keep-going]
// expect: - bug=memory executions=6 line=@use [options: --keep-going --stateful]
// expect: - bug=memory executions=4 line=@use [cc: -DDETACH] [options: --keep-going]
// expect: all bug=memory executions=15 line=@use [cc: -DDETACH] [options: --keep-going]
// What an update of such a variable turns out to be does not depend on what happens to be left there.
// expect: - bug=memory executions=4 line=@use [cc: -DUPDATE] [options: --keep-going]
// expect: all bug=memory executions=6 line=@use [cc: -DUPDATE] [options: --keep-going]
// expect: - bug=memory executions=6 line=@use [cc: -DUPDATE] [options: --keep-going --stateful]
// The other way round: a thread ends, and main uses its variable.
// expect: - bug=memory executions=3 line=@owner [cc: -DTHREAD] [options: --keep-going]
// expect: all bug=memory executions=5 line=@owner [cc: -DTHREAD] [options: --keep-going]
// expect: - bug=memory executions=5 line=@owner [cc: -DTHREAD] [options: --keep-going --stateful]
// The last thread runs exit handlers on its own stack: no error.
// expect: - verified executions=2 [cc: -DHANDLER]
// expect: all verified executions=2 [cc: -DHANDLER]
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(atomic_int *) published;

static void *use(void *variable)
{
#ifdef UPDATE
	atomic_exchange((atomic_int *)variable, 1); // @use
#else
	*(atomic_int *)variable = 1; // @use
#endif
	return NULL;
}

static void *publish(void *unused)
{
	atomic_int local = 1;

	published = &local;
	return unused;
}

static void fill(volatile int *there, int value)
{
	for (int i = 0; i < 4; i++)
		there[i] = value;
}

static void handle_exit(void)
{
	int local[4];

	fill(local, 1);
	if (local[3] != 1)
		abort();
}

static void *do_nothing(void *unused)
{
	handle_exit();
	return unused;
}

int main(void)
{
	atomic_int local = 1;
	pthread_t thread;

#if defined THREAD
	pthread_create(&thread, NULL, publish, NULL);
	atomic_int *there = published;
	if (there)
		atomic_exchange(there, 1); // @owner
	pthread_join(thread, NULL);
	return 0;
#elif defined HANDLER
	atexit(handle_exit);
	pthread_create(&thread, NULL, do_nothing, NULL);
#else
	pthread_create(&thread, NULL, use, (void *)&local);
#endif
#ifdef DETACH
	pthread_detach(thread);
#endif
	(void)use, (void)publish, (void)do_nothing, (void)handle_exit;
	pthread_exit(NULL);
}
