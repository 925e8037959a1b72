// Condition variables: waiting, waking, and what must not be done with them.
// covers: pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_signal pthread_cond_broadcast
// misuse: pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_signal pthread_cond_broadcast
// expect: source verified executions=2 [args: message]
// expect: dpor verified executions=2 [args: message]
// expect: all verified executions=2 [args: message]
// expect: source verified executions=6 [args: message] [options: --spurious-wakeups]
// expect: dpor verified executions=6 [args: message] [options: --spurious-wakeups]
// expect: all verified executions=10 [args: message] [options: --spurious-wakeups]
// expect: source verified executions=2 [args: message_if]
// expect: dpor verified executions=2 [args: message_if]
// expect: all verified executions=2 [args: message_if]
// expect: source bug=assertion executions=4 [args: message_if] [options: --spurious-wakeups --keep-going] line=@message_if
// expect: dpor bug=assertion executions=4 [args: message_if] [options: --spurious-wakeups --keep-going] line=@message_if
// expect: all bug=assertion executions=6 [args: message_if] [options: --spurious-wakeups --keep-going] line=@message_if
// expect: source verified executions=39 [args: signal_wakes_one]
// expect: dpor verified executions=39 [args: signal_wakes_one]
// expect: all verified executions=435 [args: signal_wakes_one]
// expect: source bug=deadlock executions=2 [args: signal_is_lost] [options: --keep-going] line=@waiting
// expect: dpor bug=deadlock executions=2 [args: signal_is_lost] [options: --keep-going] line=@waiting
// expect: all bug=deadlock executions=3 [args: signal_is_lost] [options: --keep-going] line=@waiting
// expect: source verified executions=55 [args: broadcast_wakes_all]
// expect: dpor verified executions=55 [args: broadcast_wakes_all]
// expect: all verified executions=999 [args: broadcast_wakes_all]
// expect: source verified executions=2 [args: reuse]
// expect: dpor verified executions=2 [args: reuse]
// expect: all verified executions=2 [args: reuse]
// expect: source bug=lock executions=1 line=@wait_unlocked [args: wait_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@wait_others_mutex [args: wait_others_mutex] [says: does not hold]
// expect: source bug=lock executions=1 line=@wait_relocked [args: wait_relocked] [says: locked more than once]
// expect: source bug=lock executions=2 [args: two_mutexes] [options: --keep-going] line=@two_mutexes [says: another mutex]
// expect: dpor bug=lock executions=2 [args: two_mutexes] [options: --keep-going] line=@two_mutexes [says: another mutex]
// expect: all bug=lock executions=6 [args: two_mutexes] [options: --keep-going] line=@two_mutexes [says: another mutex]
// expect: source bug=lock executions=6 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits on]
// expect: dpor bug=lock executions=6 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits on]
// expect: all bug=lock executions=16 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits on]
// expect: source bug=lock executions=1 line=@destroy_destroyed [args: destroy_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@wait_destroyed [args: wait_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@signal_destroyed [args: signal_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@broadcast_destroyed [args: broadcast_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@init_twice [args: init_twice] [says: initialised already]
// expect: source bug=lock executions=1 line=@wait_garbage [args: wait_garbage] [says: never initialised]
// expect: source bug=lock executions=1 line=@signal_garbage [args: signal_garbage] [says: never initialised]
// expect: source bug=lock executions=1 line=@broadcast_garbage [args: broadcast_garbage] [says: never initialised]
// expect: source bug=lock executions=1 line=@destroy_garbage [args: destroy_garbage] [says: never initialised]
// expect: source bug=crash executions=1 line=@wait_null [args: wait_null]
// expect: source bug=crash executions=1 line=@wait_null_mutex [args: wait_null_mutex]
// expect: source bug=crash executions=1 line=@signal_null [args: signal_null]
// expect: source bug=crash executions=1 line=@broadcast_null [args: broadcast_null]
// expect: source bug=crash executions=1 line=@init_null [args: init_null]
// expect: source bug=crash executions=1 line=@init_bad_attributes [args: init_bad_attributes]
// expect: source bug=crash executions=1 line=@destroy_null [args: destroy_null]
// expect: source bug=lock executions=10 [args: two_mutexes_timed] [options: --keep-going] line=@two_mutexes_timed [says: another mutex]
// expect: dpor bug=lock executions=10 [args: two_mutexes_timed] [options: --keep-going] line=@two_mutexes_timed [says: another mutex]
// expect: all bug=lock executions=156 [args: two_mutexes_timed] [options: --keep-going] line=@two_mutexes_timed [says: another mutex]
#include "api.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, woken;

static void *set_ready(void *unused)
{
	pthread_mutex_lock(&mutex);
	ready = 1;
	assert(pthread_cond_signal(&cond) == 0);
	pthread_mutex_unlock(&mutex);
	return unused;
}

CASE(message)
{
	pthread_t thread = start(set_ready, NULL);

	pthread_mutex_lock(&mutex);
	while (!ready)
		assert(pthread_cond_wait(&cond, &mutex) == 0);
	pthread_mutex_unlock(&mutex);
	finish(thread);
}

CASE(message_if)
{
	pthread_t thread = start(set_ready, NULL);

	pthread_mutex_lock(&mutex);
	if (!ready)
		assert(pthread_cond_wait(&cond, &mutex) == 0);
	assert(ready); // @message_if
	pthread_mutex_unlock(&mutex);
	finish(thread);
}

