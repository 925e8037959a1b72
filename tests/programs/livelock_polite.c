// Two threads that each take a lock, try the other's, and politely give up: they may do so for ever.
// expect: - bug=livelock executions=15 blocked=2 line=@try replay [options: --stateful --keep-going]
// expect: - verified executions=3 blocked=1 [options: --stateful] [cc: -DORDERED]
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	for (;;) {
		pthread_mutex_lock(first);
		if (!pthread_mutex_trylock(second)) // @try
			return;
		pthread_mutex_unlock(first);
	}
}

static void *eat(void *unused)
{
	(void)unused;
	take_both(&left, &right);
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	return NULL;
}

static void *drink(void *unused)
{
	(void)unused;
#ifdef ORDERED
	take_both(&left, &right);
#else
	take_both(&right, &left);
#endif
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&right);
	return NULL;
}

int main(void)
{
	pthread_t eater, drinker;

	pthread_create(&eater, NULL, eat, NULL);
	pthread_create(&drinker, NULL, drink, NULL);
	pthread_join(eater, NULL);
	pthread_join(drinker, NULL);
	return 0;
}
