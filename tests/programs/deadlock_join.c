// Threads that wait for the end of each other, in every schedule.
// expect: source bug=deadlock executions=1 line=@wait replay [says: join cycle: main waits for the end of main.1, main.1 waits for the end of main]
// expect: all bug=deadlock executions=1 line=@wait
// expect: source bug=deadlock executions=1 replay [cc: -DLOCK] [says: lock cycle: main waits for the end of main.1, main.1 waits for m held by main (locked at deadlock_join.c:]
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t main_thread;

static void *wait_for_main(void *unused)
{
#ifdef LOCK
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
#else
	pthread_join(main_thread, NULL); // @wait
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

	main_thread = pthread_self();
	pthread_mutex_lock(&m);
	pthread_create(&thread, NULL, wait_for_main, NULL);
	pthread_join(thread, NULL); // @wait
	pthread_mutex_unlock(&m);
	return 0;
}
