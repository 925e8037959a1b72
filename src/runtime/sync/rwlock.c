/*
 * Read-write locks.  The state is in the pthread_rwlock_t itself, in glibc's own fields,
 * so that static initialisers work and the snapshot rolls it back:
 *
 *   __readers     how many read locks are held
 *   __cur_writer  0, or the writer's number + 1
 *   __pad3        STATIC by a marked static initialiser or the first use without one, INITIALISED by pthread_rwlock_init, DESTROYED, or anything
 *
 * Which thread holds how many read locks is in the thread.  A reader is never kept out by a
 * writer that only waits: whether it is, POSIX leaves to the implementation.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/memory.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <string.h>

#define INITIALISED 0x6b6c7772u
#define STATIC 0x6b6c7773u
#define DESTROYED 0x64656d6eu

enum { KINDS = 3 };

static struct __pthread_rwlock_arch_t *inside(uint64_t rwlock)
{
	return &((pthread_rwlock_t *)rwlock)->__data;
}

static bool was_initialised(const struct __pthread_rwlock_arch_t *data)
{
	return data->__flags < KINDS && data->__cur_writer >= 0 && data->__cur_writer <= MAX_THREADS;
}

/* Nobody waits for what is no lock: then the attempt is a misuse. */
static bool allows_reader(uint64_t rwlock)
{
	return inside(rwlock)->__cur_writer == 0 || !was_initialised(inside(rwlock));
}

static bool allows_writer(uint64_t rwlock)
{
	return (inside(rwlock)->__cur_writer == 0 && inside(rwlock)->__readers == 0) ||
	       !was_initialised(inside(rwlock));
}

static bool ready(const struct op *op)
{
	return event_table[op->kind].effect == EFFECT_READ_ACQUIRE ? allows_reader(op->object)
								   : allows_writer(op->object);
}

static enum event_kind kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	switch (op->kind) {
	case EV_RWLOCK_TRYRDLOCK: return allows_reader(op->object) ? EV_RWLOCK_TRYRDLOCK : EV_RWLOCK_TRYRDLOCK_FAIL;
	case EV_RWLOCK_TRYWRLOCK: return allows_writer(op->object) ? EV_RWLOCK_TRYWRLOCK : EV_RWLOCK_TRYWRLOCK_FAIL;
	}
	return op->kind;
}

static const char *in_use(uint64_t rwlock)
{
	return allows_writer(rwlock) ? NULL : "a read-write lock that is locked";
}

const struct primitive primitive_RWLOCK = {.ready = ready,
					   .kind = kind,
					   .in_use = in_use,
					   .size = sizeof(pthread_rwlock_t),
					   .telling = sizeof(pthread_rwlock_t)};

static bool is_writer(const pthread_rwlock_t *rwlock)
{
	return rwlock->__data.__cur_writer == (int)rt->current + 1;
}

/* The running thread's record of its read locks; NULL if it has none and `make` is false. */
static struct held_read *held_read(const pthread_rwlock_t *rwlock, bool make)
{
	struct thread *thread = self();
	struct held_read *unused = NULL;

	invariant(thread->sync.nheld <= MAX_HELD_READS);
	for (unsigned i = 0; i < thread->sync.nheld; i++) {
		struct held_read *held = &thread->sync_lists.reads[i];
		if (held->count && held->rwlock == (uint64_t)rwlock)
			return held;
		if (!held->count && !unused)
			unused = held;
	}
	if (!make)
		return NULL;
	if (!unused && thread->sync.nheld < MAX_HELD_READS)
		unused = &thread->sync_lists.reads[thread->sync.nheld++];
	if (!unused)
		anomaly(EV_REFUSED, "a thread with more than 16 read locks at once is not supported");
	*unused = (struct held_read){.rwlock = (uint64_t)rwlock};
	return unused;
}

