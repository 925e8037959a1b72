// A gate: two threads wait for it to open, main opens it with a broadcast.
// expect: source verified executions=10 fork
// expect: dpor verified executions=10
// expect: all verified executions=25
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool open;

static void *pass(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!open)
		pthread_cond_wait(&opened, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, pass, NULL);
	pthread_create(&t2, NULL, pass, NULL);
	pthread_mutex_lock(&mutex);
	open = true;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&mutex);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
