// A thread exists in some schedules only; the others keep their names.
// expect: source bug=assertion executions=4 line=@both fork replay [options: --keep-going]
// expect: dpor bug=assertion executions=4 line=@both [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int started, helped;

static void *helper(void *unused)
{
	helped++;
	return unused;
}

static void *work(void *unused)
{
	pthread_t thread;

	if (atomic_load(&started)) {
		pthread_create(&thread, NULL, helper, NULL);
		pthread_join(thread, NULL);
	}
	started++;
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, work, NULL);
	pthread_create(&t2, NULL, work, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(helped == 1); // @both
	return 0;
}
