// Attributes of mutexes, condition variables, read-write locks and barriers: libc's own objects.
// covers: pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutexattr_gettype pthread_mutexattr_settype
// covers: pthread_mutexattr_getrobust pthread_mutexattr_setrobust pthread_mutexattr_getpshared
// covers: pthread_mutexattr_setpshared pthread_mutexattr_getprotocol pthread_mutexattr_setprotocol
// covers: pthread_mutexattr_getprioceiling pthread_mutexattr_setprioceiling
// covers: pthread_condattr_init pthread_condattr_destroy pthread_condattr_getclock pthread_condattr_setclock
// covers: pthread_condattr_getpshared pthread_condattr_setpshared
// covers: pthread_rwlockattr_init pthread_rwlockattr_destroy pthread_rwlockattr_getkind_np pthread_rwlockattr_setkind_np
// covers: pthread_rwlockattr_getpshared pthread_rwlockattr_setpshared
// covers: pthread_barrierattr_init pthread_barrierattr_destroy pthread_barrierattr_getpshared
// covers: pthread_barrierattr_setpshared
// misuse: pthread_mutexattr_settype pthread_mutexattr_setrobust pthread_mutexattr_setpshared
// misuse: pthread_mutexattr_setprotocol pthread_mutexattr_setprioceiling
// misuse: pthread_condattr_setclock pthread_condattr_setpshared
// misuse: pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared pthread_barrierattr_setpshared
// expect: source verified executions=1 [args: of_mutexes]
// expect: source verified executions=1 [args: of_conditions]
// expect: source verified executions=1 [args: of_rwlocks]
// expect: source verified executions=1 [args: of_barriers]
// expect: source error line=@shared_mutex [args: shared_mutex] [says: shared between processes]
// expect: source error line=@shared_condition [args: shared_condition] [says: shared between processes]
// expect: source error line=@shared_rwlock [args: shared_rwlock] [says: shared between processes]
// expect: source error line=@shared_barrier [args: shared_barrier] [says: shared between processes]
#include "api.h"

static pthread_mutexattr_t mutexes;
static pthread_condattr_t conditions;
static pthread_rwlockattr_t rwlocks;
static pthread_barrierattr_t barriers;

