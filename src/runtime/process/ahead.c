/*
 * Running ahead.  While the explorer analyses an execution the executor has nothing to do, and the next plan begins, with
 * few exceptions, with steps that are known already (plan.sure).  So it takes them before it is asked to.
 *
 * The explorer reads the trace meanwhile, and makes the plan.  Nothing that others see is changed, then: the events
 * are compared with those of the last execution, as always in the steps that two plans share, and are not counted
 * in the trace.  Who is about to write to the channel, or to leave something in the kernel, calls
 * need_plan() first and waits until the next plan is there.
 *
 * If that begins with all the steps that were taken, the execution goes on with it.  If not, or if anything
 * has come differently, it is given up: memory is put back once more, and the plan is run like any other.
 */
#include "runtime/core/runtime.h"

#include "common/invariant.h"

#include <sys/syscall.h>

#include "runtime/arch/arch.h"

#define channel (rt->channel)
#define plan (&channel->plan)

enum {
	FARTHEST = 256, /* steps: a plan that needs more has checkpoints */
	UNLIMITED = UINT32_MAX / 2, /* steps of the plan: where to stop is what next_checkpoint says */
};

void take_plan(void)
{
	invariant(plan->common < plan->nsteps || !plan->nsteps);
	rt->nsteps = plan->nsteps;
	rt->nguided = plan->nguided;
	rt->common = plan->common;
	rt->plan_flags = plan->flags;
	rt->sure = plan->sure;
}

void forget_plan(void)
{
	rt->nsteps = rt->nguided = rt->common = rt->sure = 0;
	rt->sleep = 0;
}

bool ahead_run(void)
{
	uint32_t from = checkpoint_nevents();

	if (rt->sure <= from || rt->sure - from > FARTHEST || channel->stateful)
		return false;
	rt->ahead = true;
	rt->nnames = channel->nnames;
	rt->nsteps = rt->common = UNLIMITED;
	rt->plan_flags = 0;
	rt->next_checkpoint = rt->sure;
	if (!checkpoint_put_back_state())
		begin_execution();
	continue_execution();
	bool given_up = rt->ahead;
	rt->ahead = false;
	if (given_up) {
		checkpoint_rewind();
		rt->stdin_moved = rt->wrote = false; /* as after every execution; what a checkpoint says was not done */
		channel->profile.given_up++;
	}
	return !given_up;
}

static void wait_for_plan(void)
{
	bool late = __atomic_load_n(&channel->request, __ATOMIC_ACQUIRE) != channel->response;

	wait_for_request();
	if (channel->quit)
		SYS1(SYS_exit_group, 0);
	if (channel->profiling)
		rt->run_began = late ? channel->profile.requested : ticks_now();
}

/* The plan is there.  Are the first `steps` of it those of the last execution? */
static bool begins_alike(uint32_t steps)
{
	return steps <= plan->common && !(plan->flags & (PLAN_VALUES | PLAN_WHOLE));
}

static void leave(void) __attribute__((noreturn));
static void leave(void)
{
	uint64_t abandoned;

	rt->phase = PHASE_IDLE;
	arch_switch(&abandoned, rt->loop_sp, rt->donor_pointer[0]);
	__builtin_unreachable();
}

void ahead_give_up(void)
{
	wait_for_plan();
	leave();
}

/* It is the execution that was asked for: from here on others see it. */
static void go_on(void)
{
	rt->ahead = false;
	channel->profile.ahead++;
	take_plan();
	for (uint32_t i = rt->nnames; i < channel->nnames; i++) /* others have met them meanwhile */
		rt->threads[i].state = THREAD_FREE;
	begin_trace();
	checkpoint_look_ahead(checkpoint_nevents());
}

void ahead_reach(void)
{
	wait_for_plan();
	if (!begins_alike(rt->nevents))
		leave();
	go_on();
}

/* A step may have been chosen that has not been recorded yet: it must be among those that the plans share. */
bool ahead_suits(void)
{
	wait_for_plan();
	if (!begins_alike(rt->nevents + 1))
		return false;
	go_on();
	return true;
}

void ahead_end(void)
{
	if (!ahead_suits())
		leave();
}