/* Who waits to write would keep out who reads already and wants to do so again: a deadlock that we would not find. */
static void refuse_preference(const struct __pthread_rwlock_arch_t *data)
{
	if (data->__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP && rt->phase == PHASE_RUN && rt->nthreads > 1)
		anomaly(EV_REFUSED, "a read-write lock that prefers writers "
				    "(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) is not supported");
}

/* The event, if there is one, is the operation on it. */
static void check_alive(pthread_rwlock_t *rwlock, struct event *event, const char *function)
{
	struct __pthread_rwlock_arch_t *data = &rwlock->__data;
	char message[MAX_MESSAGE];

	if (data->__pad3 == DESTROYED)
		message_set(message, function, " of a read-write lock that was destroyed", NULL);
	else if (!was_initialised(data))
		message_set(message, function, " of a read-write lock that was never initialised", NULL);
	else {
		refuse_preference(data);
		if (!data->__pad3 && zero_is_uninitialised(rwlock) && note_uninitialised(event))
			data->__pad3 = STATIC;
		return;
	}
	anomaly(EV_MISUSE, message);
}

int pthread_rwlock_init(pthread_rwlock_t *rwlock, const pthread_rwlockattr_t *attributes)
{
	struct op op = make_op(EV_RWLOCK_INIT, rwlock);
	int kind = 0, shared = PTHREAD_PROCESS_PRIVATE;

	touch(rwlock);
	if (attributes) {
		pthread_rwlockattr_t own;
		read_in(&own, attributes, sizeof own);
		pthread_rwlockattr_getkind_np(&own, &kind);
		pthread_rwlockattr_getpshared(&own, &shared);
	}
	if (kind < 0 || kind >= KINDS || (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED))
		return EINVAL;
	if (shared == PTHREAD_PROCESS_SHARED)
		anomaly(EV_REFUSED, "pthread_rwlock_init of a lock shared between processes is not supported");
	point(&op);
	if (rwlock->__data.__pad3 == INITIALISED && !is_in_reused_memory(rwlock))
		anomaly(EV_MISUSE, "pthread_rwlock_init of a read-write lock that is initialised already");
	memset(rwlock, 0, sizeof *rwlock);
	rwlock->__data.__pad3 = INITIALISED;
	rwlock->__data.__flags = (unsigned)kind;
	reconsider_object((uint64_t)rwlock);
	return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *rwlock)
{
	struct op op = make_op(EV_RWLOCK_DESTROY, rwlock);

	touch(rwlock);
	check_alive(rwlock, point(&op), "pthread_rwlock_destroy");
	if (!allows_writer((uint64_t)rwlock))
		anomaly(EV_MISUSE, "pthread_rwlock_destroy of a read-write lock that is held");
	rwlock->__data.__pad3 = DESTROYED;
	return 0;
}

static int take_for_reading(pthread_rwlock_t *rwlock)
{
	invariant(rt->phase != PHASE_RUN || rwlock->__data.__cur_writer == 0);
	held_read(rwlock, true)->count++;
	rwlock->__data.__readers++;
	reconsider_object((uint64_t)rwlock);
	return 0;
}

static int take_for_writing(pthread_rwlock_t *rwlock)
{
	invariant(rt->phase != PHASE_RUN || rwlock->__data.__cur_writer == 0);
	invariant(rt->phase != PHASE_RUN || rwlock->__data.__readers == 0);
	rwlock->__data.__cur_writer = (int)rt->current + 1;
	reconsider_object((uint64_t)rwlock);
	return 0;
}

static int take(pthread_rwlock_t *rwlock, bool writing)
{
	return writing ? take_for_writing(rwlock) : take_for_reading(rwlock);
}

static const char *lock_name(bool writing)
{
	return writing ? "pthread_rwlock_wrlock" : "pthread_rwlock_rdlock";
}

/* What the caller holds itself can never become free; no other thread can change that. */
static bool deadlocks_with_itself(const pthread_rwlock_t *rwlock)
{
	return is_writer(rwlock);
}

