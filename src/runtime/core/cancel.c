/*
 * Cancellation, and how a thread ends from the inside: cleanup handlers, innermost first.
 *
 * A cancellation point is a visible operation only in programs that cancel (FEATURE_CANCEL):
 * its order against pthread_cancel() decides.  Where a thread waits in one, the wait itself
 * is marked (make_cancellable) and ends as cancelled when that has happened.
 *
 * pthread_cleanup_push in C registers a jump buffer of libc's, __pthread_unwind_buf_t; the
 * code at its target runs the handler and calls __pthread_unwind_next().  What C++ has on the
 * stack is left by a forced unwinding, if the program has an unwinder.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/memory/arguments.h"

#include <errno.h>
#include <setjmp.h>

bool cancel_is_due(const struct thread *thread)
{
	return thread->cancel.pending && !thread->cancel.disabled && !thread->ending;
}

void make_cancellable(struct op *op)
{
	if (!(rt->channel->features & FEATURE_CANCEL) || rt->phase != PHASE_RUN)
		return;
	op->size = CANCELLABLE(rt->current);
	self()->cancel.possible = true;
}

void act_on_cancel(void)
{
	unwind_thread(PTHREAD_CANCELED);
}

/*
 * A thread that goes from one cancellation point to the next, and does nothing else that is visible, may never come to an
 * end unless it is cancelled; and nobody else moves meanwhile, so that nobody would ever be seen to cancel.
 */
static void suspect_cancel(struct thread *thread)
{
	enum { MANY = 1000 };

	if (rt->phase != PHASE_RUN || rt->nthreads < 2 || rt->channel->features & FEATURE_CANCEL)
		return;
	if (thread->cancel.points_since != rt->nevents) {
		thread->cancel.points_since = rt->nevents;
		thread->cancel.npoints = 0;
	}
	if (++thread->cancel.npoints == MANY)
		use_feature(FEATURE_CANCEL);
}

/* May somebody cancel the running thread? */
static bool can_be_cancelled(void)
{
	return rt->phase == PHASE_RUN && rt->channel->features & FEATURE_CANCEL && !self()->ending;
}

static struct event *visit_point(uint16_t choices)
{
	struct op op = make_op(EV_CANCEL_POINT, (void *)(uint64_t)rt->current);

	op.target = rt->current;
	op.choices = choices;
	return point(&op);
}

void cancellation_point(void)
{
	suspect_cancel(self());
	if (!can_be_cancelled())
		return;
	visit_point(0);
	if (cancel_is_due(self()))
		act_on_cancel();
}

bool cancel_is_chosen(void)
{
	struct event *event = can_be_cancelled() && !self()->cancel.disabled ? visit_point(2) : NULL;

	return event && event->choice == 1;
}

void possible_cancellation_point(void)
{
	if (cancel_is_chosen())
		act_on_cancel();
}

int pthread_cancel(pthread_t handle)
{
	int target = thread_of(handle);
	struct op op = make_op(EV_CANCEL, (void *)(uint64_t)target);

	if (target < 0)
		anomaly(EV_MISUSE, "pthread_cancel of a handle that is no thread");
	use_feature(FEATURE_CANCEL);
	op.target = (uint32_t)target;
	point(&op);
	struct thread *thread = &rt->threads[target];
	if (thread->joined)
		anomaly(EV_MISUSE, "pthread_cancel of a thread that was joined already");
	if (thread->state == THREAD_EXITED)
		return 0;
	thread->cancel.pending = true;
	reconsider_thread((unsigned)target);
	if ((unsigned)target == rt->current && thread->cancel.asynchronous && cancel_is_due(thread))
		act_on_cancel();
	return 0;
}

void pthread_testcancel(void)
{
	cancellation_point();
}

int pthread_setcancelstate(int state, int *old)
{
	struct thread *thread = self();

	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	int before = thread->cancel.disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
	if (old)
		write_out(old, &before, sizeof before);
	thread->cancel.disabled = state == PTHREAD_CANCEL_DISABLE;
	if (thread->cancel.asynchronous)
		cancellation_point();
	return 0;
}

int pthread_setcanceltype(int type, int *old)
{
	struct thread *thread = self();

	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	int before = thread->cancel.asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
	if (old)
		write_out(old, &before, sizeof before);
	thread->cancel.asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (thread->cancel.asynchronous)
		cancellation_point();
	return 0;
}

/* --- handlers --- */

void cleanup_push(struct cleanup *cleanup, void (*routine)(void *), void *argument)
{
	*cleanup = (struct cleanup){.next = self()->cancel.cleanups, .routine = routine, .argument = argument};
	self()->cancel.cleanups = cleanup;
}

void cleanup_pop(struct cleanup *cleanup)
{
	self()->cancel.cleanups = cleanup->next;
}

/* Our record is in the part of the buffer that is the library's. */
static struct cleanup *record_of(__pthread_unwind_buf_t *buffer)
{
	_Static_assert(sizeof(struct cleanup) <= sizeof buffer->__pad, "the record fits");
	return (struct cleanup *)buffer->__pad;
}

void __pthread_register_cancel(__pthread_unwind_buf_t *buffer)
{
	cleanup_push(record_of(buffer), NULL, buffer);
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer)
{
	cleanup_pop(record_of(buffer));
}

void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer)
{
	__pthread_register_cancel(buffer);
}

void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer)
{
	__pthread_unregister_cancel(buffer);
}

static void run_innermost(void)
{
	struct cleanup *cleanup = self()->cancel.cleanups;

	invariant(cleanup);
	self()->cancel.cleanups = cleanup->next;
	if (cleanup->routine)
		cleanup->routine(cleanup->argument);
	else
		siglongjmp((struct __jmp_buf_tag *)cleanup->argument, 1); /* comes back by __pthread_unwind_next() */
}

/* --- the stack --- */

enum { END_OF_STACK = 16 };

/* Called for each frame that is about to be left. */
static int leave_frame(int version, int actions, uint64_t class, void *exception, void *context, void *unused)
{
	(void)version, (void)class, (void)exception, (void)unused;
	bool last = (actions & END_OF_STACK) != 0;
	while (self()->cancel.cleanups && (last || (uint64_t)self()->cancel.cleanups < rt->library.unwind_cfa(context)))
		run_innermost();
	if (last)
		thread_finish(self()->result);
	return 0;
}

/* Called when a handler of C++ is done with the end of the thread, as with an exception of its own. */
static void not_thrown_again(int reason, void *exception)
{
	(void)reason, (void)exception;
	anomaly(EV_TERMINATE,
		"a handler caught the end of the thread (pthread_exit, or a cancellation) and did not throw it again");
}

static void go_on_unwinding(void) __attribute__((noreturn));
static void go_on_unwinding(void)
{
	struct thread *thread = self();

	if (rt->library.unwind_forced) {
		for (unsigned i = 0; i < sizeof thread->cxx.exception / sizeof *thread->cxx.exception; i++)
			thread->cxx.exception[i] = 0;
		thread->cxx.exception[1] = (uint64_t)not_thrown_again;
		rt->library.unwind_forced(thread->cxx.exception, leave_frame, NULL);
	}
	while (thread->cancel.cleanups)
		run_innermost();
	thread_finish(thread->result);
}

void unwind_thread(void *result)
{
	self()->result = result;
	self()->ending = true;
	go_on_unwinding();
}

void __pthread_unwind_next(__pthread_unwind_buf_t *buffer)
{
	(void)buffer;
	go_on_unwinding();
}
