// Unlocking a normal mutex that one does not hold is misuse.
// expect: source bug=lock executions=1 line=@unlock fork replay [options: --keep-going] [cc: -DWAY=1]
// expect: source bug=lock executions=1 line=@unlock replay [cc: -DWAY=2]
// expect: source bug=lock executions=1 line=@destroy [cc: -DWAY=3]
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *unlock(void *unused)
{
	pthread_mutex_unlock(&mutex); // @unlock
	return unused;
}

int main(void)
{
	pthread_t thread;

#if WAY != 2
	pthread_mutex_lock(&mutex);
#endif
#if WAY == 3
	pthread_mutex_destroy(&mutex); // @destroy
#endif
	pthread_create(&thread, NULL, unlock, NULL);
	pthread_join(thread, NULL);
	return 0;
}
