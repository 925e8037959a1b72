// An increment made of an atomic load and an atomic store: no race, and still a lost update.
// expect: source bug=assertion executions=4 line=@lost fork replay [options: --keep-going]
// expect: dpor bug=assertion executions=4 line=@lost [options: --keep-going]
// expect: all bug=assertion executions=10 line=@lost [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *unused)
{
	atomic_store(&counter, atomic_load(&counter) + 1);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, increment, NULL);
	pthread_create(&t2, NULL, increment, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(counter == 2); // @lost
	return 0;
}
