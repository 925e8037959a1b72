// expect: optimal verified executions=6
// expect: source verified executions=6
// expect: dpor verified executions=6 blocked=1
// expect: optimal verified executions=6 [options: --seed=3]
// expect: source verified executions=6 [options: --seed=3]
// expect: dpor verified executions=6 blocked=1 [options: --seed=3]
// expect: optimal verified executions=6 [options: --seed=8]
// expect: source verified executions=6 [options: --seed=8]
// expect: optimal verified executions=6 [options: --spurious-wakeups --timeouts=never]
// expect: all verified executions=53
/*
 * A wait with a time limit: the signal comes before it, ends it, or comes when the time was up.  Each with
 * the third thread before or after the end of the process.  That the time could have been up before the signal came that
 * ended the wait does not show in the execution.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int unrelated;

static void *wait_for_it(void *unused)
{
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&cond, &mutex, &soon);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *look(void *unused)
{
	atomic_load(&unrelated);
	return unused;
}

int main(void)
{
	pthread_t waiter, other;

	pthread_create(&waiter, NULL, wait_for_it, NULL);
	pthread_create(&other, NULL, look, NULL);
	pthread_cond_signal(&cond);
	pthread_join(waiter, NULL);
	_Exit(0);
}
