/*
 * syscall(), for the sake of one system call: the C++ library builds futures,
 * semaphores, latches, barriers and waiting for an atomic on the futex.
 *
 * A wait is two operations: it looks at the word and joins the waiters (or the word
 * has changed already), and it goes on when it was woken.  Waiters are a set; a wake
 * chooses one of them, and the explorer tries each choice.  Other system calls are
 * those of by_number.c, or are made as they are and meet the filter (syscalls.c).
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/memory/memory.h"
#include "runtime/process/system.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

enum { WORD = 4 }; /* bytes of a futex */

static enum event_kind kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;
	bool nobody = event_is(op->kind, EV_LETS_GO) && !cond_waiters(op->object);

	return nobody ? EV_FUTEX_WAKE_NONE : op->kind;
}

/* A wake does not touch the word, which may be gone. */
const struct primitive primitive_FUTEX = {.kind = kind};

static struct op futex_op(enum event_kind kind, uint32_t *word, uint32_t site)
{
	bool reads = event_table[kind].object_class == OBJECT_MEMORY;

	return (struct op){.kind = (uint8_t)kind, .site = site, .object = (uint64_t)word, .size = reads ? WORD : 0};
}

static long futex_wait(uint32_t *word, uint32_t expected, const void *timeout)
{
	struct thread *thread = self();
	uint32_t site = rt->current_site;
	struct op op = futex_op(EV_FUTEX_WAIT, word, site);

	if (timeout)
		anomaly(EV_REFUSED, "waiting for an atomic, a semaphore or a future with a timeout is not supported");
	if (rt->phase != PHASE_RUN)
		anomaly(EV_REFUSED, "waiting on a futex outside a running thread is not supported");
	touch(word);
	share_memory((uint64_t)word, WORD);
	thread->expected = expected;
	if (point(&op)->op.kind == EV_FUTEX_AGAIN)
		return -EAGAIN;
	thread->waiting = true;
	thread->sync.wait_cond = (uint64_t)word;
	op = futex_op(EV_FUTEX_WOKEN, word, site);
	point(&op);
	thread->sync.wait_cond = 0;
	invariant(!thread->waiting);
	return 0;
}

static void wake_waiter(unsigned thread)
{
	invariant(rt->threads[thread].state == THREAD_LIVE);
	invariant(rt->threads[thread].waiting);
	rt->threads[thread].waiting = false;
	reconsider_thread(thread);
}

static long futex_wake(uint32_t *word, uint32_t count)
{
	struct op op = futex_op(count == 1 ? EV_FUTEX_WAKE : EV_FUTEX_WAKE_ALL, word, rt->current_site);
	struct event *event = point(&op);
	uint64_t waiters = cond_waiters((uint64_t)word);
	long woken = 0;

	if (!event || !waiters)
		return 0;
	if (count == 1) {
		for (unsigned n = event->choice; n--;)
			waiters &= waiters - 1;
		waiters &= -waiters;
	} else if (count < (uint32_t)__builtin_popcountll(waiters)) {
		anomaly(EV_REFUSED, "a futex that wakes some of its waiters is not supported");
	}
	event->value = waiters;
	for (uint64_t left = waiters; left; left &= left - 1, woken++)
		wake_waiter((unsigned)__builtin_ctzll(left));
	return woken;
}

static long futex(uint32_t *word, long operation, uint32_t value, const void *timeout)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET: return futex_wait(word, value, timeout);
	case FUTEX_WAKE: return futex_wake(word, value);
	}
	anomaly(EV_REFUSED, "this futex operation is not supported");
}

long syscall(long number, ...)
{
	va_list arguments;
	long a[6], result;

	va_start(arguments, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (system_by_number(number, a, &result))
		return result;
	if (number == SYS_futex)
		result = futex((uint32_t *)a[0], a[1], (uint32_t)a[2], (const void *)a[3]);
	else
		result = arch_filtered_syscall(number, a);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}
