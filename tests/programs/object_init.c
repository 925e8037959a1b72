// To initialise a synchronisation object is to write it: a race with whatever others do to it at that time, and an error while
// threads wait at it.
// expect: optimal bug=lock executions=7 line=@over_waiter [args: cond_waited]
// expect: - bug=lock executions=2 line=@over_waiter [args: cond_waited] [options: --stateful]
// expect: all bug=lock executions=22 line=@over_waiter [args: cond_waited]
// expect: optimal bug=lock,race executions=3 line=@over_arrived [args: barrier_waited] [options: --keep-going]
// expect: all bug=lock,race executions=15 line=@over_arrived [args: barrier_waited] [options: --keep-going]
// expect: optimal bug=race executions=1 line=@cond replay [args: cond_signalled]
// expect: source bug=race executions=1 line=@cond [args: cond_signalled]
// expect: dpor bug=race executions=1 line=@cond [args: cond_signalled]
// expect: all bug=race executions=1 line=@cond [args: cond_signalled]
// expect: - bug=race executions=1 line=@cond [args: cond_signalled] [options: --stateful]
// expect: optimal bug=race executions=2 line=@post replay [args: sem_posted] [options: --keep-going]
// expect: all bug=race executions=6 line=@post [args: sem_posted] [options: --keep-going]
// expect: - bug=race executions=1 line=@post [args: sem_posted] [options: --stateful]
// expect: optimal bug=race executions=1 line=@sleeps [args: sem_slept]
// expect: - bug=race executions=1 line=@sleeps [args: sem_slept] [options: --stateful]
// expect: optimal bug=race executions=1 line=@barrier replay [args: barrier_reached]
// expect: all bug=race executions=1 line=@barrier [args: barrier_reached]
// expect: optimal bug=race executions=1 line=@twice replay [args: twice]
// expect: all bug=race executions=1 line=@twice [args: twice]
// expect: - bug=race executions=1 line=@twice [args: twice] [options: --stateful]
// expect: optimal verified executions=8 [args: lazily]
// expect: source verified executions=8 [args: lazily]
// expect: all verified executions=1020 [args: lazily]
// expect: - verified executions=11 [args: lazily] [options: --stateful]
// expect: optimal verified executions=1 [args: in_turn]
// expect: all verified executions=9 [args: in_turn]
// expect: - verified executions=1 [args: in_turn] [options: --stateful]
#include "api.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *cond;
static pthread_barrier_t *barrier;
static sem_t *semaphore;
static pthread_mutex_t *lazy;
static atomic_int ready;
static int waiting;

/* On the heap, where memory is used again and to initialise twice is no error by itself. */
static void make_all(void)
{
	cond = malloc(sizeof *cond);
	pthread_cond_init(cond, NULL);
	semaphore = malloc(sizeof *semaphore);
	sem_init(semaphore, 0, 0);
	barrier = malloc(sizeof *barrier);
	pthread_barrier_init(barrier, NULL, 1);
	lazy = malloc(sizeof *lazy);
}

static void *wait_there(void *unused)
{
	pthread_mutex_lock(&mutex);
	waiting = 1;
	while (waiting)
		pthread_cond_wait(cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

CASE(cond_waited)
{
	make_all();
	pthread_t thread = start(wait_there, NULL);
	pthread_mutex_lock(&mutex);
	if (waiting)
		pthread_cond_init(cond, NULL); // @over_waiter
	waiting = 0;
	pthread_cond_signal(cond);
	pthread_mutex_unlock(&mutex);
	pthread_detach(thread);
}

static void *arrive(void *unused)
{
	pthread_barrier_wait(barrier); // @barrier
	return unused;
}

/* The second thread has arrived, or will: what is wrong in the first case is a race in the other. */
CASE(barrier_waited)
{
	make_all();
	pthread_barrier_destroy(barrier);
	pthread_barrier_init(barrier, NULL, 2);
	pthread_t thread = start(arrive, NULL);
	pthread_barrier_init(barrier, NULL, 2); // @over_arrived
	pthread_barrier_wait(barrier);
	finish(thread);
}

CASE(barrier_reached)
{
	make_all();
	pthread_t thread = start(arrive, NULL);
	pthread_barrier_init(barrier, NULL, 1); // @barrier
	finish(thread);
}

static void *signal_it(void *unused)
{
	pthread_cond_signal(cond); // @cond
	return unused;
}

CASE(cond_signalled)
{
	make_all();
	pthread_t thread = start(signal_it, NULL);
	pthread_cond_init(cond, NULL); // @cond
	finish(thread);
}

static void *post_it(void *unused)
{
	sem_post(semaphore); // @post
	return unused;
}

CASE(sem_posted)
{
	make_all();
	pthread_t thread = start(post_it, NULL);
	sem_init(semaphore, 0, 0); // @post
	finish(thread);
}

static void *take_it(void *unused)
{
	sem_wait(semaphore); // @sleeps
	return unused;
}

CASE(sem_slept)
{
	make_all();
	pthread_t thread = start(take_it, NULL);
	sem_init(semaphore, 0, 1); // @sleeps
	finish(thread);
}

static void *make_it(void *unused)
{
	pthread_mutex_init(lazy, NULL); // @twice
	return unused;
}

CASE(twice)
{
	make_all();
	pthread_t thread = start(make_it, NULL);
	pthread_mutex_init(lazy, NULL); // @twice
	finish(thread);
}

static void use_lazily(void)
{
	if (!ready) {
		pthread_mutex_lock(&mutex);
		if (!ready) {
			pthread_mutex_init(lazy, NULL);
			ready = 1;
		}
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(lazy);
	pthread_mutex_unlock(lazy);
}

static void *use_it(void *unused)
{
	use_lazily();
	return unused;
}

/* Right: whoever uses it has seen that it is there. */
CASE(lazily)
{
	make_all();
	pthread_t thread = start(use_it, NULL);
	use_lazily();
	finish(thread);
}

/* Right: what was done with it before is known to be over. */
CASE(in_turn)
{
	make_all();
	for (int i = 0; i < 2; i++) {
		pthread_t thread = start(post_it, NULL);
		sem_wait(semaphore);
		sem_init(semaphore, 0, 0);
		finish(thread);
	}
}
