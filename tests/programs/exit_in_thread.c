// A thread ends the whole process while another one is still at work: whether the work is done depends on the schedule.
// The process ends before the store, or after it.
// expect: source bug=exit executions=5 fork [options: --keep-going]
// expect: dpor bug=exit executions=5 [options: --keep-going]
// expect: all bug=exit executions=6 [options: --keep-going]
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int done;

static void *work(void *unused)
{
	done = 1;
	return unused;
}

static void *leave(void *unused)
{
	(void)unused;
	exit(done);
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, work, NULL);
	pthread_create(&t2, NULL, leave, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
