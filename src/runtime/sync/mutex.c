/*
 * Mutexes of all kinds.  The state is kept in the pthread_mutex_t itself, in
 * glibc's own fields, so that static initialisers work, the snapshot rolls it
 * back, and nothing is looked up:
 *
 *   __lock    0 when free, else the owner's number + 1
 *   __count   how often a recursive mutex is held
 *   __kind    as initialised; DESTROYED
 *   __nusers  STATIC by a marked static initialiser or the first use without one, INITIALISED by pthread_mutex_init, then DIED when the owner of a robust
 *             mutex ended, LOST when it was unlocked in that state
 *   __list    of a robust mutex: the next one that its owner holds
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
#include "runtime/state/state.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <string.h>

enum { KIND_MASK = 3, ROBUST = 16, DESTROYED = 0x64656d6c };
enum { INITIALISED = 0x6d757400, DIED, LOST, STATIC = 0x6d757410 };

static struct __pthread_mutex_s *inside(uint64_t mutex)
{
	return &((pthread_mutex_t *)mutex)->__data;
}

static int kind_of(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & KIND_MASK;
}

static bool is_robust(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind != DESTROYED && mutex->__data.__kind & ROBUST;
}

/*
 * The mutex may be destroyed, or initialised again, while the thread waits for its turn.  The event, if there is one, is
 * the operation on it.
 */
static void check_alive(pthread_mutex_t *mutex, struct event *event, const char *function)
{
	int kind = mutex->__data.__kind, owner = mutex->__data.__lock;
	char message[MAX_MESSAGE];

	if (kind == DESTROYED)
		message_set(message, function, " of a mutex that was destroyed", NULL);
	else if (kind & ~(KIND_MASK | ROBUST) || owner < 0 || owner > MAX_THREADS)
		message_set(message, function, " of a mutex that was never initialised", NULL);
	else {
		if (!mutex->__data.__nusers && zero_is_uninitialised(mutex) && note_uninitialised(event))
			mutex->__data.__nusers = STATIC;
		return;
	}
	anomaly(EV_MISUSE, message);
}

bool mutex_is_free(uint64_t mutex)
{
	return inside(mutex)->__lock == 0 || (unsigned)inside(mutex)->__lock > MAX_THREADS; /* then it is a misuse */
}

bool mutex_is_mine(uint64_t mutex)
{
	return inside(mutex)->__lock == (int)rt->current + 1;
}

/* Unlocked in the state in which its owner had died: nobody can have it any more. */
bool mutex_is_lost(uint64_t mutex)
{
	return is_robust((pthread_mutex_t *)mutex) && inside(mutex)->__nusers == LOST;
}

static bool ready(const struct op *op)
{
	return mutex_is_free(op->object);
}

static enum event_kind kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	switch (op->kind) {
	case EV_MUTEX_LOCK: return mutex_is_lost(op->object) ? EV_MUTEX_LOCK_LOST : EV_MUTEX_LOCK;
	case EV_COND_WAKE: return mutex_is_lost(op->object) ? EV_COND_WAKE_LOST : EV_COND_WAKE;
	case EV_MUTEX_TRYLOCK:
		if (!mutex_is_free(op->object))
			return EV_MUTEX_TRYLOCK_FAIL;
		return mutex_is_lost(op->object) ? EV_MUTEX_TRYLOCK_LOST : EV_MUTEX_TRYLOCK;
	}
	return op->kind;
}

static const char *in_use(uint64_t mutex)
{
	return mutex_is_free(mutex) ? NULL : "a mutex that is locked";
}

const struct primitive primitive_MUTEX = {
	.ready = ready, .kind = kind, .in_use = in_use, .size = sizeof(pthread_mutex_t), .telling = sizeof(int)};

bool mutex_is_robust(uint64_t mutex)
{
	return is_robust((pthread_mutex_t *)mutex);
}

static pthread_mutex_t **robust_link(pthread_mutex_t *mutex)
{
	return (pthread_mutex_t **)&mutex->__data.__list.__next;
}

static void take(uint64_t mutex)
{
	invariant(mutex_is_free(mutex));
	inside(mutex)->__lock = (int)rt->current + 1;
	inside(mutex)->__count = 1;
	if (is_robust((pthread_mutex_t *)mutex)) {
		if (is_stateful())
			state_unknown(); /* the list goes through other mutexes */
		*robust_link((pthread_mutex_t *)mutex) = self()->sync.robust;
		self()->sync.robust = (pthread_mutex_t *)mutex;
	}
	reconsider_object(mutex);
}

