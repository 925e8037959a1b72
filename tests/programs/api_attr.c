// Attributes of threads: libc's own objects, and what of them a new thread gets.
// covers: pthread_attr_init pthread_attr_destroy pthread_attr_getdetachstate pthread_attr_setdetachstate
// covers: pthread_attr_getguardsize pthread_attr_setguardsize pthread_attr_getinheritsched pthread_attr_setinheritsched
// covers: pthread_attr_getschedparam pthread_attr_setschedparam pthread_attr_getschedpolicy pthread_attr_setschedpolicy
// covers: pthread_attr_getscope pthread_attr_setscope pthread_attr_getstack pthread_attr_setstack
// covers: pthread_attr_getstackaddr pthread_attr_setstackaddr pthread_attr_getstacksize pthread_attr_setstacksize
// covers: pthread_attr_getaffinity_np pthread_attr_setaffinity_np pthread_attr_getsigmask_np pthread_attr_setsigmask_np
// covers: pthread_getattr_np
// misuse: pthread_attr_setdetachstate pthread_attr_setinheritsched pthread_attr_setschedparam pthread_attr_setschedpolicy
// misuse: pthread_attr_setscope pthread_attr_setstack pthread_attr_setstacksize pthread_attr_setaffinity_np
// misuse: pthread_getattr_np
// expect: source verified executions=1 [args: values]
// expect: source verified executions=1 [args: wrong_values]
// expect: source verified executions=1 [args: of_threads]
// expect: dpor verified executions=1 [args: of_threads]
// expect: all verified executions=1 [args: of_threads]
// expect: source verified executions=1 [args: starts_detached]
// expect: dpor verified executions=1 [args: starts_detached]
// expect: all verified executions=1 [args: starts_detached]
// expect: source verified executions=1 [args: signal_mask]
// expect: dpor verified executions=1 [args: signal_mask]
// expect: all verified executions=1 [args: signal_mask]
// expect: source bug=lock executions=1 line=@join_detached [args: join_detached] [says: detached thread]
// expect: source error line=@garbage [args: garbage] [says: stack]
// expect: source bug=lock executions=1 line=@getattr_unknown [args: getattr_unknown] [says: no thread]
// expect: source bug=crash executions=1 line=@getattr_null [args: getattr_null]
#include "api.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static pthread_attr_t attributes;
static char stack[1 << 16] __attribute__((aligned(16)));