static int lock(pthread_rwlock_t *rwlock, bool writing)
{
	struct op op = make_op(writing ? EV_RWLOCK_WRLOCK : EV_RWLOCK_RDLOCK, rwlock);

	touch(rwlock);
	if (deadlocks_with_itself(rwlock))
		return EDEADLK;
	check_alive(rwlock, point(&op), lock_name(writing));
	return take(rwlock, writing);
}

static int try_lock(pthread_rwlock_t *rwlock, bool writing)
{
	struct op op = make_op(writing ? EV_RWLOCK_TRYWRLOCK : EV_RWLOCK_TRYRDLOCK, rwlock);

	touch(rwlock);
	check_alive(rwlock, point(&op), lock_name(writing));
	if (writing ? !allows_writer((uint64_t)rwlock) : !allows_reader((uint64_t)rwlock))
		return EBUSY;
	return take(rwlock, writing);
}

static int timed_lock(pthread_rwlock_t *rwlock, bool writing, clockid_t clock, const struct timespec *until)
{
	struct op op = make_op(writing ? EV_RWLOCK_WRLOCK : EV_RWLOCK_RDLOCK, rwlock);
	struct timespec own;

	touch(rwlock);
	read_in(&own, until, sizeof own);
	until = &own;
	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || !time_is_valid(until))
		return EINVAL;
	if (deadlocks_with_itself(rwlock))
		return EDEADLK;
	struct event *event = timed_point(&op, timeout_mode(clock, until));
	check_alive(rwlock, event, lock_name(writing));
	if (!event || !is_timeout(event->op.kind))
		return take(rwlock, writing);
	timeout_happened(clock, until);
	return ETIMEDOUT;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *rwlock)
{
	return lock(rwlock, false);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *rwlock)
{
	return lock(rwlock, true);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *rwlock)
{
	return try_lock(rwlock, false);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *rwlock)
{
	return try_lock(rwlock, true);
}

int STATEFUL(pthread_rwlock_timedrdlock)(pthread_rwlock_t *rwlock, const struct timespec *until)
{
	return timed_lock(rwlock, false, CLOCK_REALTIME, until);
}

int STATEFUL(pthread_rwlock_timedwrlock)(pthread_rwlock_t *rwlock, const struct timespec *until)
{
	return timed_lock(rwlock, true, CLOCK_REALTIME, until);
}

int STATEFUL(pthread_rwlock_clockrdlock)(pthread_rwlock_t *rwlock, clockid_t clock, const struct timespec *until)
{
	return timed_lock(rwlock, false, clock, until);
}

int STATEFUL(pthread_rwlock_clockwrlock)(pthread_rwlock_t *rwlock, clockid_t clock, const struct timespec *until)
{
	return timed_lock(rwlock, true, clock, until);
}

int pthread_rwlock_unlock(pthread_rwlock_t *rwlock)
{
	touch(rwlock);
	bool writing = is_writer(rwlock);
	struct held_read *held = writing ? NULL : held_read(rwlock, false);
	struct op op = make_op(writing ? EV_RWLOCK_WRUNLOCK : EV_RWLOCK_RDUNLOCK, rwlock);

	check_alive(rwlock, point(&op), "pthread_rwlock_unlock");
	if (!writing && !held)
		anomaly(EV_MISUSE, "pthread_rwlock_unlock of a read-write lock that the thread does not hold");
	if (writing ? !is_writer(rwlock) : !rwlock->__data.__readers)
		anomaly(EV_MISUSE, "pthread_rwlock_unlock of a read-write lock that was initialised again while held");
	if (writing) {
		rwlock->__data.__cur_writer = 0;
	} else {
		invariant(held->count && held->rwlock == (uint64_t)rwlock);
		held->count--;
		rwlock->__data.__readers--;
	}
	reconsider_object((uint64_t)rwlock);
	return 0;
}
