/*
 * Spin locks: a thread that finds one taken waits as for a mutex.  The state is in the
 * pthread_spinlock_t, an int without a static initialiser: FREE, FREE + owner + 1, DESTROYED;
 * anything else was never initialised.
 */
#include "common/invariant.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/memory/memory.h"
#include "runtime/sync/sync.h"

#include <errno.h>

enum { FREE = 0x53500000, DESTROYED = 0x53510000 };

static bool is_alive(int value)
{
	return value >= FREE && value <= FREE + MAX_THREADS;
}

static bool is_free(uint64_t spin)
{
	int value = *(volatile int *)spin;

	return value == FREE || !is_alive(value); /* then the attempt is a misuse */
}

static bool ready(const struct op *op)
{
	return is_free(op->object);
}

static enum event_kind kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	return op->kind == EV_SPIN_TRYLOCK && !is_free(op->object) ? EV_SPIN_TRYLOCK_FAIL : op->kind;
}

static const char *in_use(uint64_t spin)
{
	return is_free(spin) ? NULL : "a spin lock that is locked";
}

const struct primitive primitive_SPIN = {
	.ready = ready, .kind = kind, .in_use = in_use, .size = sizeof(pthread_spinlock_t), .telling = sizeof(int)};

static void check_alive(const pthread_spinlock_t *spin, const char *function)
{
	char message[MAX_MESSAGE];

	if (is_alive(*spin))
		return;
	message_set(message, function,
		    *spin == DESTROYED ? " of a spin lock that was destroyed"
				       : " of a spin lock that was never initialised",
		    NULL);
	anomaly(EV_MISUSE, message);
}

int pthread_spin_init(pthread_spinlock_t *spin, int shared)
{
	struct op op = make_op(EV_SPIN_INIT, (void *)spin);

	touch(spin);
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	if (shared == PTHREAD_PROCESS_SHARED)
		anomaly(EV_REFUSED, "pthread_spin_init of a lock shared between processes is not supported");
	point(&op);
	if (is_alive(*spin) && !is_in_reused_memory(spin))
		anomaly(EV_MISUSE, "pthread_spin_init of a spin lock that is initialised already");
	*spin = FREE;
	reconsider_object((uint64_t)spin);
	return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *spin)
{
	struct op op = make_op(EV_SPIN_DESTROY, (void *)spin);

	touch(spin);
	point(&op);
	check_alive((pthread_spinlock_t *)spin, "pthread_spin_destroy");
	if (*spin != FREE)
		anomaly(EV_MISUSE, "pthread_spin_destroy of a spin lock that is held");
	*spin = DESTROYED;
	return 0;
}

static void take(pthread_spinlock_t *spin)
{
	invariant(rt->phase != PHASE_RUN || *spin == FREE);
	*spin = FREE + (int)rt->current + 1;
	reconsider_object((uint64_t)spin);
}

int pthread_spin_lock(pthread_spinlock_t *spin)
{
	struct op op = make_op(EV_SPIN_LOCK, (void *)spin);

	touch(spin);
	point(&op);
	check_alive(spin, "pthread_spin_lock");
	take(spin);
	return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *spin)
{
	struct op op = make_op(EV_SPIN_TRYLOCK, (void *)spin);

	touch(spin);
	point(&op);
	check_alive(spin, "pthread_spin_trylock");
	if (*spin != FREE)
		return EBUSY;
	take(spin);
	return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *spin)
{
	struct op op = make_op(EV_SPIN_UNLOCK, (void *)spin);

	touch(spin);
	point(&op);
	check_alive(spin, "pthread_spin_unlock");
	if (*spin != FREE + (int)rt->current + 1)
		anomaly(EV_MISUSE, "pthread_spin_unlock of a spin lock that the thread does not hold");
	*spin = FREE;
	reconsider_object((uint64_t)spin);
	return 0;
}
