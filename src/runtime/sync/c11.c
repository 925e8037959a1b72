/*
 * <threads.h>: the same objects as in <pthread.h> under other names, types and results.
 */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"
#include "runtime/core/thread.h"
#include "runtime/memory/arguments.h"

#include <errno.h>
#include <threads.h>
#include <time.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t),
	       "the C11 types are the POSIX types");

static int result_of(int error)
{
	switch (error) {
	case 0: return thrd_success;
	case ENOMEM: return thrd_nomem;
	case ETIMEDOUT: return thrd_timedout;
	case EBUSY: return thrd_busy;
	}
	return thrd_error;
}

/* --- threads; the function's int is the result pointer's value --- */

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	return result_of(pthread_create(thread, NULL, (void *(*)(void *))(void (*)(void))function, argument));
}

int thrd_join(thrd_t thread, int *result)
{
	uint32_t site = rt->current_site;
	int number = thread_of(thread), error = pthread_join(thread, NULL);

	if (!error && result) {
		__inspect_write(result, sizeof *result, site);
		*result = (int)(long)rt->threads[number].result;
	}
	return result_of(error);
}

int thrd_detach(thrd_t thread)
{
	return result_of(pthread_detach(thread));
}

void thrd_exit(int result)
{
	pthread_exit((void *)(long)result);
}

int thrd_sleep(const struct timespec *wanted, struct timespec *left)
{
	struct timespec own, rest = {0};

	read_in(&own, wanted, sizeof own);
	int error = clock_nanosleep(CLOCK_REALTIME, 0, &own, &rest);
	if (left && error == EINTR)
		write_out(left, &rest, sizeof rest);
	return error == EINTR ? -1 : error ? -2 : 0;
}

void thrd_yield(void)
{
}

/* --- mutexes --- */

int mtx_init(mtx_t *mutex, int type)
{
	pthread_mutexattr_t attributes;

	if (type & ~(mtx_plain | mtx_timed | mtx_recursive))
		return thrd_error;
	pthread_mutexattr_init(&attributes);
	if (type & mtx_recursive)
		pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	return result_of(pthread_mutex_init((pthread_mutex_t *)mutex, &attributes));
}

void mtx_destroy(mtx_t *mutex)
{
	pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

int mtx_lock(mtx_t *mutex)
{
	return result_of(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
	return result_of(pthread_mutex_timedlock((pthread_mutex_t *)mutex, until));
}

int mtx_trylock(mtx_t *mutex)
{
	return result_of(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

int mtx_unlock(mtx_t *mutex)
{
	return result_of(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

/* --- condition variables --- */

int cnd_init(cnd_t *cond)
{
	return result_of(pthread_cond_init((pthread_cond_t *)cond, NULL));
}

void cnd_destroy(cnd_t *cond)
{
	pthread_cond_destroy((pthread_cond_t *)cond);
}

int cnd_signal(cnd_t *cond)
{
	return result_of(pthread_cond_signal((pthread_cond_t *)cond));
}

int cnd_broadcast(cnd_t *cond)
{
	return result_of(pthread_cond_broadcast((pthread_cond_t *)cond));
}

int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	return result_of(pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
	return result_of(pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, until));
}

/* --- once and thread-specific data --- */

void call_once(once_flag *flag, void (*routine)(void))
{
	pthread_once((pthread_once_t *)flag, routine);
}

int tss_create(tss_t *key, tss_dtor_t destructor)
{
	return result_of(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key)
{
	pthread_key_delete(key);
}

void *tss_get(tss_t key)
{
	return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value)
{
	return result_of(pthread_setspecific(key, value));
}
