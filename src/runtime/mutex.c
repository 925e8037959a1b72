/*
 * Mutexes of all kinds.  The state is kept in the pthread_mutex_t itself, in
 * glibc's own fields, so that static initialisers work, the snapshot rolls it
 * back, and nothing is looked up:
 *
 *   __lock   0 when free, else the owner's number + 1
 *   __count  how often a recursive mutex is held
 *   __kind   as initialised
 */
#include "runtime/runtime.h"

#include <errno.h>
#include <string.h>

enum { KIND_MASK = 3, KIND_DESTROYED = -1 };

static struct __pthread_mutex_s *inside(uint64_t mutex)
{
	return &((pthread_mutex_t *)mutex)->__data;
}

static int kind_of(uint64_t mutex)
{
	return inside(mutex)->__kind & KIND_MASK;
}

/* A bad pointer faults here, where the fault counts as the caller's. */
static void touch(const pthread_mutex_t *mutex)
{
	rt->touching = true;
	(void)*(volatile const int *)mutex;
	rt->touching = false;
	heap_check_object(mutex, sizeof *mutex);
}

/* The mutex may be destroyed, or initialised again, while the thread waits for its turn. */
static void check_alive(const pthread_mutex_t *mutex)
{
	if (mutex->__data.__kind == KIND_DESTROYED)
		anomaly(EV_MISUSE, "use of a mutex that was destroyed");
}

bool mutex_is_free(uint64_t mutex)
{
	return inside(mutex)->__lock == 0;
}

bool mutex_is_mine(uint64_t mutex)
{
	return inside(mutex)->__lock == (int)rt->current + 1;
}

void mutex_take(uint64_t mutex)
{
	inside(mutex)->__lock = (int)rt->current + 1;
	inside(mutex)->__count = 1;
	refresh(mutex);
}

void mutex_release(uint64_t mutex)
{
	inside(mutex)->__lock = 0;
	inside(mutex)->__count = 0;
	refresh(mutex);
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	struct op op = make_op(EV_MUTEX_INIT, mutex);
	int kind = PTHREAD_MUTEX_DEFAULT, robust = PTHREAD_MUTEX_STALLED, shared = PTHREAD_PROCESS_PRIVATE;

	if (attributes) {
		pthread_mutexattr_gettype(attributes, &kind);
		pthread_mutexattr_getrobust(attributes, &robust);
		pthread_mutexattr_getpshared(attributes, &shared);
	}
	if (robust == PTHREAD_MUTEX_ROBUST)
		anomaly(EV_REFUSED, "pthread_mutex_init of a robust mutex is not supported");
	if (shared == PTHREAD_PROCESS_SHARED)
		anomaly(EV_REFUSED, "pthread_mutex_init of a mutex shared between processes is not supported");
	touch(mutex);
	point(&op);
	memset(mutex, 0, sizeof *mutex);
	mutex->__data.__kind = kind;
	refresh((uint64_t)mutex);
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_DESTROY, mutex);

	touch(mutex);
	point(&op);
	if (!mutex_is_free((uint64_t)mutex))
		anomaly(EV_MISUSE, "pthread_mutex_destroy of a mutex that is held");
	check_alive(mutex);
	mutex->__data.__kind = KIND_DESTROYED;
	return 0;
}

/* A recursive or error-checking mutex that the caller holds already; -1 if it does not. */
static int lock_again(pthread_mutex_t *mutex, int if_errorcheck)
{
	struct op op = make_op(EV_MUTEX_RELOCK, mutex);

	if (!mutex_is_mine((uint64_t)mutex))
		return -1;
	if (mutex->__data.__kind == KIND_DESTROYED)
		return -1;
	switch (kind_of((uint64_t)mutex)) {
	case PTHREAD_MUTEX_RECURSIVE:
		if (mutex->__data.__count + 1 == 0)
			return EAGAIN;
		local_event(&op);
		mutex->__data.__count++;
		return 0;
	case PTHREAD_MUTEX_ERRORCHECK: return if_errorcheck;
	}
	return -1;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_LOCK, mutex);

	touch(mutex);
	int again = lock_again(mutex, EDEADLK);
	if (again >= 0)
		return again;
	point(&op);
	check_alive(mutex);
	mutex_take((uint64_t)mutex);
	return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_TRYLOCK, mutex);

	touch(mutex);
	int again = lock_again(mutex, EBUSY);
	if (again >= 0)
		return again;
	point(&op);
	check_alive(mutex);
	if (!mutex_is_free((uint64_t)mutex))
		return EBUSY;
	mutex_take((uint64_t)mutex);
	return 0;
}

/*
 * Only the owner may unlock.  What POSIX leaves undefined for a normal mutex is a
 * finding; the checking kinds return an error, which no other thread can change.
 */
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_UNLOCK, mutex);

	touch(mutex);
	if (!mutex_is_mine((uint64_t)mutex)) {
		int kind = kind_of((uint64_t)mutex);
		if (kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK)
			return EPERM;
		anomaly(EV_MISUSE, "pthread_mutex_unlock of a mutex that the thread does not hold");
	}
	if (mutex->__data.__count > 1) {
		op.kind = EV_MUTEX_REUNLOCK;
		local_event(&op);
		mutex->__data.__count--;
		return 0;
	}
	point(&op);
	check_alive(mutex);
	if (!mutex_is_mine((uint64_t)mutex))
		anomaly(EV_MISUSE, "pthread_mutex_unlock of a mutex that was initialised again while it was held");
	mutex_release((uint64_t)mutex);
	return 0;
}
