/*
 * Calls that succeed and have no effect on the search: priorities, processors and names.
 * Every interleaving is explored whatever they ask for.
 */
#define _GNU_SOURCE
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/thread.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/memory.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* The thread that a handle means; ends with a finding if it is none. */
static struct thread *named_thread(pthread_t handle, const char *misuse)
{
	int number = thread_of(handle);

	if (number < 0)
		anomaly(EV_MISUSE, misuse);
	return &rt->threads[number];
}

int pthread_setname_np(pthread_t handle, const char *name)
{
	struct thread *thread = named_thread(handle, "pthread_setname_np of a handle that is no thread");

	touch(name);
	size_t size = strlen(name) + 1;
	if (size > sizeof thread->name)
		return ERANGE;
	read_in(thread->name, name, size);
	return 0;
}

int pthread_getname_np(pthread_t handle, char *name, size_t size)
{
	struct thread *thread = named_thread(handle, "pthread_getname_np of a handle that is no thread");

	if (size < sizeof thread->name)
		return ERANGE;
	__inspect_write(name, strlen(thread->name) + 1, rt->current_site);
	memcpy(name, thread->name, strlen(thread->name) + 1);
	return 0;
}

int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t *set)
{
	(void)named_thread(handle, "pthread_setaffinity_np of a handle that is no thread");
	char own[size + 1];

	read_in(own, set, size);
	return size ? 0 : EINVAL;
}

/* One processor, the same in every execution. */
int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *set)
{
	(void)named_thread(handle, "pthread_getaffinity_np of a handle that is no thread");
	if (size < 8)
		return EINVAL;
	__inspect_write(set, size, rt->current_site);
	memset(set, 0, size);
	CPU_SET_S(0, size, set);
	return 0;
}

int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *parameters)
{
	(void)named_thread(handle, "pthread_setschedparam of a handle that is no thread");
	struct sched_param own;

	read_in(&own, parameters, sizeof own);
	return policy == SCHED_OTHER || policy == SCHED_FIFO || policy == SCHED_RR ? 0 : EINVAL;
}

int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *parameters)
{
	(void)named_thread(handle, "pthread_getschedparam of a handle that is no thread");
	write_out(policy, &(int){SCHED_OTHER}, sizeof *policy);
	write_out(parameters, &(struct sched_param){0}, sizeof *parameters);
	return 0;
}

int pthread_setschedprio(pthread_t handle, int priority)
{
	(void)named_thread(handle, "pthread_setschedprio of a handle that is no thread");
	return priority >= 0 && priority <= 99 ? 0 : EINVAL;
}

int pthread_setconcurrency(int level)
{
	return level < 0 ? EINVAL : 0;
}

int pthread_getconcurrency(void)
{
	return 0;
}

/* Virtual time is the same on all clocks. */
int pthread_getcpuclockid(pthread_t handle, clockid_t *clock)
{
	(void)named_thread(handle, "pthread_getcpuclockid of a handle that is no thread");
	write_out(clock, &(clockid_t){CLOCK_MONOTONIC}, sizeof *clock);
	return 0;
}

int pthread_getattr_np(pthread_t handle, pthread_attr_t *attributes)
{
	struct thread *thread = named_thread(handle, "pthread_getattr_np of a handle that is no thread");
	unsigned number = (unsigned)(thread - rt->threads);
	uint64_t low = STACK_ADDRESS + number * STACK_SIZE + PAGE + EMERGENCY_SIZE + PAGE;
	pthread_attr_t own;
	int error = pthread_attr_init(&own);

	if (error)
		return error;
	pthread_attr_setstack(&own, (void *)low, STACK_ADDRESS + (number + 1) * STACK_SIZE - low);
	pthread_attr_setguardsize(&own, PAGE);
	pthread_attr_setdetachstate(&own, thread->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
	write_out(attributes, &own, sizeof own);
	return 0;
}

int pthread_getattr_default_np(pthread_attr_t *attributes)
{
	pthread_attr_t own;
	int error = pthread_attr_init(&own);

	if (!error)
		write_out(attributes, &own, sizeof own);
	return error;
}

int pthread_setattr_default_np(const pthread_attr_t *attributes)
{
	int state = PTHREAD_CREATE_JOINABLE;
	pthread_attr_t own;

	read_in(&own, attributes, sizeof own);
	pthread_attr_getdetachstate(&own, &state);
	return state == PTHREAD_CREATE_JOINABLE ? 0 : EINVAL;
}

/* The header makes the old name another one for sched_yield. */
int yield_of_old(void) __asm__("pthread_yield");
int yield_of_old(void)
{
	return 0;
}
