// Detached threads, detached by the creator, by themselves or by an attribute: main waits for them with a condition.
// expect: source verified executions=6 fork
// expect: dpor verified executions=6
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running = 2;

static void *work(void *detach)
{
	if (detach)
		pthread_detach(pthread_self());
	pthread_mutex_lock(&mutex);
	if (--running == 0)
		pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attributes, work, NULL);
	pthread_attr_destroy(&attributes);
	pthread_create(&thread, NULL, work, &running);
	pthread_mutex_lock(&mutex);
	while (running > 0)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return 0;
}
