// Functions that are not modelled are refused by name and line, never passed through.
// expect: source error line=@atfork [says: pthread_atfork] [cc: -DWAY=1]
// expect: source error line=@sigqueue [says: pthread_sigqueue] [cc: -DWAY=2]
// expect: source error line=@shared [says: shared between processes] [cc: -DWAY=3]
// expect: source error line=@fork [says: clone] [cc: -DWAY=4]
// expect: source error line=@stack [says: stack] [cc: -DWAY=5]
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#if WAY == 5
static void *run(void *unused)
{
	return unused;
}
#endif

int main(void)
{
#if WAY == 1
	pthread_atfork(NULL, NULL, NULL); // @atfork
#elif WAY == 2
	pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){.sival_int = 0}); // @sigqueue
#elif WAY == 3
	static sem_t semaphore;

	sem_init(&semaphore, 1, 0); // @shared
#elif WAY == 4
	return fork() == 0; // @fork
#elif WAY == 5
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 20);
	pthread_create(&thread, &attributes, run, NULL); // @stack
	pthread_join(thread, NULL);
#endif
	return 0;
}
