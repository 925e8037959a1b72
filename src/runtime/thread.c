#include "runtime/runtime.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/arch/arch.h"

/*
 * The number of the running thread's next child.  Numbers are given to names
 * (parent, index), so a thread keeps its number in every execution, whatever the
 * order in which several threads create.
 */
static unsigned child_number(void)
{
	struct channel *channel = rt->channel;
	struct thread_name name = {.parent = (uint8_t)rt->current, .index = ++self()->nchildren};

	for (unsigned i = 1; i < channel->nnames; i++)
		if (channel->names[i].parent == name.parent && channel->names[i].index == name.index)
			return i;
	if (channel->nnames == MAX_THREADS)
		end_execution(ENDING_THREADS);
	channel->names[channel->nnames++] = name;
	channel->trace.nthreads = channel->nnames;
	return channel->nnames - 1;
}

int thread_of(pthread_t handle)
{
	if ((uint64_t)handle == rt->donor_pointer[0])
		return 0;
	for (unsigned i = 1; i < rt->channel->nnames; i++)
		if ((uint64_t)handle == rt->donor_pointer[i])
			return rt->threads[i].state == THREAD_FREE ? -1 : (int)i;
	return -1;
}

void thread_prepare(unsigned number, void *(*start)(void *), void *argument)
{
	struct thread *thread = &rt->threads[number];

	*thread = (struct thread){.state = THREAD_STARTING,
				  .creator = (uint8_t)rt->current,
				  .start = start,
				  .argument = argument,
				  .thread_pointer = rt->donor_pointer[number],
				  .clock = self()->clock,
				  .destructors = number ? NULL : rt->early_destructors};
	thread->sp = arch_new_fiber(rt->donor_top[number]);
	rt->live |= bit(number);
	rt->nthreads++;
}

/* Whatever ends a thread comes here: return from its function, pthread_exit. */
static void thread_end(void *result) __attribute__((noreturn));
static void thread_end(void *result)
{
	struct op op = {.kind = EV_EXIT, .target = rt->current};

	run_thread_destructors();
	self()->result = result;
	if (rt->live == bit(rt->current))
		exit(0); /* the last thread ends the process */
	local_event(&op);
	schedule_away();
}

void fiber_main(void)
{
	struct thread *thread = self();
	void *result = thread->start(thread->argument);

	if (rt->current == 0)
		exit((int)(long)result);
	thread_end(result);
}

static void check_stack_size(const pthread_attr_t *attributes)
{
	size_t size = 0;

	if (attributes)
		pthread_attr_getstacksize(attributes, &size);
	if (size > STACK_SIZE)
		anomaly(EV_REFUSED, "a thread with a stack of more than 8 MiB is not supported");
}

static bool wants_detached(const pthread_attr_t *attributes)
{
	int state = PTHREAD_CREATE_JOINABLE;

	if (attributes)
		pthread_attr_getdetachstate(attributes, &state);
	return state == PTHREAD_CREATE_DETACHED;
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	struct op op = make_op(EV_CREATE, (void *)start);

	if (rt->phase == PHASE_START)
		anomaly(EV_REFUSED, "pthread_create before main (in a constructor) is not supported");
	if (rt->phase == PHASE_EXIT)
		anomaly(EV_REFUSED, "pthread_create while the process exits is not supported");
	check_stack_size(attributes);
	op.target = child_number();
	local_event(&op);
	thread_prepare(op.target, start, argument);
	rt->threads[op.target].detached = wants_detached(attributes);
	switch_to(op.target); /* until its first visible operation */
	/* the new thread may look for its handle before it is there */
	__inspect_write(handle, sizeof *handle, op.site);
	*handle = (pthread_t)rt->donor_pointer[op.target];
	return 0;
}

/* An operation on another thread, performed; its thread is the object. */
static struct thread *act_on(enum event_kind kind, int target)
{
	struct op op = make_op(kind, (void *)(uint64_t)target);

	op.target = (uint32_t)target;
	point(&op);
	return &rt->threads[target];
}

int pthread_join(pthread_t handle, void **result)
{
	int target = thread_of(handle);
	uint32_t site = rt->current_site;

	if (target < 0)
		anomaly(EV_MISUSE, "pthread_join of a handle that is no thread");
	if ((unsigned)target == rt->current)
		return EDEADLK;
	struct thread *thread = act_on(EV_JOIN, target);
	if (thread->detached || thread->joined)
		anomaly(EV_MISUSE, thread->joined ? "pthread_join of a thread that was joined already"
						  : "pthread_join of a detached thread");
	thread->joined = true;
	if (thread->clock > self()->clock)
		self()->clock = thread->clock;
	if (result) {
		__inspect_write(result, sizeof *result, site);
		*result = thread->result;
	}
	return 0;
}

int pthread_detach(pthread_t handle)
{
	int target = thread_of(handle);

	if (target < 0)
		anomaly(EV_MISUSE, "pthread_detach of a handle that is no thread");
	struct thread *thread = act_on(EV_DETACH, target);
	if (thread->detached || thread->joined)
		anomaly(EV_MISUSE, thread->joined ? "pthread_detach of a thread that was joined already"
						  : "pthread_detach of a thread that is detached already");
	thread->detached = true;
	refresh((uint64_t)target);
	return 0;
}

void pthread_exit(void *result)
{
	if (rt->phase != PHASE_RUN)
		anomaly(EV_REFUSED, "pthread_exit outside a running thread");
	thread_end(result);
}
