// main leaves with pthread_exit: the process ends with the last thread, which is any of the three, with status 0.
// expect: source verified executions=6 fork [options: --exit-status=zero]
// expect: dpor verified executions=6 blocked=2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, work, NULL);
	pthread_create(&t2, NULL, work, NULL);
	pthread_exit(NULL);
}
