/*
 * Signals to a thread of the program itself.  What a signal does by default ends the whole
 * process (syscalls.c); each thread has a mask of its own.
 */
#define _GNU_SOURCE
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/memory/arguments.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t own, before;
	int saved = errno;

	if (set)
		read_in(&own, set, sizeof own);
	int error = sigprocmask(how, set ? &own : NULL, &before) ? errno : 0;
	errno = saved;
	if (old && !error)
		write_out(old, &before, sizeof before);
	return error;
}

int pthread_kill(pthread_t handle, int number)
{
	int target = thread_of(handle);
	struct op op = make_op(EV_KILL, (void *)(uint64_t)target);

	if (target < 0)
		anomaly(EV_MISUSE, "pthread_kill of a handle that is no thread");
	use_feature(FEATURE_TRYJOIN); /* it tells whether the thread has ended */
	op.target = (uint32_t)target;
	point(&op);
	if (rt->threads[target].joined)
		anomaly(EV_MISUSE, "pthread_kill of a thread that was joined already");
	if (rt->threads[target].state == THREAD_EXITED && rt->threads[target].detached)
		anomaly(EV_MISUSE, "pthread_kill of a detached thread that has ended");
	if (rt->threads[target].state == THREAD_EXITED)
		return 0; /* its lifetime goes on until it is joined, as far as errors go */
	rt->signals.target = target;
	long pid = arch_filtered_syscall(SYS_getpid, (const long[6]){0});
	int error = (int)-arch_filtered_syscall(SYS_kill, (const long[6]){pid, number});
	rt->signals.target = -1;
	return error;
}
