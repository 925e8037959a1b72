// Waiting on a condition variable with a robust mutex: its owner may have died when it is taken again.
// covers: pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait
// expect: - verified executions=2 [args: signalled_by_the_dead]
// expect: source verified executions=2 [args: signalled_by_the_dead]
// expect: dpor verified executions=2 [args: signalled_by_the_dead]
// expect: all verified executions=2 [args: signalled_by_the_dead]
// expect: - verified executions=2 [args: signalled_by_the_dead] [options: --stateful]
// expect: - verified executions=10 [args: two_woken]
// expect: source verified executions=10 [args: two_woken]
// expect: dpor verified executions=10 [args: two_woken]
// expect: all verified executions=25 [args: two_woken]
// expect: - verified executions=10 [args: two_woken] [options: --stateful]
// expect: - verified executions=10 [args: not_repaired]
// expect: source verified executions=10 [args: not_repaired]
// expect: dpor verified executions=10 [args: not_repaired]
// expect: all verified executions=20 [args: not_repaired]
// expect: - verified executions=10 [args: not_repaired] [options: --stateful]
// expect: - bug=assertion executions=5 [args: waiting_loses_it] [options: --keep-going] line=@waiting_loses_it
// expect: source bug=assertion executions=5 [args: waiting_loses_it] [options: --keep-going] line=@waiting_loses_it
// expect: dpor bug=assertion executions=5 [args: waiting_loses_it] [options: --keep-going] line=@waiting_loses_it
// expect: all bug=assertion executions=6 [args: waiting_loses_it] [options: --keep-going] line=@waiting_loses_it
// expect: - bug=assertion executions=6 [args: waiting_loses_it] [options: --stateful --keep-going] line=@waiting_loses_it
// expect: - verified executions=2 [args: timed]
// expect: source verified executions=2 [args: timed]
// expect: dpor verified executions=2 [args: timed]
// expect: all verified executions=4 [args: timed]
// expect: - verified executions=2 [args: timed] [options: --stateful]
// expect: - bug=assertion executions=2 [args: ignored] [options: --keep-going] line=@ignored
// expect: source bug=assertion executions=2 [args: ignored] [options: --keep-going] line=@ignored
// expect: dpor bug=assertion executions=2 [args: ignored] [options: --keep-going] line=@ignored
// expect: all bug=assertion executions=2 [args: ignored] [options: --keep-going] line=@ignored
// expect: - bug=assertion executions=2 [args: ignored] [options: --stateful --keep-going] line=@ignored
// expect: - verified executions=5 blocked=1 [args: cancelled]
// expect: source verified executions=5 blocked=1 [args: cancelled]
// expect: dpor verified executions=5 blocked=1 [args: cancelled]
// expect: all verified executions=190 [args: cancelled]
// expect: - verified executions=10 [args: cancelled] [options: --stateful]
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, dead, lost, word;

