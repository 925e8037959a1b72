/*
 * Check, then act: atomicity is more than the absence of races.
 *
 * Every access to `seats` is under the mutex, so there is no data race.  But the
 * check and the sale are two critical sections, and the last seat can be sold
 * twice between them.  The repair: one critical section (-DFIXED).
 *
 *     inspect check examples/check_then_act.c
 *     inspect check -DFIXED examples/check_then_act.c
 */
// expect: source bug=assertion executions=8 line=@oversold [options: --keep-going]
// expect: source verified executions=2 [cc: -DFIXED]
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int seats = 1;

#ifdef FIXED
static void book(void)
{
	pthread_mutex_lock(&mutex);
	if (seats > 0)
		seats--;
	assert(seats >= 0);
	pthread_mutex_unlock(&mutex);
}
#else
static bool available(void)
{
	pthread_mutex_lock(&mutex);
	bool any = seats > 0;
	pthread_mutex_unlock(&mutex);
	return any;
}

static void sell(void)
{
	pthread_mutex_lock(&mutex);
	seats--;
	assert(seats >= 0); // @oversold
	pthread_mutex_unlock(&mutex);
}

static void book(void)
{
	if (available())
		sell();
}
#endif

static void *customer(void *unused)
{
	book();
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, customer, NULL);
	pthread_create(&t2, NULL, customer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
