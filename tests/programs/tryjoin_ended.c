// Whether a thread has ended by the time that somebody asks: also when in the first execution it has.
// expect: source bug=assertion executions=3 [options: --keep-going]
// expect: dpor bug=assertion executions=3 [options: --keep-going]
// expect: all bug=assertion executions=5 [options: --keep-going]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void *end(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, end, NULL);
	pthread_create(&second, NULL, end, NULL);
	pthread_join(second, NULL);
	assert(pthread_tryjoin_np(first, NULL) == 0);
	return 0;
}
