// Time begins anew with each execution, whichever thread ended the one before.
// expect: source bug=assertion executions=3 [options: --keep-going]
// expect: dpor bug=assertion executions=3 [options: --keep-going]
// expect: all bug=assertion executions=3 [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_int value;

static void *wait_and_look(void *unused)
{
	sleep(1);
	assert(value == 1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	time_t start = time(NULL);

	if (start != 1000000000)
		exit(1);
	pthread_create(&thread, NULL, wait_and_look, NULL);
	value = 1;
	pthread_join(thread, NULL);
	return 0;
}
