/*
 * Condition variables.  A pthread_cond_t holds no state of ours: who waits is in
 * the threads.  The waiters are a set; a signal chooses one of them, and the
 * explorer tries each choice.
 */
#include "runtime/runtime.h"

#include <string.h>

uint64_t cond_waiters(uint64_t cond)
{
	uint64_t waiters = 0;

	for (uint64_t left = rt->blocking; left; left &= left - 1) {
		unsigned i = __builtin_ctzll(left);
		if (rt->threads[i].waiting && rt->threads[i].wait_cond == cond)
			waiters |= bit(i);
	}
	return waiters;
}

static void touch(const pthread_cond_t *cond)
{
	rt->touching = true;
	(void)*(volatile const int *)cond;
	rt->touching = false;
	heap_check_object(cond, sizeof *cond);
}

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
	struct op op = make_op(EV_COND_INIT, cond);
	int shared = PTHREAD_PROCESS_PRIVATE;

	if (attributes)
		pthread_condattr_getpshared(attributes, &shared);
	if (shared == PTHREAD_PROCESS_SHARED)
		anomaly(EV_REFUSED, "pthread_cond_init of a condition shared between processes is not supported");
	touch(cond);
	point(&op);
	memset(cond, 0, sizeof *cond);
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond)
{
	struct op op = make_op(EV_COND_DESTROY, cond);

	touch(cond);
	point(&op);
	if (cond_waiters((uint64_t)cond))
		anomaly(EV_MISUSE, "pthread_cond_destroy of a condition variable that a thread waits on");
	return 0;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	struct op op = make_op(EV_COND_WAIT, cond);
	struct thread *thread = self();

	touch(cond);
	op.object2 = (uint64_t)mutex;
	if (!mutex_is_mine((uint64_t)mutex))
		anomaly(EV_MISUSE, "pthread_cond_wait with a mutex that the thread does not hold");
	if (mutex->__data.__count > 1)
		anomaly(EV_MISUSE, "pthread_cond_wait with a recursive mutex that is locked more than once");
	if (rt->phase != PHASE_RUN)
		anomaly(EV_REFUSED, "pthread_cond_wait outside a running thread would wait for ever");
	point(&op);
	thread->waiting = true;
	thread->wait_cond = (uint64_t)cond;
	mutex_release((uint64_t)mutex);
	op = (struct op){.kind = EV_COND_WAKE, .site = op.site, .object = (uint64_t)mutex};
	point(&op);
	mutex_take((uint64_t)mutex);
	return 0;
}

static void wake(unsigned thread)
{
	rt->threads[thread].waiting = false;
	refresh(rt->threads[thread].pending.object);
}

static unsigned nth_member(uint64_t set, unsigned n)
{
	while (n--)
		set &= set - 1;
	return (unsigned)__builtin_ctzll(set);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	struct op op = make_op(EV_COND_SIGNAL, cond);

	touch(cond);
	struct event *event = point(&op);
	uint64_t waiters = cond_waiters((uint64_t)cond);
	if (!event || !waiters)
		return 0;
	unsigned woken = nth_member(waiters, event->choice);
	event->value = bit(woken);
	wake(woken);
	return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	struct op op = make_op(EV_COND_BROADCAST, cond);

	touch(cond);
	struct event *event = point(&op);
	uint64_t waiters = cond_waiters((uint64_t)cond);
	if (!event || !waiters)
		return 0;
	event->value = waiters;
	for (uint64_t left = waiters; left; left &= left - 1)
		wake((unsigned)__builtin_ctzll(left));
	return 0;
}
