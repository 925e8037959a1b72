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
#include "runtime/arch/arch.h"
#include "runtime/core/runtime.h"
#include "runtime/process/process.h"

#include "common/invariant.h"

#include <sys/syscall.h>

enum {
	FARTHEST = 256, /* steps: a plan that needs more has resume points */
	UNLIMITED = UINT32_MAX / 2, /* steps of the plan: where to stop is what next_resume point says */
};

void take_plan(void)
{
	invariant(the_plan()->common < the_plan()->nsteps || !the_plan()->nsteps);
	rt->course.nsteps = the_plan()->nsteps;
	rt->course.nguided = the_plan()->nguided;
	rt->course.common = the_plan()->common;
	rt->course.flags = the_plan()->flags;
	rt->course.sure = the_plan()->sure;
}

void forget_plan(void)
{
	rt->course.nsteps = rt->course.nguided = rt->course.common = rt->course.sure = 0;
	rt->schedule.sleep = 0;
}

bool ahead_run(void)
{
	uint32_t from = resume_point_nevents();

	invariant(!rt->course.ahead);
	if (rt->course.sure <= from || rt->course.sure - from > FARTHEST || rt->channel->stateful)
		return false;
	rt->course.ahead = true;
	rt->course.nnames = rt->channel->nnames;
	rt->course.nsteps = rt->course.common = UNLIMITED;
	rt->course.flags = 0;
	rt->resume_points.next = rt->course.sure;
	if (!resume_point_put_back_state())
		begin_execution();
	continue_execution();
	bool given_up = rt->course.ahead;
	rt->course.ahead = false;
	if (given_up) {
		resume_point_rewind();
		rt->system.stdin_moved = rt->system.wrote =
			false; /* as after every execution; what a resume point says was not done */
		rt->channel->profile.given_up++;
	}
	return !given_up;
}

static void wait_for_plan(void)
{
	bool late = __atomic_load_n(&rt->channel->request, __ATOMIC_ACQUIRE) != rt->channel->response;

	wait_for_request();
	if (rt->channel->quit)
		SYS1(SYS_exit_group, 0);
	if (rt->channel->profiling)
		rt->executor.run_began = late ? rt->channel->profile.requested : ticks_now();
}

/* The plan is there.  Are the first `steps` of it those of the last execution? */
static bool begins_alike(uint32_t steps)
{
	return steps <= the_plan()->common && !(the_plan()->flags & (PLAN_VALUES | PLAN_WHOLE));
}

static void leave_execution(void) __attribute__((noreturn));
static void leave_execution(void)
{
	uint64_t abandoned;

	rt->phase = PHASE_IDLE;
	arch_switch(&abandoned, rt->executor.loop_sp, rt->donors.pointer[0]);
	__builtin_unreachable();
}

void ahead_give_up(void)
{
	wait_for_plan();
	leave_execution();
}

/* It is the execution that was asked for: from here on others see it. */
static void go_on(void)
{
	invariant(rt->course.ahead);
	invariant(rt->course.nnames <= rt->channel->nnames);
	rt->course.ahead = false;
	rt->channel->profile.ahead++;
	take_plan();
	for (uint32_t i = rt->course.nnames; i < rt->channel->nnames; i++) /* others have met them meanwhile */
		rt->threads[i].state = THREAD_FREE;
	begin_trace();
	resume_point_look_ahead(resume_point_nevents());
}

void ahead_reach(void)
{
	wait_for_plan();
	if (!begins_alike(rt->nevents))
		leave_execution();
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
		leave_execution();
}
