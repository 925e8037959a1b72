/*
 * The beginning of an execution, and how it is entered from the executor's loop.
 */
#include "runtime/core/runtime.h"
#include "runtime/core/thread.h"
#include "runtime/libc/leftovers.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"
#include "runtime/state/state.h"

static void *call_main(void *unused)
{
	extern int __inspect_main(int, char **, char **);

	(void)unused;
	return (void *)(long)__inspect_main(rt->beginning.argc, rt->beginning.argv, rt->beginning.envp);
}

void clear_trace(void)
{
	the_trace()->ending = ENDING_NONE;
	the_trace()->nevents = 0;
	the_trace()->nthreads = rt->channel->nnames;
	the_trace()->npending = the_trace()->turns = 0;
	the_trace()->message[0] = 0;
	the_trace()->signal = 0;
	the_trace()->fault_pc = the_trace()->fault_address = 0;
	the_trace()->stacks[0][0] = the_trace()->stacks[1][0] = 0;
	for (unsigned i = 0; i < CULPRIT_COUNT; i++)
		the_trace()->culprits[i] = 0;
	the_trace()->block.address = 0;
	the_trace()->nleaks = 0;
	the_trace()->nawaits = the_trace()->nawait_writes = 0;
}

void continue_execution(void)
{
	do {
		rt->resume_points.due = false;
		update_owner();
		rt->phase = PHASE_RUN;
		arch_switch(&rt->executor.loop_sp, self()->sp, self()->thread_pointer);
		if (rt->resume_points.due)
			resume_point_take();
	} while (rt->resume_points.due);
}

void begin_execution(void)
{
	rt->nevents = rt->schedule.turn_began = 0;
	rt->states.kept = rt->channel->stateful;
	if (rt->states.kept)
		state_begin();
	for (uint32_t i = 0; i < rt->channel->nawait_locations; i++)
		rt->await.last_write[i] = 0;
	rt->await.waiting = 0;
	rt->await.asker = -1;
	rt->trial.active = false;
	rt->nthreads = 0;
	rt->schedule.live = rt->schedule.enabled = rt->schedule.blocking = rt->schedule.late = rt->await.spinning =
		rt->await.resuming = 0;
	rt->signals.interrupt = 0;
	rt->changed = 0;
	rt->schedule.guided = rt->schedule.guided_choice = 0;
	rt->schedule.quiet = rt->schedule.reconsider_due = false;
	rt->schedule.atomic_owner = -1;
	rt->signals.pending = 0;
	rt->signals.target = -1;
	rt->exit.handlers = rt->beginning.exit_handlers;
	rt->exit.owner = -1;
	rt->exit.users = 0;
	rt->sync.keys = rt->beginning.keys;
	rt->sync.named = NULL;
	rt->schedule.sleep = rt->course.nsteps ? 0 : the_plan()->sleep;
	rt->schedule.last_access = 0;
	rt->system.written = 0;
	rt->current_site = 0;
	rt->libc.strtok_place = NULL;
	rt->system.changes = 0;
	stream_locks_reset();
	temporaries_reset();
	rt->memory.touching = rt->memory.took_away = false;
	for (unsigned i = 0; i < rt->channel->nnames; i++)
		rt->threads[i].state = THREAD_FREE;
	thread_prepare(0, call_main, NULL);
	rt->threads[0].state = THREAD_LIVE;
	rt->schedule.enabled |= bit(0);
	rt->current = 0;
	rt->memory.stack_low = STACK_ADDRESS;
}
