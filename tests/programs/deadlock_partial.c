// Two detached threads wait for each other for ever while main goes on and returns, before or after each operation
// of theirs: there are 20 different beginnings of what the two do, one of which is the deadlock.
// expect: source bug=deadlock executions=20 line=@wait fork replay [options: --keep-going] [says: can never go on, although the program ends] [says: lock cycle: main.1 waits for b held by main.2 (locked at deadlock_partial.c:]
// expect: dpor bug=deadlock executions=20 line=@wait [options: --keep-going]
// expect: all bug=deadlock executions=631 line=@wait [options: --keep-going]
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
	pthread_detach(t1);
	pthread_detach(t2);
	return 0;
}
