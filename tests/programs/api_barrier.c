// Barriers: all wait for the last, and exactly one of each round is the serial thread.
// covers: pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait
// misuse: pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait
// expect: source verified executions=4 [args: rounds]
// expect: dpor verified executions=4 [args: rounds]
// expect: all verified executions=24 [args: rounds]
// expect: source verified executions=2 [args: publish]
// expect: dpor verified executions=2 [args: publish]
// expect: all verified executions=60 [args: publish]
// expect: source bug=exit executions=2 [args: any_is_serial] [options: --keep-going]
// expect: dpor bug=exit executions=2 [args: any_is_serial] [options: --keep-going]
// expect: all bug=exit executions=2 [args: any_is_serial] [options: --keep-going]
// expect: source verified executions=1 [args: alone]
// expect: source bug=deadlock executions=1 [args: one_too_few] line=@one_too_few
// expect: dpor bug=deadlock executions=1 [args: one_too_few] line=@one_too_few
// expect: all bug=deadlock executions=1 [args: one_too_few] line=@one_too_few
// expect: source verified executions=1 [args: errors]
// expect: source bug=lock executions=4 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits at]
// expect: dpor bug=lock executions=4 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits at]
// expect: all bug=lock executions=4 [args: destroy_waited] [options: --keep-going] line=@destroy_waited [says: waits at]
// expect: source bug=lock executions=1 line=@destroy_destroyed [args: destroy_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@wait_destroyed [args: wait_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@init_twice [args: init_twice] [says: initialised already]
// expect: source bug=lock executions=1 line=@wait_fresh [args: wait_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@destroy_fresh [args: destroy_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@wait_garbage [args: wait_garbage] [says: never initialised]
// expect: source bug=crash executions=1 line=@init_null [args: init_null]
// expect: source bug=crash executions=1 line=@init_bad_attributes [args: init_bad_attributes]
// expect: source bug=crash executions=1 line=@wait_null [args: wait_null]
// expect: source bug=crash executions=1 line=@destroy_null [args: destroy_null]
#include "api.h"

#include <stdlib.h>

static pthread_barrier_t barrier;
static int serial, data[2];

static void wait_here(void)
{
	int result = pthread_barrier_wait(&barrier); // @one_too_few

	assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
	if (result)
		__atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
}

static void *two_rounds(void *unused)
{
	wait_here();
	wait_here();
	return unused;
}

CASE(rounds)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	pthread_t thread = start(two_rounds, NULL);
	two_rounds(NULL);
	finish(thread);
	assert(serial == 2);
	assert(pthread_barrier_destroy(&barrier) == 0);
}

/* What was written before is seen after: no race. */
static void *exchange(void *argument)
{
	int me = *(int *)argument;

	data[me] = 1;
	pthread_barrier_wait(&barrier);
	assert(data[1 - me] == 1);
	return NULL;
}

CASE(publish)
{
	int numbers[] = {0, 1};

	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	pthread_t thread = start(exchange, &numbers[0]);
	exchange(&numbers[1]);
	finish(thread);
}

static void *just_wait(void *unused)
{
	pthread_barrier_wait(&barrier); // @destroy_waited
	return unused;
}

CASE(any_is_serial)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	pthread_t thread = start(just_wait, NULL);
	int result = pthread_barrier_wait(&barrier);
	finish(thread);
	exit(result != 0);
}

CASE(alone)
{
	assert(pthread_barrier_init(&barrier, NULL, 1) == 0);
	assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
	assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
	assert(pthread_barrier_destroy(&barrier) == 0);
	assert(pthread_barrier_init(&barrier, NULL, 1) == 0);
}

CASE(one_too_few)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	wait_here();
}

CASE(errors)
{
	pthread_barrierattr_t attributes;

	assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
	memset(&attributes, 0xff, sizeof attributes);
	assert(pthread_barrier_init(&barrier, &attributes, 2) == EINVAL);
}

CASE(destroy_waited)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	start(just_wait, NULL);
	pthread_barrier_destroy(&barrier); // @destroy_waited
}

static pthread_barrier_t *initialised(void)
{
	pthread_barrier_init(&barrier, NULL, 1);
	return &barrier;
}

static pthread_barrier_t *destroyed(void)
{
	pthread_barrier_destroy(initialised());
	return &barrier;
}

static pthread_barrier_t *garbage(void)
{
	return memset(&barrier, 0xff, sizeof barrier);
}

MISUSE(destroy_destroyed, pthread_barrier_destroy(destroyed())); // @destroy_destroyed
MISUSE(wait_destroyed, pthread_barrier_wait(destroyed())); // @wait_destroyed
MISUSE(init_twice, pthread_barrier_init(initialised(), NULL, 1)); // @init_twice
MISUSE(wait_fresh, pthread_barrier_wait(&barrier)); // @wait_fresh
MISUSE(destroy_fresh, pthread_barrier_destroy(&barrier)); // @destroy_fresh
MISUSE(wait_garbage, pthread_barrier_wait(garbage())); // @wait_garbage
MISUSE(init_null, pthread_barrier_init(NULL, NULL, 1)); // @init_null
MISUSE(init_bad_attributes, pthread_barrier_init(&barrier, (void *)8, 1)); // @init_bad_attributes
MISUSE(wait_null, pthread_barrier_wait(NULL)); // @wait_null
MISUSE(destroy_null, pthread_barrier_destroy(NULL)); // @destroy_null
