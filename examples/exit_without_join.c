/*
 * Leaving without waiting.
 *
 * main asks for the result before the worker has ended: the exit status depends
 * on the schedule.  Inspect runs the end of the process against every step of
 * the threads that are left.  The repair: join first (-DJOIN).
 *
 *     inspect check examples/exit_without_join.c
 *     inspect check -DJOIN examples/exit_without_join.c
 */
// expect: source bug=exit executions=3 [options: --keep-going]
// expect: source verified executions=1 [cc: -DJOIN]
#include <pthread.h>
#include <stdatomic.h>

static atomic_int result = 1;

static void *work(void *unused)
{
	result = 0;
	return unused;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, NULL, work, NULL);
#ifdef JOIN
	pthread_join(worker, NULL);
#endif
	return result;
}
