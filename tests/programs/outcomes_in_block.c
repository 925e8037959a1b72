// Other operations with several outcomes inside an atomic block: a function that may be a cancellation point (the thread is
// cancelled there or not), and whom a futex wakes.
// expect: - bug=assertion executions=3 line=@reached replay [options: --keep-going] [cc: -DCASE=1]
// expect: source bug=assertion executions=3 line=@reached [options: --keep-going] [cc: -DCASE=1]
// expect: dpor bug=assertion executions=3 line=@reached [options: --keep-going] [cc: -DCASE=1]
// expect: all bug=assertion executions=5 line=@reached [options: --keep-going] [cc: -DCASE=1]
// expect: - bug=assertion executions=5 line=@reached [options: --keep-going --stateful] [cc: -DCASE=1]
// expect: - bug=assertion executions=4 blocked=2 line=@woken [options: --keep-going] [cc: -DCASE=2]
// expect: all bug=assertion executions=6 line=@woken [options: --keep-going] [cc: -DCASE=2]
// expect: - bug=assertion executions=6 line=@woken [options: --keep-going --stateful] [cc: -DCASE=2]
#define _GNU_SOURCE
#include <assert.h>
#include <inspect.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#if CASE == 1
static int reached;

static void *run(void *unused)
{
	inspect_atomic_begin();
	puts("x");
	reached = 1;
	inspect_atomic_end();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	assert(!reached); // @reached
	return 0;
}
#else
static atomic_int word, waiting;
static atomic_intptr_t first;

static long futex(int operation, int value)
{
	return syscall(SYS_futex, &word, operation, value, NULL, NULL, 0);
}

static void *run(void *number)
{
	inspect_atomic_begin();
	waiting++;
	futex(FUTEX_WAIT, 0);
	if (!first)
		first = (intptr_t)number;
	futex(FUTEX_WAKE, 1);
	inspect_atomic_end();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	inspect_atomic_begin();
	inspect_assume(waiting == 2);
	futex(FUTEX_WAKE, 1);
	inspect_atomic_end();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(first != 2); // @woken
	return 0;
}
#endif
