// trylock: succeeds when the mutex is free, else says EBUSY and the thread goes on.  Two orders in which both get the
// mutex, and two in which one finds it taken.
// expect: source verified executions=4 fork
// expect: dpor verified executions=4
// expect: all verified executions=25
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *attempt(void *unused)
{
	int error = pthread_mutex_trylock(&mutex);

	if (error) {
		assert(error == EBUSY);
		return unused;
	}
	assert(inside == 0);
	inside = 1;
	inside = 0;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, attempt, NULL);
	pthread_create(&t2, NULL, attempt, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