static void release(uint64_t mutex)
{
	inside(mutex)->__lock = 0;
	inside(mutex)->__count = 0;
	if (is_robust((pthread_mutex_t *)mutex)) {
		pthread_mutex_t **link = &self()->sync.robust;
		while (*link && *link != (pthread_mutex_t *)mutex)
			link = robust_link(*link);
		if (*link)
			*link = *robust_link(*link);
	}
	reconsider_object(mutex);
}

/* What the thread still holds, if it is robust, tells the next owner. */
void mutexes_abandon(void)
{
	while (self()->sync.robust) {
		pthread_mutex_t *mutex = self()->sync.robust;
		struct op op = make_op(EV_MUTEX_OWNER_DIED, mutex);
		point(&op);
		mutex->__data.__nusers = DIED;
		release((uint64_t)mutex);
	}
}

struct settings {
	int kind, robust, shared, protocol;
};

static struct settings read_attributes(const pthread_mutexattr_t *attributes)
{
	struct settings settings = {.kind = PTHREAD_MUTEX_DEFAULT};

	if (!attributes)
		return settings;
	pthread_mutexattr_t own;
	read_in(&own, attributes, sizeof own);
	pthread_mutexattr_gettype(&own, &settings.kind);
	pthread_mutexattr_getrobust(&own, &settings.robust);
	pthread_mutexattr_getpshared(&own, &settings.shared);
	pthread_mutexattr_getprotocol(&own, &settings.protocol);
	return settings;
}

/* An attribute object that was never initialised has anything in it. */
static bool are_valid(const struct settings *settings)
{
	return settings->kind >= 0 && settings->kind <= KIND_MASK && settings->robust >= 0 && settings->robust <= 1 &&
	       settings->shared >= 0 && settings->shared <= 1 && settings->protocol >= PTHREAD_PRIO_NONE &&
	       settings->protocol <= PTHREAD_PRIO_PROTECT;
}

static bool is_initialised(const pthread_mutex_t *mutex)
{
	return mutex->__data.__nusers >= INITIALISED && mutex->__data.__nusers <= LOST &&
	       mutex->__data.__kind != DESTROYED && !is_in_reused_memory(mutex);
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	struct op op = make_op(EV_MUTEX_INIT, mutex);

	touch(mutex);
	struct settings settings = read_attributes(attributes);
	if (!are_valid(&settings))
		return EINVAL;
	if (settings.shared == PTHREAD_PROCESS_SHARED)
		anomaly(EV_REFUSED, "pthread_mutex_init of a mutex shared between processes is not supported");
	point(&op);
	if (is_initialised(mutex))
		anomaly(EV_MISUSE, "pthread_mutex_init of a mutex that is initialised already");
	memset(mutex, 0, sizeof *mutex);
	mutex->__data.__kind = settings.kind | (settings.robust == PTHREAD_MUTEX_ROBUST ? ROBUST : 0);
	mutex->__data.__nusers = INITIALISED;
	reconsider_object((uint64_t)mutex);
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_DESTROY, mutex);

	touch(mutex);
	check_alive(mutex, point(&op), "pthread_mutex_destroy");
	if (!mutex_is_free((uint64_t)mutex))
		anomaly(EV_MISUSE, "pthread_mutex_destroy of a mutex that is held");
	mutex->__data.__kind = DESTROYED;
	return 0;
}

