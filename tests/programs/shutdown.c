// Threads that wait when the program ends are the usual way to shut down, not a deadlock: on a condition variable, for
// a lock that a living thread holds, for the end of a thread that waits so, for a lock that such a thread holds.
// What the end comes before or after matters less where only one thread looks at `items`: compare --all-visible.
// expect: source verified executions=3 [cc: -DWAY=1]
// expect: all verified executions=3 [cc: -DWAY=1]
// expect: source verified executions=1 [cc: -DWAY=2]
// expect: source verified executions=3 [cc: -DWAY=3]
// expect: source verified executions=9 [cc: -DWAY=4]
// expect: all verified executions=9 [cc: -DWAY=4]
// expect: source verified executions=4 [cc: -DWAY=1] [options: --all-visible]
// expect: source verified executions=11 [cc: -DWAY=4] [options: --all-visible]
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int items;

/* Waits for work that never comes, in WAY 4 with another lock in its hand. */
static void *worker(void *unused)
{
#if WAY == 4
	pthread_mutex_lock(&n);
#endif
	pthread_mutex_lock(&m);
	while (!items)
		pthread_cond_wait(&work, &m);
	pthread_mutex_unlock(&m);
	return unused;
}

static void *second(void *first)
{
#if WAY == 3
	pthread_join(*(pthread_t *)first, NULL);
#else
	pthread_mutex_lock(&n);
	pthread_mutex_unlock(&n);
#endif
	return first;
}

int main(void)
{
	static pthread_t t1, t2;

#if WAY == 2
	pthread_mutex_lock(&m);
#endif
	pthread_create(&t1, NULL, worker, NULL);
#if WAY >= 3
	pthread_create(&t2, NULL, second, &t1);
#endif
	return 0;
}
