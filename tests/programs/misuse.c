// What POSIX leaves undefined is a finding, not an error code that nobody looks at.
// expect: source bug=lock executions=1 line=@use [cc: -DWAY=1] [says: joined already: thread]
// expect: source bug=lock executions=1 line=@use [cc: -DWAY=2] [says: detached thread]
// expect: source bug=lock executions=1 line=@use [cc: -DWAY=3] [says: was destroyed: mutex]
// expect: source bug=lock executions=1 line=@use [cc: -DWAY=4] [says: locked more than once]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=5] [says: free already]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=6] [says: did not return]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=7] [says: free already]
// expect: source bug=lock executions=1 line=@use [cc: -DWAY=8] [says: that is held: mutex]
// expect: source bug=crash executions=1 line=@use [cc: -DWAY=9] [says: SIGTERM]
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	pthread_t thread;
	char *volatile block = malloc(8);

	pthread_create(&thread, NULL, nothing, NULL);
#if WAY == 1
	pthread_join(thread, NULL);
	pthread_join(thread, NULL); // @use
#elif WAY == 2
	pthread_detach(thread);
	pthread_join(thread, NULL); // @use
#elif WAY == 3
	pthread_mutex_destroy(&mutex);
	pthread_mutex_lock(&mutex); // @use
#elif WAY == 4
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&cond, &mutex); // @use
#elif WAY == 5
	free(block);
	free(block); // @use
#elif WAY == 6
	free(block + 1); // @use
#elif WAY == 7
	free(block);
	block = realloc(block, 100); // @use
#elif WAY == 8
	pthread_mutex_lock(&mutex);
	pthread_mutex_destroy(&mutex); // @use
#elif WAY == 9
	raise(SIGTERM); // @use
#endif
	(void)cond;
	return 0;
}
