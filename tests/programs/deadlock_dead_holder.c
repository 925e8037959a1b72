// A thread ends with a lock in its hand; main, who must not wait for it, returns, and whoever waits for the lock does
// so for ever.  With WAIT main waits itself: then all threads that are left stand still.
// expect: source bug=deadlock,lock executions=2 line=@taken fork replay [options: --keep-going] [says: main.1 ends while it holds m (locked at deadlock_dead_holder.c:] [says: main.2 waits for m held by main.1, which has ended (locked at]
// expect: dpor bug=deadlock,lock executions=2 [options: --keep-going]
// expect: all bug=deadlock,lock executions=2 [options: --keep-going]
// expect: source bug=deadlock,lock executions=1 line=@wait replay [cc: -DWAIT] [says: both threads wait for ever: main waits for the end of main.2, main.2 waits for m held by main.1, which has ended]
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *forgetful(void *unused)
{
	pthread_mutex_lock(&m); // @taken
	return unused;
}

static void *patient(void *unused)
{
	pthread_mutex_lock(&m); // @wait
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, forgetful, NULL);
	pthread_create(&t2, NULL, patient, NULL);
	pthread_join(t1, NULL);
#ifdef WAIT
	pthread_join(t2, NULL); // @wait
#endif
	return 0;
}
