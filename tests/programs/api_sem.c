// Unnamed semaphores, also with a time limit.
// covers: sem_init sem_destroy sem_post sem_wait sem_trywait sem_getvalue sem_timedwait sem_clockwait
// misuse: sem_init sem_destroy sem_post sem_wait sem_trywait sem_getvalue sem_timedwait sem_clockwait
// expect: source verified executions=6 [args: exclusion]
// expect: dpor verified executions=6 [args: exclusion]
// expect: all verified executions=14 [args: exclusion]
// expect: source verified executions=1 [args: message]
// expect: dpor verified executions=1 [args: message]
// expect: all verified executions=1 [args: message]
// expect: source bug=deadlock executions=1 [args: nobody_posts] line=@nobody_posts
// expect: dpor bug=deadlock executions=1 [args: nobody_posts] line=@nobody_posts
// expect: all bug=deadlock executions=1 [args: nobody_posts] line=@nobody_posts
// expect: source verified executions=3 [args: counting]
// expect: dpor verified executions=3 [args: counting]
// expect: all verified executions=4 [args: counting]
// expect: source bug=exit executions=2 [args: try_both] [options: --keep-going]
// expect: dpor bug=exit executions=2 [args: try_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: source bug=exit executions=2 [args: value_seen] [options: --keep-going]
// expect: dpor bug=exit executions=2 [args: value_seen] [options: --keep-going]
// expect: all bug=exit executions=2 [args: value_seen] [options: --keep-going]
// expect: source bug=exit executions=2 [args: timed_both] [options: --keep-going]
// expect: dpor bug=exit executions=2 [args: timed_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: timed_both] [options: --keep-going]
// expect: source verified executions=1 [args: timed_both] [options: --timeouts=never]
// expect: dpor verified executions=1 [args: timed_both] [options: --timeouts=never]
// expect: all verified executions=1 [args: timed_both] [options: --timeouts=never]
// expect: source verified executions=1 [args: timed_both] [options: --timeouts=last-resort]
// expect: dpor verified executions=1 [args: timed_both] [options: --timeouts=last-resort]
// expect: all verified executions=1 [args: timed_both] [options: --timeouts=last-resort]
// expect: source bug=exit executions=2 [args: clock_both] [options: --keep-going]
// expect: dpor bug=exit executions=2 [args: clock_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: clock_both] [options: --keep-going]
// expect: source verified executions=1 [args: must_time_out]
// expect: dpor verified executions=1 [args: must_time_out]
// expect: all verified executions=1 [args: must_time_out]
// expect: source verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: dpor verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: all verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: source bug=deadlock executions=1 [args: must_time_out] [options: --timeouts=never] line=@must_time_out
// expect: dpor bug=deadlock executions=1 [args: must_time_out] [options: --timeouts=never] line=@must_time_out
// expect: all bug=deadlock executions=1 [args: must_time_out] [options: --timeouts=never] line=@must_time_out
// expect: source verified executions=1 [args: errors]
// expect: source bug=lock executions=1 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits on]
// expect: dpor bug=lock executions=1 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits on]
// expect: all bug=lock executions=1 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits on]
// expect: source bug=lock executions=1 line=@destroy_destroyed [args: destroy_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@post_destroyed [args: post_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@wait_destroyed [args: wait_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@init_twice [args: init_twice] [says: initialised already]
// expect: source bug=lock executions=1 line=@wait_fresh [args: wait_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@trywait_fresh [args: trywait_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@timedwait_fresh [args: timedwait_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@clockwait_fresh [args: clockwait_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@post_fresh [args: post_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@getvalue_fresh [args: getvalue_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@destroy_fresh [args: destroy_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@wait_garbage [args: wait_garbage] [says: never initialised]
// expect: source error line=@init_shared [args: init_shared] [says: shared between processes]
// expect: source bug=crash executions=1 line=@init_null [args: init_null]
// expect: source bug=crash executions=1 line=@post_null [args: post_null]
// expect: source bug=crash executions=1 line=@wait_null [args: wait_null]
// expect: source bug=crash executions=1 line=@trywait_null [args: trywait_null]
// expect: source bug=crash executions=1 line=@timedwait_null [args: timedwait_null]
// expect: source bug=crash executions=1 line=@timedwait_bad_time [args: timedwait_bad_time]
// expect: source bug=crash executions=1 line=@clockwait_null [args: clockwait_null]
// expect: source bug=crash executions=1 line=@getvalue_null [args: getvalue_null]
// expect: source bug=crash executions=1 line=@getvalue_bad_result [args: getvalue_bad_result]
// expect: source bug=crash executions=1 line=@destroy_null [args: destroy_null]
#include "api.h"

#include <limits.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t semaphore;
static int word;

static void *increment(void *unused)
{
	assert(sem_wait(&semaphore) == 0);
	word++;
	assert(sem_post(&semaphore) == 0);
	return unused;
}

CASE(exclusion)
{
	assert(sem_init(&semaphore, 0, 1) == 0);
	pthread_t first = start(increment, NULL), second = start(increment, NULL);
	increment(NULL);
	finish(first);
	finish(second);
	assert(word == 3);
	assert(sem_destroy(&semaphore) == 0);
	assert(sem_init(&semaphore, 0, 0) == 0);
}

static void *send(void *unused)
{
	word = 1;
	assert(sem_post(&semaphore) == 0);
	return unused;
}

/* A post is a release: no race. */
CASE(message)
{
	assert(sem_init(&semaphore, 0, 0) == 0);
	pthread_t thread = start(send, NULL);
	assert(sem_wait(&semaphore) == 0);
	assert(word == 1);
	finish(thread);
}

