// Two threads wait on one condition variable for different things; one signal.  If it wakes the wrong one, which goes
// back to sleep, the right one sleeps for ever.
// expect: source bug=deadlock executions=13 line=@wait fork replay [options: --keep-going]
// expect: dpor bug=deadlock executions=13 line=@wait [options: --keep-going]
// expect: all bug=deadlock executions=22 line=@wait [options: --keep-going]
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static intptr_t stage;

static void *wait_for(void *wanted)
{
	pthread_mutex_lock(&mutex);
	while (stage < (intptr_t)wanted)
		pthread_cond_wait(&changed, &mutex); // @wait
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void advance(void)
{
	pthread_mutex_lock(&mutex);
	stage++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, wait_for, (void *)1);
	pthread_create(&t2, NULL, wait_for, (void *)2);
	advance();
	pthread_join(t1, NULL); // @wait
	advance();
	pthread_join(t2, NULL);
	return 0;
}
