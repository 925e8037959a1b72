// Two threads that write while each holds the lock for reading: the report says so.
// expect: - bug=race executions=1 replay line=@write [says: read-locked at]
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int hits;

static void *look(void *argument)
{
	pthread_rwlock_rdlock(&lock);
	hits++; // @write
	pthread_rwlock_unlock(&lock);
	return argument;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
