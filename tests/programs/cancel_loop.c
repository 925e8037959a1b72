// A thread that does nothing but come to cancellation points: others move all the same, and one of them cancels it.
//   CASE 1: it writes to memory of its own       2: nothing at all       3: it sleeps      4: nobody cancels it
// expect: optimal bug=race executions=1 line=@race replay [cc: -DCASE=1]
// expect: all bug=race executions=1 line=@race [cc: -DCASE=1]
// expect: - bug=race executions=1 line=@race [cc: -DCASE=1] [options: --stateful]
// expect: optimal bug=race executions=4 blocked=4 line=@race [cc: -DCASE=2] [options: --keep-going]
// expect: all bug=race executions=720 blocked=840 line=@race [cc: -DCASE=2] [options: --keep-going]
// expect: - bug=race executions=22 blocked=2 line=@race [cc: -DCASE=2] [options: --keep-going --stateful]
// expect: optimal verified executions=1 blocked=1 [cc: -DCASE=3]
// expect: source verified executions=1 blocked=1 [cc: -DCASE=3]
// expect: all verified executions=20 blocked=10 [cc: -DCASE=3]
// expect: - verified executions=3 blocked=1 [cc: -DCASE=3] [options: --stateful]
// expect: optimal verified executions=1 blocked=0 [cc: -DCASE=4]
// expect: - verified executions=1 [cc: -DCASE=4] [options: --stateful]
#include <pthread.h>
#include <unistd.h>

static int shared;

static void *loop(void *unused)
{
	for (;;) {
#if CASE == 1
		volatile int own = 1;
		(void)own;
#endif
#if CASE == 2
		pthread_testcancel();
#else
		usleep(1000);
#endif
	}
	return unused;
}

static void *other(void *unused)
{
#if CASE < 3
	shared++; // @race
#endif
	return unused;
}

int main(void)
{
	pthread_t looping, thread;

	pthread_create(&looping, NULL, loop, NULL);
	pthread_create(&thread, NULL, other, NULL);
	shared++; // @race
	pthread_join(thread, NULL);
#if CASE == 4
	return 0;
#endif
	pthread_cancel(looping);
	pthread_join(looping, NULL);
}
