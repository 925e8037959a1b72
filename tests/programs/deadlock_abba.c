// Two threads take two locks in opposite order: two good orders and the deadlock.
// expect: source bug=deadlock executions=3 line=@wait fork replay [options: --keep-going]
// expect: dpor bug=deadlock executions=3 line=@wait [options: --keep-going]
// expect: all bug=deadlock executions=13 line=@wait [options: --keep-going]
// expect: - bug=deadlock executions=2 line=@wait
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); // @wait
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return unused;
}

static void *second(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); // @wait
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL); // @wait
	pthread_join(t2, NULL); // @wait
	return 0;
}
