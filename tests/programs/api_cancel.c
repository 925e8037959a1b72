// Cancellation: at each kind of cancellation point, disabled, asynchronous; cleanup handlers in order.
// covers: pthread_cancel pthread_testcancel pthread_setcancelstate pthread_setcanceltype
// misuse: pthread_cancel pthread_setcancelstate pthread_setcanceltype
// expect: source verified executions=4 [args: test_cancel]
// expect: dpor verified executions=4 [args: test_cancel]
// expect: all verified executions=8 [args: test_cancel]
// expect: source verified executions=2 [args: in_cond_wait]
// expect: dpor verified executions=2 [args: in_cond_wait]
// expect: all verified executions=28 [args: in_cond_wait]
// expect: source verified executions=6 [args: in_cond_timedwait]
// expect: dpor verified executions=6 [args: in_cond_timedwait]
// expect: all verified executions=77 [args: in_cond_timedwait]
// expect: source verified executions=2 [args: in_sem_wait]
// expect: dpor verified executions=2 [args: in_sem_wait]
// expect: all verified executions=4 [args: in_sem_wait]
// expect: source verified executions=2 blocked=1 [args: in_join]
// expect: dpor verified executions=2 blocked=2 [args: in_join]
// expect: all verified executions=195 [args: in_join]
// expect: source verified executions=4 [args: in_sleep]
// expect: dpor verified executions=4 [args: in_sleep]
// expect: all verified executions=7 [args: in_sleep]
// expect: source verified executions=2 [args: before_or_after]
// expect: dpor verified executions=2 [args: before_or_after]
// expect: all verified executions=5 [args: before_or_after]
// expect: source bug=exit executions=2 [args: before_or_after_both] [options: --keep-going]
// expect: dpor bug=exit executions=2 [args: before_or_after_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: before_or_after_both] [options: --keep-going]
// expect: source verified executions=2 [args: disabled]
// expect: dpor verified executions=2 blocked=1 [args: disabled]
// expect: all verified executions=16 [args: disabled]
// expect: source verified executions=4 [args: asynchronous]
// expect: dpor verified executions=4 [args: asynchronous]
// expect: all verified executions=12 [args: asynchronous]
// expect: source verified executions=1 [args: itself]
// expect: dpor verified executions=1 [args: itself]
// expect: all verified executions=4 [args: itself]
// expect: source verified executions=2 [args: handlers]
// expect: dpor verified executions=2 [args: handlers]
// expect: all verified executions=22 [args: handlers]
// expect: source verified executions=1 [args: popped]
// expect: dpor verified executions=1 [args: popped]
// expect: all verified executions=1 [args: popped]
// expect: source verified executions=1 [args: exit_runs_handlers]
// expect: dpor verified executions=1 [args: exit_runs_handlers]
// expect: all verified executions=1 [args: exit_runs_handlers]
// expect: source verified executions=2 [args: once_is_begun_again]
// expect: dpor verified executions=2 [args: once_is_begun_again]
// expect: all verified executions=70 [args: once_is_begun_again]
// expect: source verified executions=1 [args: ended]
// expect: source verified executions=1 [args: states]
// expect: source bug=deadlock,lock executions=2 [args: mutex_left] [options: --keep-going] line=@mutex_left
// expect: dpor bug=deadlock,lock executions=2 [args: mutex_left] [options: --keep-going] line=@mutex_left
// expect: all bug=deadlock,lock executions=12 [args: mutex_left] [options: --keep-going] line=@mutex_left
// expect: source bug=lock executions=1 line=@unknown [args: unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@joined [args: joined] [says: joined already]
// expect: source verified executions=1 [args: bad_arguments]
#include "api.h"

#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int steps, order[4], norder;

static void note(void *number)
{
	order[norder++] = *(int *)number;
}

static void unlock(void *lock)
{
	assert(pthread_mutex_trylock(lock) == EBUSY);
	assert(pthread_mutex_unlock(lock) == 0); /* it holds it again: else a finding */
	steps++;
}

static void cancel_it(pthread_t thread)
{
	assert(pthread_cancel(thread) == 0);
	assert(finish(thread) == PTHREAD_CANCELED);
}

static void *never_ends(void *unused)
{
	for (int i = 0; i < 2; i++)
		pthread_testcancel();
	sem_wait(&semaphore);
	return unused;
}

CASE(test_cancel)
{
	sem_init(&semaphore, 0, 0);
	cancel_it(start(never_ends, NULL));
}

static void *wait_for_ever(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	while (1)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	return unused;
}

CASE(in_cond_wait)
{
	cancel_it(start(wait_for_ever, NULL));
	assert(steps == 1);
	assert(pthread_mutex_trylock(&mutex) == 0);
	assert(pthread_cond_destroy(&cond) == 0); /* nobody waits any more */
}

static void *wait_for_long(void *unused)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1000);

	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	pthread_cond_timedwait(&cond, &mutex, &until);
	pthread_cleanup_pop(1);
	pthread_testcancel();
	return unused;
}

CASE(in_cond_timedwait)
{
	pthread_t thread = start(wait_for_long, NULL);

	assert(pthread_cancel(thread) == 0);
	void *result = finish(thread);
	assert(result == PTHREAD_CANCELED || result == NULL);
	assert(steps == 1 && pthread_mutex_trylock(&mutex) == 0);
}

static void *wait_for_post(void *unused)
{
	sem_wait(&semaphore);
	return unused;
}

CASE(in_sem_wait)
{
	int value;

	sem_init(&semaphore, 0, 0);
	cancel_it(start(wait_for_post, NULL));
	assert(sem_getvalue(&semaphore, &value) == 0 && value == 0 && sem_destroy(&semaphore) == 0);
}

