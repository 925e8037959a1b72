// Whom a signal wakes is open inside an atomic block as well: with two that wait, either.  The one that is not woken
// waits for ever, unless all are.  (Waiting threads come in two orders; the signal may come before one or both of them.)
// expect: - bug=assertion,deadlock executions=14 fork replay [options: --keep-going]
// expect: source bug=assertion,deadlock executions=14 blocked=0 [options: --keep-going]
// expect: dpor bug=assertion,deadlock executions=14 blocked=0 [options: --keep-going]
// expect: all bug=assertion,deadlock executions=50 [options: --keep-going]
// expect: - bug=assertion,deadlock executions=13 [options: --keep-going --stateful]
// expect: - bug=assertion,deadlock executions=14 [options: --keep-going --jobs=2]
// The same where both are known to wait: one execution for each of the two, and for each order of their coming.
// expect: - bug=assertion executions=6 blocked=3 line=@second [cc: -DBOTH] [options: --keep-going]
// expect: source bug=assertion executions=6 blocked=3 line=@second [cc: -DBOTH] [options: --keep-going]
// expect: dpor bug=assertion executions=6 blocked=3 line=@second [cc: -DBOTH] [options: --keep-going]
// expect: all bug=assertion executions=18 line=@second [cc: -DBOTH] [options: --keep-going]
// expect: - bug=assertion executions=19 line=@second [cc: -DBOTH] [options: --keep-going --stateful]
// The block has to wait, for a lock, and goes on with the signal.
// expect: - bug=assertion executions=28 blocked=14 line=@second [cc: -DBOTH -DWAITS] [options: --keep-going]
// expect: all bug=assertion executions=84 line=@second [cc: -DBOTH -DWAITS] [options: --keep-going]
// expect: - bug=assertion executions=14 line=@second [cc: -DBOTH -DWAITS] [options: --keep-going --stateful]
#include <assert.h>
#include <inspect.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static intptr_t waiting, woken;

static void *wait_once(void *number)
{
	pthread_mutex_lock(&mutex);
	waiting++;
	pthread_cond_wait(&changed, &mutex);
	if (!woken)
		woken = (intptr_t)number;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void signal_both(void)
{
	inspect_atomic_begin();
#ifdef WAITS
	pthread_mutex_lock(&mutex);
#endif
	inspect_assume(waiting == 2);
	pthread_cond_signal(&changed);
#ifdef WAITS
	pthread_mutex_unlock(&mutex);
#endif
	inspect_atomic_end();
}

static void signal_one(void)
{
	inspect_atomic_begin();
	pthread_cond_signal(&changed);
	inspect_atomic_end();
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, wait_once, (void *)1);
	pthread_create(&t2, NULL, wait_once, (void *)2);
#ifdef BOTH
	signal_both();
#else
	signal_one();
#endif
	(void)signal_one, (void)signal_both;
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(woken != 2); // @second
	return 0;
}
