// <threads.h>: mutexes and condition variables.
// covers: mtx_init mtx_destroy mtx_lock mtx_trylock mtx_timedlock mtx_unlock
// covers: cnd_init cnd_destroy cnd_wait cnd_timedwait cnd_signal cnd_broadcast
// misuse: mtx_init mtx_destroy mtx_lock mtx_trylock mtx_timedlock mtx_unlock
// misuse: cnd_init cnd_destroy cnd_wait cnd_timedwait cnd_signal cnd_broadcast
// expect: source verified executions=2 [args: exclusion]
// expect: dpor verified executions=2 [args: exclusion]
// expect: all verified executions=2 [args: exclusion]
// expect: source verified executions=2 [args: recursive]
// expect: dpor verified executions=2 [args: recursive]
// expect: all verified executions=2 [args: recursive]
// expect: source bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: source bug=exit executions=3 [args: timed_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: timed_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: timed_both] [options: --keep-going]
// expect: source verified executions=2 [args: timed_both] [options: --timeouts=never]
// expect: dpor verified executions=2 [args: timed_both] [options: --timeouts=never]
// expect: all verified executions=2 [args: timed_both] [options: --timeouts=never]
// expect: source verified executions=2 [args: message]
// expect: dpor verified executions=2 [args: message]
// expect: all verified executions=2 [args: message]
// expect: source bug=exit executions=4 [args: message_timed] [options: --keep-going]
// expect: dpor bug=exit executions=4 [args: message_timed] [options: --keep-going]
// expect: all bug=exit executions=6 [args: message_timed] [options: --keep-going]
// expect: source verified executions=2 [args: message_timed] [options: --timeouts=last-resort]
// expect: dpor verified executions=2 [args: message_timed] [options: --timeouts=last-resort]
// expect: all verified executions=2 [args: message_timed] [options: --timeouts=last-resort]
// expect: source verified executions=1 [args: wrong_kind]
// expect: source bug=deadlock executions=1 line=@relock [args: relock]
// expect: source bug=lock executions=1 line=@unlock_unlocked [args: unlock_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@destroy_held [args: destroy_held] [says: that is held]
// expect: source bug=lock executions=1 line=@lock_destroyed [args: lock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@trylock_destroyed [args: trylock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@timedlock_destroyed [args: timedlock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@init_twice [args: init_twice] [says: initialised already]
// expect: source bug=crash executions=1 line=@mtx_null [args: mtx_null]
// expect: source bug=crash executions=1 line=@cnd_null [args: cnd_null]
// expect: source bug=lock executions=1 line=@wait_unlocked [args: wait_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@timedwait_unlocked [args: timedwait_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@signal_destroyed [args: signal_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@broadcast_destroyed [args: broadcast_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@cnd_destroy_twice [args: cnd_destroy_twice] [says: was destroyed]
#include "api.h"

#include <stdlib.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static int word;

static thrd_t begin(thrd_start_t function)
{
	thrd_t thread;

	assert(thrd_create(&thread, function, NULL) == thrd_success);
	return thread;
}

static void end(thrd_t thread)
{
	assert(thrd_join(thread, NULL) == thrd_success);
}

static int increment(void *unused)
{
	(void)unused;
	assert(mtx_lock(&mutex) == thrd_success);
	word++;
	assert(mtx_unlock(&mutex) == thrd_success);
	return 0;
}

CASE(exclusion)
{
	assert(mtx_init(&mutex, mtx_plain) == thrd_success);
	thrd_t thread = begin(increment);
	increment(NULL);
	end(thread);
	assert(word == 2);
	mtx_destroy(&mutex);
}

CASE(recursive)
{
	assert(mtx_init(&mutex, mtx_timed | mtx_recursive) == thrd_success);
	thrd_t thread = begin(increment);
	assert(mtx_lock(&mutex) == thrd_success && mtx_trylock(&mutex) == thrd_success);
	assert(mtx_timedlock(&mutex, &(struct timespec){0}) == thrd_success);
	word++;
	for (int i = 0; i < 3; i++)
		assert(mtx_unlock(&mutex) == thrd_success);
	assert(mtx_unlock(&mutex) == thrd_error);
	end(thread);
	assert(word == 2);
}

