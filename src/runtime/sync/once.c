/*
 * pthread_once: the first to come runs the routine, who comes meanwhile waits, who comes
 * later passes.  A routine that does not return (it is cancelled, or an exception leaves it)
 * was not run, and the next to come begins again.
 *
 * The state is in the pthread_once_t itself: FRESH, RUNNING, DONE.
 */
#include "common/invariant.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/memory/memory.h"
#include "runtime/sync/sync.h"

#include <errno.h>

enum { FRESH = PTHREAD_ONCE_INIT, RUNNING = 1, DONE = 2 };

static bool is_running(uint64_t once)
{
	return *(volatile int *)once == RUNNING;
}

static bool is_passed(uint64_t once)
{
	int state = *(volatile int *)once;

	return state != FRESH && state != RUNNING;
}

static bool ready(const struct op *op)
{
	return !is_running(op->object);
}

static enum event_kind kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	return op->kind == EV_ONCE_BEGIN && is_passed(op->object) ? EV_ONCE_PASS : op->kind;
}

static const char *in_use(uint64_t once)
{
	return is_running(once) ? "a pthread_once_t whose routine runs" : NULL;
}

const struct primitive primitive_ONCE = {
	.ready = ready, .kind = kind, .in_use = in_use, .size = sizeof(pthread_once_t), .telling = sizeof(int)};

static void end_attempt(pthread_once_t *once, int state)
{
	struct op op = make_op(EV_ONCE_END, once);

	point(&op);
	*once = state;
	reconsider_object((uint64_t)once);
}

/* The thread ended inside the routine. */
static void leave_routine(void *once)
{
	end_attempt(once, FRESH);
}

/*
 * An exception leaves the routine.  The code for that refers to the unwinder, which only C++
 * programs have, and only they need it.
 */
__asm__(".weak _Unwind_Resume\n.weak __gcc_personality_v0");

struct attempt {
	pthread_once_t *once; /* NULL: the routine has returned */
	struct cleanup cleanup;
};

static void give_up(struct attempt *attempt)
{
	if (!attempt->once)
		return;
	cleanup_pop(&attempt->cleanup);
	end_attempt(attempt->once, FRESH);
}

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
	struct op op = make_op(EV_ONCE_BEGIN, once);

	touch(once);
	point(&op);
	if (is_passed((uint64_t)once))
		return *once == DONE ? 0 : EINVAL;
	invariant(rt->phase != PHASE_RUN || *once == FRESH);
	*once = RUNNING;
	reconsider_object((uint64_t)once);

	struct attempt attempt __attribute__((cleanup(give_up))) = {.once = once};
	cleanup_push(&attempt.cleanup, leave_routine, once);
	routine();
	cleanup_pop(&attempt.cleanup);
	attempt.once = NULL;
	rt->current_site = op.site;
	end_attempt(once, DONE);
	return 0;
}