CASE(values)
{
	pthread_attr_t *a = &attributes;
	struct sched_param parameters = {0};
	cpu_set_t set;
	sigset_t mask;
	size_t size;
	void *address;
	int value;

	assert(pthread_attr_init(a) == 0);
	assert(pthread_attr_getdetachstate(a, &value) == 0 && value == PTHREAD_CREATE_JOINABLE);
	assert(pthread_attr_setdetachstate(a, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_attr_getdetachstate(a, &value) == 0 && value == PTHREAD_CREATE_DETACHED);
	assert(pthread_attr_setguardsize(a, 8192) == 0 && pthread_attr_getguardsize(a, &size) == 0 && size == 8192);
	assert(pthread_attr_setinheritsched(a, PTHREAD_EXPLICIT_SCHED) == 0);
	assert(pthread_attr_getinheritsched(a, &value) == 0 && value == PTHREAD_EXPLICIT_SCHED);
	assert(pthread_attr_setschedpolicy(a, SCHED_RR) == 0);
	assert(pthread_attr_getschedpolicy(a, &value) == 0 && value == SCHED_RR);
	parameters.sched_priority = 5;
	assert(pthread_attr_setschedparam(a, &parameters) == 0);
	parameters.sched_priority = 0;
	assert(pthread_attr_getschedparam(a, &parameters) == 0 && parameters.sched_priority == 5);
	assert(pthread_attr_setscope(a, PTHREAD_SCOPE_SYSTEM) == 0);
	assert(pthread_attr_getscope(a, &value) == 0 && value == PTHREAD_SCOPE_SYSTEM);
	assert(pthread_attr_setstacksize(a, 1 << 20) == 0);
	assert(pthread_attr_getstacksize(a, &size) == 0 && size == 1 << 20);
	assert(pthread_attr_setstack(a, stack, sizeof stack) == 0);
	assert(pthread_attr_getstack(a, &address, &size) == 0 && address == stack && size == sizeof stack);
	assert(pthread_attr_setstackaddr(a, stack + sizeof stack) == 0);
	assert(pthread_attr_getstackaddr(a, &address) == 0 && address == stack + sizeof stack);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	assert(pthread_attr_setaffinity_np(a, sizeof set, &set) == 0);
	CPU_ZERO(&set);
	assert(pthread_attr_getaffinity_np(a, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set));
	assert(pthread_attr_getsigmask_np(a, &mask) == PTHREAD_ATTR_NO_SIGMASK_NP);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	assert(pthread_attr_setsigmask_np(a, &mask) == 0);
	sigemptyset(&mask);
	assert(pthread_attr_getsigmask_np(a, &mask) == 0 && sigismember(&mask, SIGUSR1) == 1);
	assert(pthread_attr_destroy(a) == 0);
}

CASE(wrong_values)
{
	pthread_attr_t *a = &attributes;
	struct sched_param parameters = {.sched_priority = 1000};

	assert(pthread_attr_init(a) == 0);
	assert(pthread_attr_setdetachstate(a, 7) == EINVAL);
	assert(pthread_attr_setinheritsched(a, 7) == EINVAL);
	assert(pthread_attr_setschedpolicy(a, 77) == EINVAL);
	assert(pthread_attr_setschedparam(a, &parameters) == EINVAL);
	assert(pthread_attr_setscope(a, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
	assert(pthread_attr_setscope(a, 7) == EINVAL);
	assert(pthread_attr_setstacksize(a, 1) == EINVAL);
	assert(pthread_attr_setstack(a, stack, 1) == EINVAL);
	assert(pthread_attr_destroy(a) == 0);
}

static void check_own(int detached)
{
	pthread_attr_t own;
	char *low;
	size_t size;
	int state;

	assert(pthread_getattr_np(pthread_self(), &own) == 0);
	assert(pthread_attr_getdetachstate(&own, &state) == 0 && state == detached);
	assert(pthread_attr_getstack(&own, (void **)&low, &size) == 0);
	assert((char *)&own > low && (char *)&own < low + size);
	assert(pthread_attr_destroy(&own) == 0);
}

static void *check_joinable(void *unused)
{
	check_own(PTHREAD_CREATE_JOINABLE);
	return unused;
}

CASE(of_threads)
{
	check_own(PTHREAD_CREATE_JOINABLE);
	assert(pthread_attr_init(&attributes) == 0);
	assert(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
	assert(pthread_attr_setguardsize(&attributes, 0) == 0);
	pthread_t thread, other = start(check_joinable, NULL);
	assert(pthread_create(&thread, &attributes, check_joinable, NULL) == 0);
	finish(thread);
	finish(other);
}

static void *check_detached(void *unused)
{
	check_own(PTHREAD_CREATE_DETACHED);
	return unused;
}

static pthread_t start_detached(void *(*function)(void *))
{
	pthread_t thread;

	assert(pthread_attr_init(&attributes) == 0);
	assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_create(&thread, &attributes, function, NULL) == 0);
	return thread;
}

CASE(starts_detached)
{
	start_detached(check_detached);
}

static void *check_mask(void *unused)
{
	sigset_t mask;

	assert(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
	assert(sigismember(&mask, SIGUSR2) == 1 && sigismember(&mask, SIGUSR1) == 0);
	return unused;
}

/* A mask in the attributes is the thread's, not its creator's. */
CASE(signal_mask)
{
	sigset_t mask;
	pthread_t thread;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	assert(pthread_sigmask(SIG_BLOCK, &mask, NULL) == 0);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	assert(pthread_attr_init(&attributes) == 0);
	assert(pthread_attr_setsigmask_np(&attributes, &mask) == 0);
	assert(pthread_create(&thread, &attributes, check_mask, NULL) == 0);
	finish(thread);
}

static pthread_attr_t *garbage_attributes(void)
{
	return memset(&attributes, 0x7f, sizeof attributes);
}

static pthread_t thread;

MISUSE(join_detached, pthread_join(start_detached(check_detached), NULL)); // @join_detached
MISUSE(garbage, pthread_create(&thread, garbage_attributes(), check_joinable, NULL)); // @garbage
MISUSE(getattr_unknown, pthread_getattr_np(0, &attributes)); // @getattr_unknown
MISUSE(getattr_null, pthread_getattr_np(pthread_self(), NULL)); // @getattr_null