CASE(of_mutexes)
{
	int value;

	assert(pthread_mutexattr_init(&mutexes) == 0);
	assert(pthread_mutexattr_gettype(&mutexes, &value) == 0 && value == PTHREAD_MUTEX_DEFAULT);
	assert(pthread_mutexattr_settype(&mutexes, PTHREAD_MUTEX_RECURSIVE) == 0);
	assert(pthread_mutexattr_gettype(&mutexes, &value) == 0 && value == PTHREAD_MUTEX_RECURSIVE);
	assert(pthread_mutexattr_settype(&mutexes, 77) == EINVAL);
	assert(pthread_mutexattr_getrobust(&mutexes, &value) == 0 && value == PTHREAD_MUTEX_STALLED);
	assert(pthread_mutexattr_setrobust(&mutexes, PTHREAD_MUTEX_ROBUST) == 0);
	assert(pthread_mutexattr_getrobust(&mutexes, &value) == 0 && value == PTHREAD_MUTEX_ROBUST);
	assert(pthread_mutexattr_setrobust(&mutexes, 77) == EINVAL);
	assert(pthread_mutexattr_getpshared(&mutexes, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
	assert(pthread_mutexattr_setpshared(&mutexes, PTHREAD_PROCESS_PRIVATE) == 0);
	assert(pthread_mutexattr_setpshared(&mutexes, 77) == EINVAL);
	assert(pthread_mutexattr_getprotocol(&mutexes, &value) == 0 && value == PTHREAD_PRIO_NONE);
	assert(pthread_mutexattr_setprotocol(&mutexes, PTHREAD_PRIO_INHERIT) == 0);
	assert(pthread_mutexattr_getprotocol(&mutexes, &value) == 0 && value == PTHREAD_PRIO_INHERIT);
	assert(pthread_mutexattr_setprotocol(&mutexes, 77) == EINVAL);
	assert(pthread_mutexattr_setprioceiling(&mutexes, 5) == 0);
	assert(pthread_mutexattr_getprioceiling(&mutexes, &value) == 0 && value == 5);
	assert(pthread_mutexattr_setprioceiling(&mutexes, 7777) == EINVAL);
	assert(pthread_mutexattr_destroy(&mutexes) == 0);
}

CASE(of_conditions)
{
	clockid_t clock;
	int value;

	assert(pthread_condattr_init(&conditions) == 0);
	assert(pthread_condattr_getclock(&conditions, &clock) == 0 && clock == CLOCK_REALTIME);
	assert(pthread_condattr_setclock(&conditions, CLOCK_MONOTONIC) == 0);
	assert(pthread_condattr_getclock(&conditions, &clock) == 0 && clock == CLOCK_MONOTONIC);
	assert(pthread_condattr_setclock(&conditions, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
	assert(pthread_condattr_getpshared(&conditions, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
	assert(pthread_condattr_setpshared(&conditions, PTHREAD_PROCESS_PRIVATE) == 0);
	assert(pthread_condattr_setpshared(&conditions, 77) == EINVAL);
	assert(pthread_condattr_destroy(&conditions) == 0);
}

CASE(of_rwlocks)
{
	int value;

	assert(pthread_rwlockattr_init(&rwlocks) == 0);
	assert(pthread_rwlockattr_getkind_np(&rwlocks, &value) == 0 && value == PTHREAD_RWLOCK_DEFAULT_NP);
	assert(pthread_rwlockattr_setkind_np(&rwlocks, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
	assert(pthread_rwlockattr_getkind_np(&rwlocks, &value) == 0);
	assert(value == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	assert(pthread_rwlockattr_setkind_np(&rwlocks, 77) == EINVAL);
	assert(pthread_rwlockattr_getpshared(&rwlocks, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
	assert(pthread_rwlockattr_setpshared(&rwlocks, PTHREAD_PROCESS_PRIVATE) == 0);
	assert(pthread_rwlockattr_setpshared(&rwlocks, 77) == EINVAL);
	assert(pthread_rwlockattr_destroy(&rwlocks) == 0);
}

CASE(of_barriers)
{
	int value;

	assert(pthread_barrierattr_init(&barriers) == 0);
	assert(pthread_barrierattr_getpshared(&barriers, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
	assert(pthread_barrierattr_setpshared(&barriers, PTHREAD_PROCESS_PRIVATE) == 0);
	assert(pthread_barrierattr_setpshared(&barriers, 77) == EINVAL);
	assert(pthread_barrierattr_destroy(&barriers) == 0);
}

static pthread_mutexattr_t *shared_mutexes(void)
{
	pthread_mutexattr_init(&mutexes);
	assert(pthread_mutexattr_setpshared(&mutexes, PTHREAD_PROCESS_SHARED) == 0);
	return &mutexes;
}

static pthread_condattr_t *shared_conditions(void)
{
	pthread_condattr_init(&conditions);
	assert(pthread_condattr_setpshared(&conditions, PTHREAD_PROCESS_SHARED) == 0);
	return &conditions;
}

static pthread_rwlockattr_t *shared_rwlocks(void)
{
	pthread_rwlockattr_init(&rwlocks);
	assert(pthread_rwlockattr_setpshared(&rwlocks, PTHREAD_PROCESS_SHARED) == 0);
	return &rwlocks;
}

static pthread_barrierattr_t *shared_barriers(void)
{
	pthread_barrierattr_init(&barriers);
	assert(pthread_barrierattr_setpshared(&barriers, PTHREAD_PROCESS_SHARED) == 0);
	return &barriers;
}

static pthread_mutex_t mutex;
static pthread_cond_t condition;
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;

MISUSE(shared_mutex, pthread_mutex_init(&mutex, shared_mutexes())); // @shared_mutex
MISUSE(shared_condition, pthread_cond_init(&condition, shared_conditions())); // @shared_condition
MISUSE(shared_rwlock, pthread_rwlock_init(&rwlock, shared_rwlocks())); // @shared_rwlock
MISUSE(shared_barrier, pthread_barrier_init(&barrier, shared_barriers(), 2)); // @shared_barrier
