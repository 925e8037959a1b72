// A write over a mutex that is held is found however many other mutexes there are (more than the runtime remembers).
// expect: optimal bug=lock,race executions=5 warns=lock line=@write [args: 50] [options: --keep-going]
// expect: optimal bug=lock,race executions=5 warns=lock line=@write [args: 5000] [options: --keep-going]
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, mutexes[5000], *last = mutexes;

static void *hold(void *unused)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(last);
	pthread_mutex_unlock(&gate);
	pthread_mutex_unlock(last);
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 50;
	pthread_t thread;

	for (int i = 0; i < count; i++) {
		last = &mutexes[i];
		pthread_mutex_init(last, NULL);
		pthread_mutex_lock(last);
		pthread_mutex_unlock(last);
	}
	pthread_create(&thread, NULL, hold, NULL);
	pthread_mutex_lock(&gate);
	memset(last, 0, sizeof *last); // @write
	pthread_mutex_unlock(&gate);
	pthread_join(thread, NULL);
}
