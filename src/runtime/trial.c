/*
 * A trial: one round of a loop, run only to see how it ends, then taken back.
 *
 * Nothing but the thread's own frame and registers changes in it.  Whatever would change more
 * (a write, a call of a library, the end of the loop) announces itself by a hook, and there
 * the trial ends: such a round comes to something.  It comes to nothing if it returns to the
 * head of its loop with the same values, or gets stuck in a loop inside.  A round that looks
 * at a second location does not count as one that comes to nothing.
 *
 * Reads of the location that come before an update of it in the same round (a load, then a
 * compare-and-swap) are one operation with it: had somebody changed the location in between,
 * the round would have been for nothing, and otherwise the reads might as well come later.
 */
#include <errno.h>
#include <string.h>

#include "runtime/runtime.h"

enum { MAX_TRIAL_OPS = 16, STACK_ARGUMENTS = 128 };

/* How much of the stack has to be kept: the frame of the loop's function, and what lies below. */
static uint64_t size_to_keep(uint64_t sp, const void *frame)
{
	uint64_t top = (uint64_t)frame + 16 + STACK_ARGUMENTS, end = rt->stack_low + STACK_SIZE;

	return (top < end ? top : end) - sp;
}

bool trial_is_possible(const void *frame)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	return (uint64_t)frame > here && (uint64_t)frame - here < MAX_TRIAL_STACK - 1024;
}

void trial_begin(const struct loop *head, const void *frame)
{
	struct trial *trial = &rt->trial;

	trial->active = true;
	trial->fails = trial->seen = trial->writes = trial->acquires = false;
	trial->nops = trial->nloops = trial->nreads = 0;
	trial->head = *head;
	trial->pending = self()->pending;
	trial->own_expected = self()->expected;
	trial->own_failure_order = self()->failure_order;
	trial->own_update = self()->update;
	trial->error = errno;
	trial->site = rt->current_site;
	memcpy(trial->live_values, rt->live_values, sizeof trial->live_values);
	trial->outside = rt->outside;
	trial->stack_size = size_to_keep(trial->mark.sp, frame);
	memcpy(trial->stack, (const void *)trial->mark.sp, trial->stack_size);
	rt->changed = 0;
}

void put_back_stack(void)
{
	memcpy((void *)rt->trial.mark.sp, rt->trial.stack, rt->trial.stack_size);
}

void trial_end(bool fails)
{
	struct trial *trial = &rt->trial;

	trial->active = false;
	trial->fails = fails;
	rt->changed = 0;
	rt->current_site = trial->site;
	memcpy(rt->live_values, trial->live_values, sizeof rt->live_values);
	rt->outside = trial->outside;
	rt->touching = false;
	self()->pending = trial->pending;
	self()->expected = trial->own_expected;
	self()->failure_order = trial->own_failure_order;
	self()->update = trial->own_update;
	errno = trial->error;
	arch_return(&trial->mark);
}

static void remember_first(struct trial *trial, const struct op *op)
{
	const struct thread *thread = self();

	trial->seen = true;
	trial->first = *op;
	trial->expected = thread->expected;
	trial->failure_order = thread->failure_order;
	trial->update = thread->update;
}

/* The operation updates the location that the round has looked at: it does all that at once. */
static void remember_update(struct trial *trial, const struct op *op)
{
	remember_first(trial, op);
	trial->writes = true;
	trial->nreads = trial->nops;
	if (trial->acquires && op->order == ORDER_RELAXED)
		trial->first.order = ORDER_ACQUIRE;
	if (trial->acquires && op->order == ORDER_RELEASE)
		trial->first.order = ORDER_ACQ_REL;
}

static bool is_update(const struct op *op)
{
	return op->kind == EV_ATOMIC_CAS || op->kind == EV_ATOMIC_RMW;
}

void trial_op(const struct op *op)
{
	struct trial *trial = &rt->trial;
	struct thread *thread = self();

	if (event_table[op->kind].object_class != OBJECT_MEMORY || op->size > 8 || event_is(op->kind, EV_PLAIN))
		trial_end(false);
	if (!trial->seen)
		remember_first(trial, op);
	if (op->object != trial->first.object || op->size != trial->first.size)
		trial_end(false);
	thread->pending = *op;
	if (event_table[pending_kind(thread)].effect != EFFECT_READ) {
		if (is_update(op))
			remember_update(trial, op);
		else
			trial->writes = !trial->nops;
		trial_end(false);
	}
	trial->acquires |= op->order == ORDER_ACQUIRE || op->order >= ORDER_ACQ_REL;
	if (++trial->nops > MAX_TRIAL_OPS)
		trial_end(false);
}

static bool is_same_head(const struct loop *a, const struct loop *b)
{
	return a->site == b->site && a->frame == b->frame;
}

void trial_loop(const struct loop *head, bool again)
{
	struct trial *trial = &rt->trial;

	if (is_same_head(&trial->head, head))
		trial_end(again && trial->seen && !rt->changed && head->state == trial->head.state);
	for (uint32_t i = 0; i < trial->nloops; i++) {
		struct loop *inner = &trial->inner[i];
		if (!is_same_head(inner, head))
			continue;
		if (again && inner->state == head->state && !rt->changed && inner->nreads != trial->nops)
			trial_end(true);
		*inner = *head;
		inner->nreads = trial->nops;
		return;
	}
	if (trial->nloops == MAX_TRIAL_LOOPS)
		trial_end(false);
	trial->inner[trial->nloops] = *head;
	trial->inner[trial->nloops++].nreads = trial->nops;
}

void __inspect_loop_exit(uint32_t site)
{
	if (__builtin_expect(rt->trial.active, 0) && rt->trial.head.site == site)
		trial_end(false);
}

void __inspect_outside(void)
{
	if (__builtin_expect(rt->trial.active, 0))
		trial_end(false);
}