CASE(nobody_posts)
{
	sem_init(&semaphore, 0, 1);
	assert(sem_wait(&semaphore) == 0);
	sem_wait(&semaphore); // @nobody_posts
}

static void *post(void *unused)
{
	assert(sem_post(&semaphore) == 0);
	return unused;
}

CASE(counting)
{
	int value;

	assert(sem_init(&semaphore, 0, 0) == 0);
	pthread_t first = start(post, NULL), second = start(post, NULL);
	assert(sem_wait(&semaphore) == 0 && sem_wait(&semaphore) == 0);
	assert(sem_getvalue(&semaphore, &value) == 0 && value == 0);
	errno = 0;
	assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
	finish(first);
	finish(second);
}

CASE(try_both)
{
	sem_init(&semaphore, 0, 0);
	pthread_t thread = start(post, NULL);
	int result = sem_trywait(&semaphore);

	assert(result == 0 || (result == -1 && errno == EAGAIN));
	finish(thread);
	exit(result != 0);
}

CASE(value_seen)
{
	int value;

	sem_init(&semaphore, 0, 0);
	pthread_t thread = start(post, NULL);
	assert(sem_getvalue(&semaphore, &value) == 0 && (value == 0 || value == 1));
	finish(thread);
	exit(value);
}

CASE(timed_both)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	sem_init(&semaphore, 0, 0);
	pthread_t thread = start(post, NULL);
	int result = sem_timedwait(&semaphore, &until);
	assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
	finish(thread);
	exit(result != 0);
}

CASE(clock_both)
{
	struct timespec until = in_seconds(CLOCK_MONOTONIC, 1);

	sem_init(&semaphore, 0, 0);
	pthread_t thread = start(post, NULL);
	int result = sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until);
	assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
	finish(thread);
	exit(result != 0);
}

CASE(must_time_out)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	sem_init(&semaphore, 0, 1);
	assert(sem_timedwait(&semaphore, &until) == 0 || errno == ETIMEDOUT);
	sem_trywait(&semaphore);
	assert(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT); // @must_time_out
}

CASE(errors)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1), bad = {.tv_nsec = 1000000000};

	assert(sem_init(&semaphore, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
	assert(sem_init(&semaphore, 0, SEM_VALUE_MAX) == 0);
	assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
	assert(sem_timedwait(&semaphore, &bad) == 0); /* it need not wait */
	assert(sem_destroy(&semaphore) == 0 && sem_init(&semaphore, 0, 0) == 0);
	assert(sem_timedwait(&semaphore, &bad) == -1 && errno == EINVAL);
	assert(sem_clockwait(&semaphore, CLOCK_REALTIME, &bad) == -1 && errno == EINVAL);
	assert(sem_clockwait(&semaphore, CLOCK_THREAD_CPUTIME_ID, &until) == -1 && errno == EINVAL);
}

static void *just_wait(void *unused)
{
	sem_wait(&semaphore); // @destroy_waited
	return unused;
}

CASE(destroy_waited)
{
	sem_init(&semaphore, 0, 0);
	start(just_wait, NULL);
	sem_destroy(&semaphore); // @destroy_waited
}

static struct timespec past;

static sem_t *initialised(void)
{
	sem_init(&semaphore, 0, 1);
	return &semaphore;
}

static sem_t *destroyed(void)
{
	sem_destroy(initialised());
	return &semaphore;
}

static sem_t *garbage(void)
{
	return memset(&semaphore, 0xff, sizeof semaphore);
}

static int value;

MISUSE(destroy_destroyed, sem_destroy(destroyed())); // @destroy_destroyed
MISUSE(post_destroyed, sem_post(destroyed())); // @post_destroyed
MISUSE(wait_destroyed, sem_wait(destroyed())); // @wait_destroyed
MISUSE(init_twice, sem_init(initialised(), 0, 0)); // @init_twice
MISUSE(wait_fresh, sem_wait(&semaphore)); // @wait_fresh
MISUSE(trywait_fresh, sem_trywait(&semaphore)); // @trywait_fresh
MISUSE(timedwait_fresh, sem_timedwait(&semaphore, &past)); // @timedwait_fresh
MISUSE(clockwait_fresh, sem_clockwait(&semaphore, CLOCK_REALTIME, &past)); // @clockwait_fresh
MISUSE(post_fresh, sem_post(&semaphore)); // @post_fresh
MISUSE(getvalue_fresh, sem_getvalue(&semaphore, &value)); // @getvalue_fresh
MISUSE(destroy_fresh, sem_destroy(&semaphore)); // @destroy_fresh
MISUSE(wait_garbage, sem_wait(garbage())); // @wait_garbage
MISUSE(init_shared, sem_init(&semaphore, 1, 0)); // @init_shared
MISUSE(init_null, sem_init(NULL, 0, 0)); // @init_null
MISUSE(post_null, sem_post(NULL)); // @post_null
MISUSE(wait_null, sem_wait(NULL)); // @wait_null
MISUSE(trywait_null, sem_trywait(NULL)); // @trywait_null
MISUSE(timedwait_null, sem_timedwait(NULL, &past)); // @timedwait_null
MISUSE(timedwait_bad_time, sem_timedwait(initialised(), (void *)8)); // @timedwait_bad_time
MISUSE(clockwait_null, sem_clockwait(NULL, CLOCK_REALTIME, &past)); // @clockwait_null
MISUSE(getvalue_null, sem_getvalue(NULL, &value)); // @getvalue_null
MISUSE(getvalue_bad_result, sem_getvalue(initialised(), (void *)8)); // @getvalue_bad_result
MISUSE(destroy_null, sem_destroy(NULL)); // @destroy_null
