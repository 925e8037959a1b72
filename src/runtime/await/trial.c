/*
 * A trial: one round of a loop, run only to see how it ends, then taken back.
 *
 * Nothing but the thread's own frame and registers changes in it.  Whatever would change more
 * (a write, a call of a library, the end of the loop) announces itself by a hook, and there
 * the trial ends: such a round comes to something.  It comes to nothing if it has looked once, at
 * one location, and returns to the head of its loop with the same values, or gets stuck in a loop
 * inside.  A round that looks twice does not count as one that comes to nothing, even if it looks at
 * the same location: somebody may change that between the two.
 *
 * A load and then an update of the same location (a compare-and-swap, an exchange) can be joined: one
 * operation, if nothing is lost by that.  What could be lost is the round in which somebody comes in
 * between.  So a trial can also be made with another value for the update than for the load: `moves'.
 * If all such rounds come to nothing they might as well not have happened.  If the location has
 * got its old value back by then, the load might as well have come later, unless it saw more of
 * what others have done than the update does (`weaker').
 */
#include <errno.h>
#include <string.h>

#include "common/invariant.h"
#include "runtime/await/await.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"

enum { MAX_TRIAL_OPS = 16, STACK_ARGUMENTS = 128 };

/* How much of the stack has to be kept: the frame of the loop's function, and what lies below. */
static uint64_t size_to_keep(uint64_t sp, const void *frame)
{
	uint64_t top = (uint64_t)frame + 16 + STACK_ARGUMENTS, end = rt->memory.stack_low + STACK_SIZE;

	return (top < end ? top : end) - sp;
}

bool trial_is_possible(const void *frame)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	return (uint64_t)frame > here && (uint64_t)frame - here < MAX_TRIAL_STACK - 1024;
}

static struct announced announced_now(const struct op *op)
{
	const struct thread *thread = self();

	return (struct announced){.op = *op,
				  .expected = thread->expected,
				  .wanted = thread->wanted,
				  .failure_order = thread->failure_order,
				  .update = thread->update};
}

void announce_as(struct thread *thread, const struct announced *announced)
{
	thread->pending = announced->op;
	thread->expected = announced->expected;
	thread->wanted = announced->wanted;
	thread->failure_order = announced->failure_order;
	thread->update = announced->update;
}

void trial_begin(const struct loop *head, const void *frame)
{
	struct trial *trial = &rt->trial;

	invariant(!trial->active);
	trial->active = true;
	trial->fails = trial->seen = trial->writes = trial->acquires = trial->fenced = false;
	trial->joins = trial->weaker = false;
	trial->nops = trial->nloops = 0;
	trial->head = *head;
	trial->moves = self()->await.trying && self()->awaited.moves;
	trial->own = announced_now(&self()->pending);
	trial->error = errno;
	trial->site = rt->current_site;
	memcpy(trial->live_values, rt->live_values, sizeof trial->live_values);
	trial->outside = rt->outside;
	trial->stack_size = size_to_keep(trial->mark.sp, frame);
	invariant(trial->stack_size <= MAX_TRIAL_STACK);
	memcpy(trial->stack, (const void *)trial->mark.sp, trial->stack_size);
	rt->changed = 0;
}

void put_back_stack(void)
{
	invariant(rt->trial.stack_size <= MAX_TRIAL_STACK);
	memcpy((void *)rt->trial.mark.sp, rt->trial.stack, rt->trial.stack_size);
}

void trial_end(bool fails)
{
	struct trial *trial = &rt->trial;

	invariant(trial->active);
	trial->active = false;
	trial->fails = fails;
	rt->changed = 0;
	rt->current_site = trial->site;
	memcpy(rt->live_values, trial->live_values, sizeof rt->live_values);
	rt->outside = trial->outside;
	rt->memory.touching = false;
	announce_as(self(), &trial->own);
	errno = trial->error;
	arch_return(&trial->mark);
}

/* Is the operation the update that a load of the location was for? */
static bool may_join(const struct trial *trial, const struct op *op)
{
	return trial->nops == 1 && !trial->fenced && trial->first.op.kind == EV_ATOMIC_LOAD &&
	       (op->kind == EV_ATOMIC_CAS || op->kind == EV_ATOMIC_RMW);
}

static bool is_elsewhere(const struct trial *trial, const struct op *op)
{
	return op->object != trial->first.op.object || op->size != trial->first.op.size;
}

/* The round is about to write the location: that is what it comes to. */
static void end_with_write(struct trial *trial, const struct op *op)
{
	trial->writes = !trial->nops;
	if (may_join(trial, op)) {
		trial->joins = true;
		trial->joined = announced_now(op);
		trial->weaker = trial->acquires && !order_acquires(op->order);
	}
	trial_end(false);
}

void trial_op(const struct op *op)
{
	struct trial *trial = &rt->trial;
	struct thread *thread = self();

	invariant(trial->active && trial->nops <= MAX_TRIAL_OPS);
	if (event_table[op->kind].object_class != OBJECT_MEMORY || op->size > 8 || event_is(op->kind, EV_PLAIN))
		trial_end(false);
	if (!trial->seen)
		trial->first = announced_now(op);
	trial->seen = true;
	if (is_elsewhere(trial, op))
		trial_end(false);
	if (trial->moves && trial->nops == 1)
		await_move(thread);
	thread->pending = *op;
	if (!pending_leaves_memory(thread))
		end_with_write(trial, op);
	trial->acquires |= order_acquires(op->order);
	if (++trial->nops > MAX_TRIAL_OPS)
		trial_end(false);
}

void trial_fence(void)
{
	rt->trial.fenced = true;
}

/* Has the round looked as often as one that comes to nothing may? */
static bool has_looked_once(const struct trial *trial)
{
	return trial->nops == (trial->moves ? 2 : 1);
}

static bool is_same_head(const struct loop *a, const struct loop *b)
{
	return a->site == b->site && a->frame == b->frame;
}

void trial_loop(const struct loop *head, bool again)
{
	struct trial *trial = &rt->trial;

	invariant(trial->active && trial->nloops <= MAX_TRIAL_LOOPS);
	if (is_same_head(&trial->head, head))
		trial_end(again && has_looked_once(trial) && !rt->changed && head->state == trial->head.state);
	for (uint32_t i = 0; i < trial->nloops; i++) {
		struct loop *inner = &trial->inner[i];
		if (!is_same_head(inner, head))
			continue;
		if (again && inner->state == head->state && !rt->changed && inner->nreads != trial->nops)
			trial_end(has_looked_once(trial));
		*inner = *head;
		inner->nreads = trial->nops;
		return;
	}
	if (trial->nloops == MAX_TRIAL_LOOPS)
		trial_end(false);
	trial->inner[trial->nloops] = *head;
	trial->inner[trial->nloops++].nreads = trial->nops;
}

void __inspect_outside(void)
{
	if (__builtin_expect(rt->trial.active, 0))
		trial_end(false);
}
