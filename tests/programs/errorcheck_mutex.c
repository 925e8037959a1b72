// An error-checking mutex says EDEADLK and EPERM instead of hanging or doing harm.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *misuse(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(pthread_mutex_lock(&mutex) == EDEADLK);
	assert(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_t t1, t2;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	assert(pthread_mutex_unlock(&mutex) == EPERM);
	pthread_create(&t1, NULL, misuse, NULL);
	pthread_create(&t2, NULL, misuse, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_mutex_destroy(&mutex);
	return 0;
}
