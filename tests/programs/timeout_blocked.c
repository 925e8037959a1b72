// Who waits in vain and then gives up could as well have come first.
// expect: source bug=assertion,deadlock executions=4 [args: mutex] [options: --keep-going --timeouts=last-resort]
// expect: dpor bug=assertion,deadlock executions=4 [args: mutex] [options: --keep-going --timeouts=last-resort]
// expect: all bug=assertion,deadlock executions=36 [args: mutex] [options: --keep-going --timeouts=last-resort]
// expect: source bug=assertion,deadlock executions=6 [args: read] [options: --keep-going --timeouts=last-resort]
// expect: dpor bug=assertion,deadlock executions=6 [args: read] [options: --keep-going --timeouts=last-resort]
// expect: all bug=assertion,deadlock executions=540 [args: read] [options: --keep-going --timeouts=last-resort]
// expect: source bug=assertion,deadlock executions=6 [args: semaphore] [options: --keep-going --timeouts=last-resort]
// expect: dpor bug=assertion,deadlock executions=6 [args: semaphore] [options: --keep-going --timeouts=last-resort]
// expect: all bug=assertion,deadlock executions=540 [args: semaphore] [options: --keep-going --timeouts=last-resort]
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, never = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static const char *which;
static const struct timespec later = {.tv_sec = 2000000000};

/* Not by ending: a mutex that is held then is a finding of its own. */
static void keep_for_ever(void)
{
	pthread_mutex_lock(&never);
	pthread_cond_wait(&nobody, &never);
}

static void *take(void *unused)
{
	if (*which == 'm')
		pthread_mutex_lock(&mutex);
	else if (*which == 'r')
		pthread_rwlock_wrlock(&lock);
	else
		sem_wait(&semaphore);
	keep_for_ever();
	return unused;
}

static void *try_for_a_while(void *unused)
{
	int error;

	if (*which == 'm')
		error = pthread_mutex_timedlock(&mutex, &later);
	else if (*which == 'r')
		error = pthread_rwlock_timedrdlock(&lock, &later);
	else
		error = sem_timedwait(&semaphore, &later);
	assert(error);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	which = argc > 1 ? argv[1] : "mutex";
	sem_init(&semaphore, 0, 1);
	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, try_for_a_while, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