CASE(try_both)
{
	mtx_init(&mutex, mtx_plain);
	thrd_t thread = begin(increment);
	int result = mtx_trylock(&mutex);

	assert(result == thrd_success || result == thrd_busy);
	if (result == thrd_success)
		mtx_unlock(&mutex);
	end(thread);
	exit(result == thrd_busy);
}

CASE(timed_both)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	mtx_init(&mutex, mtx_timed);
	thrd_t thread = begin(increment);
	int result = mtx_timedlock(&mutex, &until);
	assert(result == thrd_success || result == thrd_timedout);
	if (result == thrd_success)
		mtx_unlock(&mutex);
	end(thread);
	exit(result == thrd_timedout);
}

static int signal_it(void *unused)
{
	(void)unused;
	mtx_lock(&mutex);
	word = 1;
	assert(cnd_signal(&cond) == thrd_success);
	assert(cnd_broadcast(&cond) == thrd_success);
	mtx_unlock(&mutex);
	return 0;
}

CASE(message)
{
	assert(mtx_init(&mutex, mtx_plain) == thrd_success && cnd_init(&cond) == thrd_success);
	thrd_t thread = begin(signal_it);
	mtx_lock(&mutex);
	while (!word)
		assert(cnd_wait(&cond, &mutex) == thrd_success);
	mtx_unlock(&mutex);
	end(thread);
	cnd_destroy(&cond);
	mtx_destroy(&mutex);
}

CASE(message_timed)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);
	int result = thrd_success;

	assert(mtx_init(&mutex, mtx_plain) == thrd_success && cnd_init(&cond) == thrd_success);
	thrd_t thread = begin(signal_it);
	mtx_lock(&mutex);
	while (!word && result == thrd_success)
		result = cnd_timedwait(&cond, &mutex, &until);
	assert(result == thrd_timedout || word);
	mtx_unlock(&mutex);
	end(thread);
	exit(result == thrd_timedout);
}

CASE(wrong_kind)
{
	assert(mtx_init(&mutex, 77) == thrd_error);
}

static mtx_t *initialised(void)
{
	mtx_init(&mutex, mtx_plain);
	return &mutex;
}

static mtx_t *destroyed(void)
{
	mtx_destroy(initialised());
	return &mutex;
}

static mtx_t *held(void)
{
	mtx_lock(initialised());
	return &mutex;
}

static cnd_t *initialised_cond(void)
{
	cnd_init(&cond);
	return &cond;
}

static cnd_t *destroyed_cond(void)
{
	cnd_destroy(initialised_cond());
	return &cond;
}

static struct timespec past;

MISUSE(relock, mtx_lock(held())); // @relock
MISUSE(unlock_unlocked, mtx_unlock(initialised())); // @unlock_unlocked
MISUSE(destroy_held, mtx_destroy(held())); // @destroy_held
MISUSE(lock_destroyed, mtx_lock(destroyed())); // @lock_destroyed
MISUSE(trylock_destroyed, mtx_trylock(destroyed())); // @trylock_destroyed
MISUSE(timedlock_destroyed, mtx_timedlock(destroyed(), &past)); // @timedlock_destroyed
MISUSE(init_twice, mtx_init(initialised(), mtx_plain)); // @init_twice
MISUSE(mtx_null, mtx_lock(NULL)); // @mtx_null
MISUSE(cnd_null, cnd_init(NULL)); // @cnd_null
MISUSE(wait_unlocked, cnd_wait(initialised_cond(), initialised())); // @wait_unlocked
MISUSE(timedwait_unlocked, cnd_timedwait(initialised_cond(), initialised(), &past)); // @timedwait_unlocked
MISUSE(signal_destroyed, cnd_signal(destroyed_cond())); // @signal_destroyed
MISUSE(broadcast_destroyed, cnd_broadcast(destroyed_cond())); // @broadcast_destroyed
MISUSE(cnd_destroy_twice, cnd_destroy(destroyed_cond())); // @cnd_destroy_twice