static void make(void)
{
	pthread_mutexattr_t attributes;

	assert(pthread_mutexattr_init(&attributes) == 0);
	assert(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
	assert(pthread_mutex_init(&mutex, &attributes) == 0);
}

/* Repairs the mutex if it must; false when nobody can have it any more. */
static bool repair(int error)
{
	assert(error == 0 || error == EOWNERDEAD || error == ENOTRECOVERABLE);
	if (error == EOWNERDEAD) {
		dead++;
		assert(pthread_mutex_consistent(&mutex) == 0);
	}
	return error != ENOTRECOVERABLE;
}

static void *set_and_end(void *unused)
{
	assert(repair(pthread_mutex_lock(&mutex)));
	ready++;
	pthread_cond_signal(&cond);
	return unused;
}

/* The only one who can end the wait dies with the mutex. */
CASE(signalled_by_the_dead)
{
	make();
	pthread_t thread = start(set_and_end, NULL);
	int error = pthread_mutex_lock(&mutex);
	bool waited = false;

	while (repair(error) && !ready) {
		error = pthread_cond_wait(&cond, &mutex);
		waited = true;
		assert(!ready || error == EOWNERDEAD);
	}
	assert(dead == 1 && (waited || error == EOWNERDEAD));
	assert(pthread_mutex_unlock(&mutex) == 0);
	finish(thread);
	assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
}

static void *wait_until_ready(void *unused)
{
	bool mine = repair(pthread_mutex_lock(&mutex));

	while (mine && !ready)
		mine = repair(pthread_cond_wait(&cond, &mutex));
	assert(mine);
	assert(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

static void *broadcast_and_end(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	ready = 1;
	pthread_cond_broadcast(&cond);
	return unused;
}

/* Whoever comes first repairs it, the other one sees nothing of that. */
CASE(two_woken)
{
	make();
	pthread_t first = start(wait_until_ready, NULL), second = start(wait_until_ready, NULL);
	pthread_t thread = start(broadcast_and_end, NULL);

	finish(first);
	finish(second);
	finish(thread);
	assert(dead == 1);
	printf("dead %d\n", dead);
}

static void *wait_and_leave_it(void *unused)
{
	int error = pthread_mutex_lock(&mutex);

	while (error == 0 && !ready)
		error = pthread_cond_wait(&cond, &mutex);
	if (error == ENOTRECOVERABLE)
		__atomic_add_fetch(&lost, 1, __ATOMIC_SEQ_CST);
	else
		assert(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

/* The first one gives it up as it found it: then the other one cannot have it. */
CASE(not_repaired)
{
	make();
	pthread_t first = start(wait_and_leave_it, NULL), second = start(wait_and_leave_it, NULL);
	pthread_t thread = start(broadcast_and_end, NULL);

	finish(first);
	finish(second);
	finish(thread);
	printf("lost %d\n", lost);
	assert(lost == 1);
}

/* Nobody holds what is lost, also after a wait: the others come in between. */
static void *lose_by_waiting(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	assert(pthread_cond_wait(&cond, &mutex) == ENOTRECOVERABLE);
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&word, 2, __ATOMIC_SEQ_CST);
	assert(pthread_mutex_unlock(&mutex) == EPERM);
	return unused;
}

CASE(waiting_loses_it)
{
	struct timespec past = {0};

	make();
	finish(start(broadcast_and_end, NULL));
	pthread_t thread = start(lose_by_waiting, NULL);
	int error = pthread_mutex_lock(&mutex);

	if (error == EOWNERDEAD) { /* before the other one: which then finds it lost or consistent */
		__atomic_store_n(&word, 9, __ATOMIC_SEQ_CST);
		_Exit(0);
	}
	assert(error == ENOTRECOVERABLE);
	assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
	assert(pthread_mutex_timedlock(&mutex, &past) == ENOTRECOVERABLE);
	pthread_cond_broadcast(&cond);
	assert(__atomic_load_n(&word, __ATOMIC_SEQ_CST) != 1); // @waiting_loses_it
	finish(thread);
}

static void *lock_and_end(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	return unused;
}

/* The error of the mutex counts more than the end of the time. */
CASE(timed)
{
	struct timespec until = {.tv_sec = 1};

	make();
	assert(pthread_mutex_lock(&mutex) == 0);
	pthread_t thread = start(lock_and_end, NULL);
	int error = pthread_cond_timedwait(&cond, &mutex, &until);
	assert(error == EOWNERDEAD || error == ETIMEDOUT);
	if (error == EOWNERDEAD) {
		assert(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until) == ENOTRECOVERABLE);
		assert(pthread_mutex_unlock(&mutex) == EPERM);
	} else {
		assert(pthread_mutex_unlock(&mutex) == 0);
	}
	finish(thread);
	printf("%d\n", error == EOWNERDEAD);
}

/* What a program does that does not look at the result. */
CASE(ignored)
{
	make();
	pthread_t thread = start(set_and_end, NULL);
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	assert(pthread_mutex_lock(&mutex) == 0); // @ignored
	finish(thread);
}

static void unlock(void *unused)
{
	(void)unused;
	int error = pthread_mutex_unlock(&mutex);
	assert(error == 0 || error == EPERM);
}

static void *wait_to_be_cancelled(void *unused)
{
	int error = pthread_mutex_lock(&mutex);

	assert(error == 0 || error == EOWNERDEAD);
	pthread_cleanup_push(unlock, NULL);
	error = pthread_cond_wait(&cond, &mutex);
	assert(error == EOWNERDEAD || error == ENOTRECOVERABLE);
	pthread_cleanup_pop(1);
	return unused;
}

/* A thread that is cancelled takes the mutex again for its handlers, which may not have it. */
CASE(cancelled)
{
	make();
	pthread_t thread = start(wait_to_be_cancelled, NULL), other = start(lock_and_end, NULL);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	finish(other);
}
