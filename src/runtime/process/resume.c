/*
 * Resume points: of executions that differ near their end only, what they have in common is run
 * once.
 *
 * Before a step that the plan names, the running thread switches to the executor's loop, so that
 * all threads are at rest, and the execution's state is copied: the runtime's own and the pages
 * that are dirty (snapshot.c).  To go on from there is what a reset is: to copy back.  A plan
 * with the same first steps goes on from the last resume point that is not beyond them; those that
 * are beyond are given up.
 *
 * The rest of the state is not the process's own.  The trace: its events up to the resume point are
 * still in place, as are the awaits; all else in it is put back.  The captured output is cut, and
 * standard input set back.  What the channel knows for all executions (names, who accesses what,
 * features, awaits) only grows; what would change the steps before the resume point is news, and
 * then the search starts again.
 *
 * There is none after a system call that leaves state in the kernel, nor while something is in
 * use that is never rolled back: an emergency stack, memory that was mapped for a large copy,
 * locks of streams.
 */
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/runtime.h"
#include "runtime/libc/leftovers.h"
#include "runtime/memory/arguments.h"
#include "runtime/process/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#define COPIES_ADDRESS (SNAPSHOT_ADDRESS + (8ull << 30)) /* the snapshot itself needs less than that */

/*
 * A page takes as long to copy as a step or, where there are many, some steps take.  So the more
 * of them there are, the more steps must have been taken since the last resume point.
 */
enum { FEW_PAGES = 128, STEPS_PER_PAGE = 4, MAX_PAGES = 4096 };

static const struct resume_point *last_resume_point(void)
{
	return rt->resume_points.count ? &rt->resume_points.made[rt->resume_points.count - 1] : NULL;
}

void resume_point_look_ahead(uint32_t nevents)
{
	uint32_t i = 0;

	while (i < the_plan()->nresume_points && the_plan()->resume_points[i] <= nevents)
		i++;
	rt->resume_points.next = i < the_plan()->nresume_points ? the_plan()->resume_points[i] : UINT32_MAX;
}

/* The running thread counts even if it has just ended: it is the one that goes on. */
static bool is_on_emergency_stack(unsigned thread)
{
	return rt->threads[thread].sp - STACK_ADDRESS - thread * STACK_SIZE <= PAGE + EMERGENCY_SIZE;
}

static bool is_worth_it(void)
{
	const struct resume_point *last = last_resume_point();
	uint32_t steps = rt->nevents - (last ? last->nevents : 0);

	return rt->snapshot.ndirty <= FEW_PAGES ||
	       (rt->snapshot.ndirty <= MAX_PAGES && rt->snapshot.ndirty <= steps / STEPS_PER_PAGE);
}

static bool is_possible(void)
{
	if (rt->system.kernel_changed || rt->trial.active || rt->temporaries.count || rt->stream_locks.used)
		return false;
	if (rt->resume_points.count == MAX_RESUME_POINTS)
		return false;
	for (uint64_t left = rt->schedule.live | bit(rt->current); left; left &= left - 1)
		if (is_on_emergency_stack((unsigned)__builtin_ctzll(left)))
			return false;
	return true;
}

void resume_point_reach(void)
{
	if (rt->course.ahead)
		ahead_reach();
	if (rt->nevents < rt->resume_points.next)
		return;
	resume_point_look_ahead(rt->nevents);
	rt->resume_points.due = true;
	rt->phase = PHASE_IDLE;
	arch_switch(&self()->sp, rt->executor.loop_sp, rt->donors.pointer[0]);
}

/* The part of the runtime's memory that is the execution's. */
static uint64_t size_of_state(uint32_t nnames)
{
	return (offsetof(struct runtime, threads) + nnames * sizeof(struct thread) + PAGE - 1) & ~(PAGE - 1);
}

static uint32_t at_most(uint32_t count, uint32_t limit)
{
	return count < limit ? count : limit;
}

static void copy_sync_lists(struct thread *to, const struct thread *from)
{
	const struct thread_sync *counts = &from->sync;

	memcpy(to->sync_lists.timeouts, from->sync_lists.timeouts,
	       at_most(counts->ntimeouts, MAX_TIMEOUTS) * sizeof *to->sync_lists.timeouts);
	memcpy(to->sync_lists.reads, from->sync_lists.reads,
	       at_most(counts->nheld, MAX_HELD_READS) * sizeof *to->sync_lists.reads);
}

static void copy_round_lists(struct round_lists *to, const struct round_lists *from, const struct rounds *counts)
{
	invariant(counts->nsections <= MAX_SECTIONS);
	invariant(counts->nloops <= MAX_LOOPS);
	memcpy(to->sections, from->sections, counts->nsections * sizeof *to->sections);
	memcpy(to->loops, from->loops, at_most(counts->nloops, MAX_LOOPS) * sizeof *to->loops);
	memcpy(to->reads, from->reads, at_most(counts->nreads, MAX_READS) * sizeof *to->reads);
}

