// The two-class database of the 2009 dissertation on Inspect, figure 3.2: operations of one class may run together,
// of both classes may not.  The bug: a thread waits for `lock` while it holds `mutex`.
// expect: source bug=deadlock executions=4 line=@wait fork replay [options: --keep-going]
// expect: dpor bug=deadlock executions=4 line=@wait [options: --keep-going]
// expect: all bug=deadlock executions=10 line=@wait [options: --keep-going]
// expect: source bug=deadlock executions=2 line=@wait replay
// expect: - bug=deadlock executions=2 line=@wait
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a_count, b_count;

static void *class_a(void *unused)
{
	pthread_mutex_lock(&mutex); // @wait
	a_count++;
	if (a_count == 1)
		pthread_mutex_lock(&lock); // @wait
	pthread_mutex_unlock(&mutex);
	/* here the class A operation is performed */
	pthread_mutex_lock(&mutex); // @wait
	a_count--;
	if (a_count == 0)
		pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *class_b(void *unused)
{
	pthread_mutex_lock(&mutex); // @wait
	b_count++;
	if (b_count == 1)
		pthread_mutex_lock(&lock); // @wait
	pthread_mutex_unlock(&mutex);
	/* here the class B operation is performed */
	pthread_mutex_lock(&mutex); // @wait
	b_count--;
	if (b_count == 0)
		pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, class_a, NULL);
	pthread_create(&b, NULL, class_b, NULL);
	pthread_join(a, NULL); // @wait
	pthread_join(b, NULL); // @wait
	return 0;
}
