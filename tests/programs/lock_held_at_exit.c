// A thread that ends while it holds a lock is a bug even if nobody waits for it; main that returns with one is not.
// expect: source bug=lock executions=1 line=@taken fork replay [cc: -DWAY=1] [says: main.1 ends while it holds m (locked at lock_held_at_exit.c:]
// expect: all bug=lock executions=1 line=@taken [cc: -DWAY=1]
// expect: source bug=lock executions=2 line=@taken [options: --keep-going] [cc: -DWAY=2]
// expect: source bug=lock executions=1 line=@main replay [cc: -DWAY=3] [says: main ends while it holds m]
// expect: source bug=lock executions=1 line=@taken [cc: -DWAY=4] [says: main.1 ends while it holds r (locked at]
// expect: source verified executions=1 [cc: -DWAY=5]
// expect: source verified executions=4 [cc: -DWAY=6]
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static atomic_int leave;

static void *work(void *unused)
{
#if WAY == 1
	pthread_mutex_lock(&m); // @taken
#elif WAY == 2 /* only in some schedules */
	pthread_mutex_lock(&m); // @taken
	if (leave)
		pthread_exit(NULL);
	pthread_mutex_unlock(&m);
#elif WAY == 4 /* taken twice, released once */
	pthread_mutex_lock(&r); // @taken
	pthread_mutex_lock(&r);
	pthread_mutex_unlock(&r);
#elif WAY == 3 || WAY == 5
	pthread_mutex_lock(&r);
	pthread_mutex_lock(&r);
	pthread_mutex_unlock(&r);
	pthread_mutex_unlock(&r);
#elif WAY == 6 /* the process ends, and every lock with it */
	pthread_mutex_lock(&m);
	exit(0);
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

#if WAY == 3
	pthread_mutex_lock(&m); // @main
#endif
	pthread_create(&thread, NULL, work, NULL);
#if WAY == 2
	leave = 1;
#elif WAY == 3
	pthread_exit(NULL);
#elif WAY == 6
	pthread_mutex_lock(&r);
	return 0;
#endif
	pthread_join(thread, NULL);
	return 0;
}