static void *join_it(void *thread)
{
	pthread_join(*(pthread_t *)thread, NULL);
	return NULL;
}

/* Who is cancelled in a join has joined nobody. */
CASE(in_join)
{
	sem_init(&semaphore, 0, 0);
	pthread_t waiter = start(wait_for_post, NULL);
	cancel_it(start(join_it, &waiter));
	sem_post(&semaphore);
	assert(finish(waiter) == NULL);
}

static void *sleep_long(void *unused)
{
	sleep(1000);
	usleep(1);
	nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
	return unused;
}

CASE(in_sleep)
{
	pthread_t thread = start(sleep_long, NULL);

	assert(pthread_cancel(thread) == 0);
	void *result = finish(thread);
	assert(result == PTHREAD_CANCELED || result == NULL);
}

static void *one_point(void *unused)
{
	pthread_testcancel();
	steps = 1;
	return unused;
}

CASE(before_or_after)
{
	pthread_t thread = start(one_point, NULL);

	assert(pthread_cancel(thread) == 0);
	void *result = finish(thread);
	assert(result == (steps ? NULL : PTHREAD_CANCELED));
}

CASE(before_or_after_both)
{
	pthread_t thread = start(one_point, NULL);

	assert(pthread_cancel(thread) == 0);
	exit(finish(thread) == PTHREAD_CANCELED);
}

static void *protected_steps(void *unused)
{
	int old;

	assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
	sem_wait(&semaphore); /* posted after the cancel: it is pending */
	pthread_testcancel();
	steps = 1;
	assert(pthread_setcancelstate(old, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
	pthread_testcancel();
	steps = 2;
	return unused;
}

CASE(disabled)
{
	sem_init(&semaphore, 0, 0);
	pthread_t thread = start(protected_steps, NULL);
	assert(pthread_cancel(thread) == 0);
	sem_post(&semaphore);
	void *result = finish(thread);
	assert(result == PTHREAD_CANCELED && steps == 1);
}

static void *spin_asynchronously(void *unused)
{
	int old;

	assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
	__atomic_store_n(&steps, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&steps, 2, __ATOMIC_SEQ_CST);
	return unused;
}

CASE(asynchronous)
{
	pthread_t thread = start(spin_asynchronously, NULL);

	assert(pthread_cancel(thread) == 0);
	void *result = finish(thread);
	assert(result == PTHREAD_CANCELED || (result == NULL && steps == 2));
}

static void *cancel_myself(void *unused)
{
	assert(pthread_cancel(pthread_self()) == 0);
	steps = 1; /* deferred: nothing happens yet */
	pthread_testcancel();
	steps = 2;
	return unused;
}

CASE(itself)
{
	assert(finish(start(cancel_myself, NULL)) == PTHREAD_CANCELED && steps == 1);
}

static void *nested_handlers(void *unused)
{
	static int numbers[] = {1, 2, 3};

	pthread_cleanup_push(note, &numbers[0]);
	pthread_cleanup_push(note, &numbers[1]);
	pthread_cleanup_push(note, &numbers[2]);
	sem_wait(&semaphore);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return unused;
}

CASE(handlers)
{
	sem_init(&semaphore, 0, 0);
	cancel_it(start(nested_handlers, NULL));
	assert(norder == 3 && order[0] == 3 && order[1] == 2 && order[2] == 1);
}

CASE(popped)
{
	int numbers[] = {1, 2};

	pthread_cleanup_push(note, &numbers[0]);
	pthread_cleanup_push(note, &numbers[1]);
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(0);
	assert(norder == 1 && order[0] == 2);
}

static pthread_key_t key;

static void note_key(void *number)
{
	note(number);
}

static void *exit_inside(void *unused)
{
	static int numbers[] = {1, 2};

	assert(pthread_setspecific(key, &numbers[1]) == 0);
	pthread_cleanup_push(note, &numbers[0]);
	pthread_exit(unused);
	pthread_cleanup_pop(0);
}

/* Handlers come before the destructors of keys. */
CASE(exit_runs_handlers)
{
	assert(pthread_key_create(&key, note_key) == 0);
	finish(start(exit_inside, NULL));
	assert(norder == 2 && order[0] == 1 && order[1] == 2);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void wait_in_once(void)
{
	sem_wait(&semaphore);
	steps++;
}

static void *call_once_waiting(void *unused)
{
	pthread_once(&once, wait_in_once);
	return unused;
}

CASE(once_is_begun_again)
{
	sem_init(&semaphore, 0, 0);
	cancel_it(start(call_once_waiting, NULL));
	sem_post(&semaphore);
	finish(start(call_once_waiting, NULL));
	assert(steps == 1);
}

static void *nothing(void *unused)
{
	return unused;
}

CASE(ended)
{
	pthread_t thread = start(nothing, NULL);

	assert(pthread_cancel(thread) == 0); /* not joined yet: the handle is valid */
	assert(finish(thread) == NULL);
}

CASE(states)
{
	int old;

	assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0);
	assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
	assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
	assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
	assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0 && old == PTHREAD_CANCEL_ASYNCHRONOUS);
}

static void *wait_without_handler(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

CASE(mutex_left)
{
	cancel_it(start(wait_without_handler, NULL));
	pthread_mutex_lock(&mutex); // @mutex_left
}

static pthread_t joined_thread(void)
{
	pthread_t thread = start(nothing, NULL);

	finish(thread);
	return thread;
}

MISUSE(unknown, pthread_cancel(0)); // @unknown
MISUSE(joined, pthread_cancel(joined_thread())); // @joined

CASE(bad_arguments)
{
	int old = 77;

	assert(pthread_setcancelstate(77, &old) == EINVAL && old == 77);
	assert(pthread_setcanceltype(77, &old) == EINVAL && old == 77);
}
