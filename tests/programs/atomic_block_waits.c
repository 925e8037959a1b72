// An atomic block that has to wait lets others in; one that comes when it need not wait does not.
// expect: source bug=assertion executions=6 blocked=4 [options: --keep-going]
// expect: dpor bug=assertion executions=6 blocked=4 [options: --keep-going]
// expect: all bug=assertion executions=16 [options: --keep-going]
#include <assert.h>
#include <inspect.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun, met;

static void *run_block(void *unused)
{
	inspect_atomic_begin();
	begun = 1;
	pthread_mutex_lock(&mutex);
	assert(!met);
	pthread_mutex_unlock(&mutex);
	inspect_atomic_end();
	return unused;
}

static void *meet(void *unused)
{
	if (begun)
		met = 1;
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_mutex_lock(&mutex);
	pthread_create(&a, NULL, run_block, NULL);
	pthread_create(&b, NULL, meet, NULL);
	pthread_mutex_unlock(&mutex);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
