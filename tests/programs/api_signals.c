// Signals and threads: a mask for each, a signal to one of them.
// covers: pthread_sigmask pthread_kill
// misuse: pthread_sigmask pthread_kill
// expect: source verified executions=1 [args: masks]
// expect: dpor verified executions=1 [args: masks]
// expect: all verified executions=1 [args: masks]
// expect: source verified executions=2 [args: kill_zero]
// expect: dpor verified executions=2 [args: kill_zero]
// expect: all verified executions=3 [args: kill_zero]
// expect: source verified executions=2 [args: kill_blocked]
// expect: dpor verified executions=2 [args: kill_blocked]
// expect: all verified executions=2 [args: kill_blocked]
// expect: source verified executions=2 [args: kill_ignored]
// expect: dpor verified executions=2 [args: kill_ignored]
// expect: all verified executions=3 [args: kill_ignored]
// expect: source bug=crash executions=1 [args: kill_default] [says: SIGUSR1]
// expect: dpor bug=crash executions=1 [args: kill_default] [says: SIGUSR1]
// expect: all bug=crash executions=1 [args: kill_default] [says: SIGUSR1]
// expect: source verified executions=1 [args: errors]
// expect: source bug=lock executions=1 line=@kill_unknown [args: kill_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@kill_joined [args: kill_joined] [says: joined already]
// expect: source bug=crash executions=1 line=@mask_bad [args: mask_bad]
// expect: source bug=lock executions=6 [args: kill_detached] [options: --keep-going] line=@kill_detached [says: has ended]
// expect: dpor bug=lock executions=6 [args: kill_detached] [options: --keep-going] line=@kill_detached [says: has ended]
// expect: all bug=lock executions=20 [args: kill_detached] [options: --keep-going] line=@kill_detached [says: has ended]
#include "api.h"

#include <signal.h>

static sigset_t one(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

static bool is_blocked(int signal)
{
	sigset_t set;

	assert(pthread_sigmask(SIG_SETMASK, NULL, &set) == 0);
	return sigismember(&set, signal) == 1;
}

static void *change_mask(void *unused)
{
	sigset_t set = one(SIGUSR2), old;

	assert(is_blocked(SIGUSR1) && !is_blocked(SIGUSR2)); /* its creator's when it began */
	assert(pthread_sigmask(SIG_BLOCK, &set, &old) == 0 && sigismember(&old, SIGUSR1) == 1);
	set = one(SIGUSR1);
	assert(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
	assert(!is_blocked(SIGUSR1) && is_blocked(SIGUSR2));
	return unused;
}

CASE(masks)
{
	sigset_t set = one(SIGUSR1);

	assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	pthread_t first = start(change_mask, NULL), second = start(change_mask, NULL);
	assert(is_blocked(SIGUSR1) && !is_blocked(SIGUSR2));
	finish(first);
	finish(second);
	assert(is_blocked(SIGUSR1) && !is_blocked(SIGUSR2));
}

static void *nothing(void *unused)
{
	return unused;
}

CASE(kill_zero)
{
	pthread_t thread = start(nothing, NULL);

	assert(pthread_kill(thread, 0) == 0);
	assert(pthread_kill(pthread_self(), 0) == 0);
	finish(thread);
}

static void *block_all(void *unused)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	return unused;
}

CASE(kill_blocked)
{
	block_all(NULL); /* and so does the new thread, from its beginning */
	pthread_t thread = start(nothing, NULL);
	assert(pthread_kill(thread, SIGUSR1) == 0);
	finish(thread);
}

CASE(kill_ignored)
{
	signal(SIGUSR1, SIG_IGN);
	pthread_t thread = start(nothing, NULL);
	assert(pthread_kill(thread, SIGUSR1) == 0 && pthread_kill(pthread_self(), SIGUSR1) == 0);
	finish(thread);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_it(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

CASE(kill_default)
{
	pthread_mutex_lock(&mutex);
	pthread_t thread = start(lock_it, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_mutex_unlock(&mutex);
	finish(thread);
}

/* Its handle is good only while it runs. */
CASE(kill_detached)
{
	pthread_t thread = start(lock_it, NULL);

	assert(pthread_detach(thread) == 0);
	assert(pthread_kill(thread, 0) == 0); // @kill_detached
}

CASE(errors)
{
	sigset_t set = one(SIGUSR1);

	assert(pthread_sigmask(77, &set, NULL) == EINVAL);
	assert(pthread_kill(pthread_self(), 777) == EINVAL);
	assert(pthread_kill(pthread_self(), -1) == EINVAL);
}

static pthread_t joined(void)
{
	pthread_t thread = start(nothing, NULL);

	finish(thread);
	return thread;
}

MISUSE(kill_unknown, pthread_kill(0, 0)); // @kill_unknown
MISUSE(kill_joined, pthread_kill(joined(), 0)); // @kill_joined
MISUSE(mask_bad, pthread_sigmask(SIG_BLOCK, (void *)8, NULL)); // @mask_bad
