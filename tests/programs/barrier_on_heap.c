// To leave a barrier is no use of its memory that orders anything: the race is found whoever comes last.
// expect: optimal bug=race executions=2 replay line=@first
// expect: optimal bug=race executions=3 line=@first [options: --keep-going]
// expect: source bug=race executions=3 line=@first [options: --keep-going]
// expect: dpor bug=race executions=3 line=@first [options: --keep-going]
// expect: all bug=race executions=69 line=@first [options: --keep-going]
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;
static int x;

static void *work(void *unused)
{
	pthread_barrier_wait(barrier);
	x = 2;
	return unused;
}

int main(void)
{
	pthread_t thread;

	barrier = malloc(sizeof *barrier);
	pthread_barrier_init(barrier, NULL, 2);
	pthread_create(&thread, NULL, work, NULL);
	if (pthread_barrier_wait(barrier)) {
		x = 1; // @first
		pthread_barrier_destroy(barrier);
		free(barrier);
	}
	pthread_join(thread, NULL);
	return 0;
}