/* A recursive or error-checking mutex that the caller holds already; -1 if it does not. */
static int lock_again(pthread_mutex_t *mutex, int if_errorcheck)
{
	struct op op = make_op(EV_MUTEX_RELOCK, mutex);

	if (!mutex_is_mine((uint64_t)mutex) || mutex->__data.__kind == DESTROYED)
		return -1;
	switch (kind_of(mutex)) {
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

int mutex_take_over(uint64_t mutex)
{
	if (mutex_is_lost(mutex))
		return ENOTRECOVERABLE;
	take(mutex);
	return is_robust((pthread_mutex_t *)mutex) && inside(mutex)->__nusers == DIED ? EOWNERDEAD : 0;
}

void mutex_give_back(uint64_t mutex)
{
	if (is_robust((pthread_mutex_t *)mutex) && inside(mutex)->__nusers == DIED)
		inside(mutex)->__nusers = LOST;
	release(mutex);
}

/* Outside a running thread nobody else can unlock it. */
static void refuse_to_wait(const struct event *event, const pthread_mutex_t *mutex)
{
	if (!event && !mutex_is_free((uint64_t)mutex))
		anomaly(EV_REFUSED, "pthread_mutex_lock outside a running thread would wait for ever");
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_LOCK, mutex);

	touch(mutex);
	int again = lock_again(mutex, EDEADLK);
	if (again >= 0)
		return again;
	struct event *event = point(&op);
	check_alive(mutex, event, "pthread_mutex_lock");
	refuse_to_wait(event, mutex);
	return mutex_take_over((uint64_t)mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_TRYLOCK, mutex);

	touch(mutex);
	int again = lock_again(mutex, EBUSY);
	if (again >= 0)
		return again;
	check_alive(mutex, point(&op), "pthread_mutex_trylock");
	return mutex_is_free((uint64_t)mutex) ? mutex_take_over((uint64_t)mutex) : EBUSY;
}

int STATEFUL(pthread_mutex_clocklock)(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	struct op op = make_op(EV_MUTEX_LOCK, mutex);
	struct timespec own;

	touch(mutex);
	read_in(&own, until, sizeof own);
	until = &own;
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	int again = lock_again(mutex, EDEADLK);
	if (again >= 0)
		return again;
	bool valid = time_is_valid(until); /* matters only if it had to wait */
	struct event *event = timed_point(&op, valid ? timeout_mode(clock, until) : TIMED_FREE);
	check_alive(mutex, event, "pthread_mutex_timedlock");
	if (event && is_timeout(event->op.kind)) {
		if (valid)
			timeout_happened(clock, until);
		return valid ? ETIMEDOUT : EINVAL;
	}
	refuse_to_wait(event, mutex);
	return mutex_take_over((uint64_t)mutex);
}

int STATEFUL(pthread_mutex_timedlock)(pthread_mutex_t *mutex, const struct timespec *until)
{
	return STATEFUL(pthread_mutex_clocklock)(mutex, CLOCK_REALTIME, until);
}

/* Of the kinds that tell who unlocks without being the owner. */
static bool checks_owner(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind;

	return !(kind & ~(KIND_MASK | ROBUST)) &&
	       (kind & ROBUST || kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK);
}

/*
 * Only the owner may unlock.  What POSIX leaves undefined for a normal mutex is a
 * finding; the checking kinds return an error, which no other thread can change.
 */
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_UNLOCK, mutex);

	touch(mutex);
	bool mine = mutex_is_mine((uint64_t)mutex);
	if (!mine && checks_owner(mutex))
		return EPERM;
	if (mine && mutex->__data.__count > 1) {
		op.kind = EV_MUTEX_REUNLOCK;
		local_event(&op);
		mutex->__data.__count--;
		return 0;
	}
	check_alive(mutex, point(&op), "pthread_mutex_unlock");
	if (!mutex_is_mine((uint64_t)mutex))
		anomaly(EV_MISUSE, mine ? "pthread_mutex_unlock of a mutex that was initialised again while it was held"
					: "pthread_mutex_unlock of a mutex that the thread does not hold");
	mutex_give_back((uint64_t)mutex);
	return 0;
}

int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_MUTEX_CONSISTENT, mutex);

	touch(mutex);
	check_alive(mutex, NULL, "pthread_mutex_consistent");
	if (!is_robust(mutex) || !mutex_is_mine((uint64_t)mutex) || mutex->__data.__nusers != DIED)
		return EINVAL;
	local_event(&op);
	mutex->__data.__nusers = INITIALISED;
	return 0;
}

/* Priorities have no effect on which interleavings are possible. */
int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling)
{
	touch(mutex);
	check_alive((pthread_mutex_t *)mutex, NULL, "pthread_mutex_getprioceiling");
	write_out(ceiling, &(int){mutex->__data.__spins}, sizeof *ceiling);
	return 0;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old)
{
	touch(mutex);
	check_alive(mutex, NULL, "pthread_mutex_setprioceiling");
	if (ceiling < 0 || ceiling > 99)
		return EINVAL;
	write_out(old, &(int){mutex->__data.__spins}, sizeof *old);
	mutex->__data.__spins = (short)ceiling;
	return 0;
}
