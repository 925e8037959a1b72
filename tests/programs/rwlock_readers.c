// A writer among two readers, one of which only tries: in any order, and in both orders of the counter.
// expect: source verified executions=12 blocked=1
// expect: dpor verified executions=12 blocked=1
// expect: all verified executions=651
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int counter;

static void *try_to_read(void *unused)
{
	atomic_fetch_add(&counter, 1);
	if (pthread_rwlock_tryrdlock(&lock) == 0)
		pthread_rwlock_unlock(&lock);
	return unused;
}

static void *read_it(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	return unused;
}

static void *write_it(void *unused)
{
	atomic_fetch_add(&counter, 1);
	pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	void *(*const roles[])(void *) = {try_to_read, read_it, write_it};
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, roles[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