/* Of most threads the arrays, which are most of it, are empty. */
static void copy_thread(struct thread *to, const struct thread *from)
{
	memcpy(to, from, offsetof(struct thread, message));
	to->message[0] = from->message[0];
	if (from->message[0])
		memcpy(to->message, from->message, sizeof to->message);
	copy_sync_lists(to, from);
	if (!from->rounds.nloops) /* then it has read nothing in a loop, nor awaited */
		return;
	copy_round_lists(&to->round_lists, &from->round_lists, &from->rounds);
	to->awaited = from->awaited;
}

/* What belongs to the execution, with so many threads. */
static void copy_runtime(struct runtime *to, const struct runtime *from, uint32_t nnames)
{
	memcpy(to, from, offsetof(struct runtime, threads));
	for (uint32_t i = 0; i < nnames; i++)
		copy_thread(&to->threads[i], &from->threads[i]);
}

static void copy_state(struct resume_point *resume_point)
{
	uint64_t size = size_of_state(rt->channel->nnames);

	resume_point->nnames = rt->channel->nnames;
	copy_runtime((struct runtime *)resume_point->copies, rt, resume_point->nnames);
	resume_point->ndirty = snapshot_copy((void *)(resume_point->copies + size));
	resume_point->end = resume_point->copies + size + resume_point->ndirty * PAGE;
}

static void copy_shared(struct resume_point *resume_point)
{
	resume_point->nevents = rt->nevents;
	resume_point->nawaits = the_trace()->nawaits;
	resume_point->nawait_writes = the_trace()->nawait_writes;
	memcpy(resume_point->culprits, the_trace()->culprits, sizeof resume_point->culprits);
	resume_point->input = rt->system.stdin_moved ? SYS3(SYS_lseek, 0, 0, SEEK_CUR) : rt->executor.stdin_offset;
	resume_point->output = rt->system.wrote ? SYS3(SYS_lseek, 1, 0, SEEK_END) : 0;
	resume_point->errors = rt->system.wrote ? SYS3(SYS_lseek, 2, 0, SEEK_END) : 0;
}

void resume_point_take(void)
{
	uint32_t n = rt->resume_points.count;

	if (!is_possible() || !is_worth_it())
		return;
	struct resume_point *resume_point = &rt->resume_points.made[n];
	resume_point->copies = n ? rt->resume_points.made[n - 1].end : COPIES_ADDRESS;
	copy_state(resume_point);
	copy_shared(resume_point);
	/* each is further on than the one before, and dirty pages stay where they are */
	invariant(!n || resume_point->nevents > resume_point[-1].nevents);
	invariant(!n || resume_point->ndirty >= resume_point[-1].ndirty);
	invariant(resume_point->end > resume_point->copies);
	rt->resume_points.count++;
}

/* --- going back --- */

static void put_back_memory(const struct resume_point *resume_point)
{
	if (resume_point)
		snapshot_restore((void *)(resume_point->copies + size_of_state(resume_point->nnames)),
				 resume_point->ndirty);
	else
		snapshot_restore(NULL, 0);
	rt->resume_points.memory_at = rt->resume_points.count;
}

bool resume_point_put_back_state(void)
{
	const struct resume_point *resume_point = last_resume_point();

	invariant(rt->resume_points.memory_at == rt->resume_points.count);
	if (!resume_point)
		return false;
	copy_runtime(rt, (const struct runtime *)resume_point->copies, resume_point->nnames);
	invariant(rt->nevents == resume_point->nevents);
	invariant(rt->current < resume_point->nnames);
	for (uint32_t i = resume_point->nnames; i < rt->channel->nnames; i++)
		rt->threads[i].state = THREAD_FREE;
	rt->trial.active = false;
	temporaries_reset();
	stream_locks_reset();
	/* as they are before the last of the steps that are certain */
	rt->schedule.sleep = 0;
	rt->schedule.guided = rt->schedule.guided_choice = 0;
	return true;
}

bool resume_point_put_back_shared(void)
{
	const struct resume_point *resume_point = last_resume_point();

	if (!resume_point)
		return false;
	clear_trace();
	the_trace()->nawaits = resume_point->nawaits;
	the_trace()->nawait_writes = resume_point->nawait_writes;
	memcpy(the_trace()->culprits, resume_point->culprits, sizeof resume_point->culprits);
	if (the_trace()->stdout_size != resume_point->output)
		SYS2(SYS_ftruncate, 1, resume_point->output);
	if (the_trace()->stderr_size != resume_point->errors)
		SYS2(SYS_ftruncate, 2, resume_point->errors);
	if (rt->system.stdin_moved)
		SYS3(SYS_lseek, 0, resume_point->input, SEEK_SET);
	rt->channel->profile.resumed++;
	return true;
}

uint32_t resume_point_nevents(void)
{
	return rt->resume_points.count ? last_resume_point()->nevents : 0;
}

static bool is_usable(const struct resume_point *resume_point)
{
	return resume_point->nevents <= the_plan()->common && !(the_plan()->flags & (PLAN_VALUES | PLAN_WHOLE));
}

void resume_point_rewind(void)
{
	put_back_memory(last_resume_point());
}

bool resume_point_use(void)
{
	const struct resume_point *resume_point;

	while ((resume_point = last_resume_point()) && !is_usable(resume_point))
		rt->resume_points.count--;
	if (rt->resume_points.memory_at != rt->resume_points.count)
		put_back_memory(resume_point);
	return resume_point_put_back_state();
}
