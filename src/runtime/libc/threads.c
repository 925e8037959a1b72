/*
 * Attributes of threads and of synchronisation objects, and sets of signals: memory of the program that the C library reads and writes.  What
 * the functions of src/runtime do with their parameters they announce themselves.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"

#define MAKE(name, attributes)                                                                                         \
	int WRAP(name)(attributes * all)                                                                               \
	{                                                                                                              \
		writes(all, sizeof *all);                                                                              \
		return name(all);                                                                                      \
	}

#define SET(name, attributes, type)                                                                                    \
	int WRAP(name)(attributes * all, type value)                                                                   \
	{                                                                                                              \
		writes(all, sizeof *all);                                                                              \
		return name(all, value);                                                                               \
	}

#define GET(name, attributes, type)                                                                                    \
	int WRAP(name)(const attributes *all, type *value)                                                             \
	{                                                                                                              \
		type own;                                                                                              \
		reads(all, sizeof *all);                                                                               \
		int error = name(all, &own);                                                                           \
		if (!error)                                                                                            \
			write_out(value, &own, sizeof own);                                                            \
		return error;                                                                                          \
	}

/* --- pthread_mutexattr_t --- */

MAKE(pthread_mutexattr_init, pthread_mutexattr_t)
MAKE(pthread_mutexattr_destroy, pthread_mutexattr_t)
GET(pthread_mutexattr_getprioceiling, pthread_mutexattr_t, int)
SET(pthread_mutexattr_setprioceiling, pthread_mutexattr_t, int)
GET(pthread_mutexattr_getprotocol, pthread_mutexattr_t, int)
SET(pthread_mutexattr_setprotocol, pthread_mutexattr_t, int)
GET(pthread_mutexattr_getpshared, pthread_mutexattr_t, int)
SET(pthread_mutexattr_setpshared, pthread_mutexattr_t, int)
GET(pthread_mutexattr_getrobust, pthread_mutexattr_t, int)
SET(pthread_mutexattr_setrobust, pthread_mutexattr_t, int)
GET(pthread_mutexattr_gettype, pthread_mutexattr_t, int)
SET(pthread_mutexattr_settype, pthread_mutexattr_t, int)

/* --- pthread_condattr_t --- */

MAKE(pthread_condattr_init, pthread_condattr_t)
MAKE(pthread_condattr_destroy, pthread_condattr_t)
GET(pthread_condattr_getpshared, pthread_condattr_t, int)
SET(pthread_condattr_setpshared, pthread_condattr_t, int)
GET(pthread_condattr_getclock, pthread_condattr_t, clockid_t)
SET(pthread_condattr_setclock, pthread_condattr_t, clockid_t)

/* --- pthread_rwlockattr_t --- */

MAKE(pthread_rwlockattr_init, pthread_rwlockattr_t)
MAKE(pthread_rwlockattr_destroy, pthread_rwlockattr_t)
GET(pthread_rwlockattr_getkind_np, pthread_rwlockattr_t, int)
SET(pthread_rwlockattr_setkind_np, pthread_rwlockattr_t, int)
GET(pthread_rwlockattr_getpshared, pthread_rwlockattr_t, int)
SET(pthread_rwlockattr_setpshared, pthread_rwlockattr_t, int)

/* --- pthread_barrierattr_t --- */

MAKE(pthread_barrierattr_init, pthread_barrierattr_t)
MAKE(pthread_barrierattr_destroy, pthread_barrierattr_t)
GET(pthread_barrierattr_getpshared, pthread_barrierattr_t, int)
SET(pthread_barrierattr_setpshared, pthread_barrierattr_t, int)

/* --- pthread_attr_t --- */

MAKE(pthread_attr_init, pthread_attr_t)
MAKE(pthread_attr_destroy, pthread_attr_t)
GET(pthread_attr_getdetachstate, pthread_attr_t, int)
SET(pthread_attr_setdetachstate, pthread_attr_t, int)
GET(pthread_attr_getinheritsched, pthread_attr_t, int)
SET(pthread_attr_setinheritsched, pthread_attr_t, int)
GET(pthread_attr_getschedpolicy, pthread_attr_t, int)
SET(pthread_attr_setschedpolicy, pthread_attr_t, int)
GET(pthread_attr_getscope, pthread_attr_t, int)
SET(pthread_attr_setscope, pthread_attr_t, int)
GET(pthread_attr_getguardsize, pthread_attr_t, size_t)
SET(pthread_attr_setguardsize, pthread_attr_t, size_t)
GET(pthread_attr_getstacksize, pthread_attr_t, size_t)
SET(pthread_attr_setstacksize, pthread_attr_t, size_t)

int WRAP(pthread_attr_getstack)(const pthread_attr_t *all, void **start, size_t *size)
{
	void *own;
	size_t own_size;

	reads(all, sizeof *all);
	int error = pthread_attr_getstack(all, &own, &own_size);
	if (!error) {
		write_out(start, &own, sizeof own);
		write_out(size, &own_size, sizeof own_size);
	}
	return error;
}

int WRAP(pthread_attr_setstack)(pthread_attr_t *all, void *start, size_t size)
{
	writes(all, sizeof *all);
	return pthread_attr_setstack(all, start, size);
}

GET(pthread_attr_getschedparam, pthread_attr_t, struct sched_param)

int WRAP(pthread_attr_setschedparam)(pthread_attr_t *all, const struct sched_param *value)
{
	struct sched_param own;

	read_in(&own, value, sizeof own);
	writes(all, sizeof *all);
	return pthread_attr_setschedparam(all, &own);
}

/* --- sigset_t --- */

MAKE(sigemptyset, sigset_t)
MAKE(sigfillset, sigset_t)
SET(sigaddset, sigset_t, int)
SET(sigdelset, sigset_t, int)

int WRAP(sigismember)(const sigset_t *all, int number)
{
	reads(all, sizeof *all);
	return sigismember(all, number);
}