static void *wait_once(void *unused)
{
	pthread_mutex_lock(&mutex);
	ready++;
	assert(pthread_cond_wait(&cond, &mutex) == 0); // @waiting
	woken++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* Whoever is woken by the first signal, the second one finds the other. */
CASE(signal_wakes_one)
{
	pthread_t first = start(wait_once, NULL), second = start(wait_once, NULL);

	for (int i = 0; i < 2;) {
		pthread_mutex_lock(&mutex);
		if (ready == 2) {
			assert(pthread_cond_signal(&cond) == 0);
			i++;
		}
		bool both = ready == 2;
		pthread_mutex_unlock(&mutex);
		if (!both) { /* too early: this is another program then */
			pthread_detach(first);
			pthread_detach(second);
			return;
		}
	}
	finish(first);
	finish(second);
	assert(woken == 2);
}

CASE(signal_is_lost)
{
	pthread_t thread = start(wait_once, NULL);

	assert(pthread_cond_signal(&cond) == 0);
	pthread_join(thread, NULL);
}

CASE(broadcast_wakes_all)
{
	pthread_t first = start(wait_once, NULL), second = start(wait_once, NULL);

	pthread_mutex_lock(&mutex);
	int waiting = ready;
	assert(pthread_cond_broadcast(&cond) == 0);
	pthread_mutex_unlock(&mutex);
	if (waiting < 2) {
		pthread_detach(first);
		pthread_detach(second);
		return;
	}
	finish(first);
	finish(second);
	assert(woken == 2);
}

CASE(reuse)
{
	pthread_cond_t local;

	for (int i = 0; i < 2; i++) {
		assert(pthread_cond_init(&local, NULL) == 0);
		assert(pthread_cond_signal(&local) == 0 && pthread_cond_broadcast(&local) == 0);
		assert(pthread_cond_destroy(&local) == 0);
	}
	assert(pthread_cond_destroy(&cond) == 0);
	assert(pthread_cond_init(&cond, NULL) == 0);
	message();
}

static void *lock_and_end(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

static pthread_mutex_t *others(void)
{
	finish(start(lock_and_end, NULL));
	return &mutex;
}

static pthread_mutex_t *held(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	return lock;
}

static pthread_mutex_t *held_twice(void)
{
	return held(held(&recursive));
}

static void *wait_with_other(void *unused)
{
	pthread_mutex_lock(&other);
	pthread_cond_wait(&cond, &other); // @two_mutexes
	pthread_mutex_unlock(&other);
	return unused;
}

CASE(two_mutexes)
{
	start(wait_with_other, NULL);
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&cond, &mutex); // @two_mutexes
}

static void *wait_for_other_time(void *unused)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	pthread_mutex_lock(&other);
	pthread_cond_timedwait(&cond, &other, &until); // @two_mutexes_timed
	pthread_mutex_unlock(&other);
	return unused;
}

/* Wrong only if both wait at the same time. */
CASE(two_mutexes_timed)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);
	pthread_t thread = start(wait_for_other_time, NULL);

	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&cond, &mutex, &until); // @two_mutexes_timed
	pthread_mutex_unlock(&mutex);
	finish(thread);
}

CASE(destroy_waited)
{
	pthread_t thread = start(wait_once, NULL);

	pthread_mutex_lock(&mutex);
	if (ready)
		pthread_cond_destroy(&cond); // @destroy_waited
	pthread_mutex_unlock(&mutex);
	pthread_detach(thread);
}

static pthread_cond_t *destroyed(void)
{
	pthread_cond_destroy(&cond);
	return &cond;
}

static pthread_cond_t *initialised(void)
{
	pthread_cond_init(&cond, NULL);
	return &cond;
}

static pthread_cond_t *garbage(void)
{
	return memset(&cond, 0xff, sizeof cond);
}

MISUSE(wait_unlocked, pthread_cond_wait(&cond, &mutex)); // @wait_unlocked
MISUSE(wait_others_mutex, pthread_cond_wait(&cond, others())); // @wait_others_mutex
MISUSE(wait_relocked, pthread_cond_wait(&cond, held_twice())); // @wait_relocked
MISUSE(destroy_destroyed, pthread_cond_destroy(destroyed())); // @destroy_destroyed
MISUSE(wait_destroyed, pthread_cond_wait(destroyed(), held(&mutex))); // @wait_destroyed
MISUSE(signal_destroyed, pthread_cond_signal(destroyed())); // @signal_destroyed
MISUSE(broadcast_destroyed, pthread_cond_broadcast(destroyed())); // @broadcast_destroyed
MISUSE(init_twice, pthread_cond_init(initialised(), NULL)); // @init_twice
MISUSE(wait_garbage, pthread_cond_wait(garbage(), held(&mutex))); // @wait_garbage
MISUSE(signal_garbage, pthread_cond_signal(garbage())); // @signal_garbage
MISUSE(broadcast_garbage, pthread_cond_broadcast(garbage())); // @broadcast_garbage
MISUSE(destroy_garbage, pthread_cond_destroy(garbage())); // @destroy_garbage
MISUSE(wait_null, pthread_cond_wait(NULL, held(&mutex))); // @wait_null
MISUSE(wait_null_mutex, pthread_cond_wait(&cond, NULL)); // @wait_null_mutex
MISUSE(signal_null, pthread_cond_signal(NULL)); // @signal_null
MISUSE(broadcast_null, pthread_cond_broadcast(NULL)); // @broadcast_null
MISUSE(init_null, pthread_cond_init(NULL, NULL)); // @init_null
MISUSE(init_bad_attributes, pthread_cond_init(&cond, (void *)8)); // @init_bad_attributes
MISUSE(destroy_null, pthread_cond_destroy(NULL)); // @destroy_null
