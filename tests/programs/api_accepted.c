// Names, priorities, processors: accepted, and without effect on the interleavings.
// covers: pthread_setname_np pthread_getname_np pthread_setaffinity_np pthread_getaffinity_np
// covers: pthread_setschedparam pthread_getschedparam pthread_setschedprio pthread_setconcurrency pthread_getconcurrency
// covers: pthread_getcpuclockid pthread_getattr_default_np pthread_setattr_default_np pthread_yield
// covers: pthread_mutex_getprioceiling pthread_mutex_setprioceiling
// misuse: pthread_setname_np pthread_getname_np pthread_setaffinity_np pthread_getaffinity_np
// misuse: pthread_setschedparam pthread_getschedparam pthread_setschedprio pthread_setconcurrency
// misuse: pthread_getcpuclockid pthread_setattr_default_np pthread_mutex_getprioceiling pthread_mutex_setprioceiling
// expect: source verified executions=1 [args: names]
// expect: dpor verified executions=1 [args: names]
// expect: all verified executions=1 [args: names]
// expect: source verified executions=1 [args: processors]
// expect: source verified executions=1 [args: priorities]
// expect: source verified executions=1 [args: defaults]
// expect: source verified executions=1 [args: ceilings]
// expect: source verified executions=1 [args: wrong_values]
// expect: source bug=lock executions=1 line=@setname_unknown [args: setname_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@getname_unknown [args: getname_unknown] [says: no thread]
// expect: source bug=crash executions=1 line=@getname_bad [args: getname_bad]
// expect: source bug=crash executions=1 line=@setname_bad [args: setname_bad]
// expect: source bug=lock executions=1 line=@setaffinity_unknown [args: setaffinity_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@getaffinity_unknown [args: getaffinity_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@setschedparam_unknown [args: setschedparam_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@getschedparam_unknown [args: getschedparam_unknown] [says: no thread]
// expect: source bug=crash executions=1 line=@getschedparam_null [args: getschedparam_null]
// expect: source bug=lock executions=1 line=@setschedprio_unknown [args: setschedprio_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@cpuclock_unknown [args: cpuclock_unknown] [says: no thread]
// expect: source bug=crash executions=1 line=@default_null [args: default_null]
// expect: source bug=lock executions=1 line=@getprioceiling_destroyed [args: getprioceiling_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@setprioceiling_destroyed [args: setprioceiling_destroyed] [says: was destroyed]
#include "api.h"

#include <sched.h>
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

extern int old_yield(void) __asm__("pthread_yield");

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_attr_t attributes;
static struct sched_param parameters;
static cpu_set_t set;
static clockid_t cpu_clock;
static char name[16];
static int number;

static void *name_myself(void *argument)
{
	char own[16];

	assert(pthread_setname_np(pthread_self(), argument) == 0);
	old_yield();
	assert(pthread_getname_np(pthread_self(), own, sizeof own) == 0 && !strcmp(own, argument));
	return NULL;
}

CASE(names)
{
	pthread_t first = start(name_myself, "first"), second = start(name_myself, "123456789012345");

	name_myself("main");
	finish(first);
	finish(second);
	assert(pthread_setname_np(pthread_self(), "1234567890123456") == ERANGE);
	assert(pthread_getname_np(pthread_self(), name, 3) == ERANGE);
}

CASE(processors)
{
	assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_COUNT(&set) >= 1);
	assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
	assert(pthread_setaffinity_np(pthread_self(), 0, &set) == EINVAL);
	assert(pthread_getaffinity_np(pthread_self(), 1, &set) == EINVAL);
	assert(pthread_setconcurrency(0) == 0 && pthread_getconcurrency() == 0);
	assert(pthread_getcpuclockid(pthread_self(), &cpu_clock) == 0);
	struct timespec now;
	assert(clock_gettime(cpu_clock, &now) == 0);
}

CASE(priorities)
{
	assert(pthread_getschedparam(pthread_self(), &number, &parameters) == 0 && number == SCHED_OTHER);
	assert(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters) == 0);
	assert(pthread_setschedprio(pthread_self(), 0) == 0);
}

CASE(defaults)
{
	size_t size;

	assert(pthread_getattr_default_np(&attributes) == 0);
	assert(pthread_attr_getstacksize(&attributes, &size) == 0 && size > 0);
	assert(pthread_setattr_default_np(&attributes) == 0);
	assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_setattr_default_np(&attributes) == EINVAL);
}

CASE(ceilings)
{
	pthread_mutexattr_t protected;
	int old = -1;

	assert(pthread_mutexattr_init(&protected) == 0);
	assert(pthread_mutexattr_setprotocol(&protected, PTHREAD_PRIO_PROTECT) == 0);
	assert(pthread_mutex_init(&mutex, &protected) == 0);
	assert(pthread_mutex_setprioceiling(&mutex, 7, &old) == 0);
	assert(pthread_mutex_getprioceiling(&mutex, &number) == 0 && number == 7);
	assert(pthread_mutex_setprioceiling(&mutex, 9, &old) == 0 && old == 7);
	assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
}

CASE(wrong_values)
{
	assert(pthread_setschedparam(pthread_self(), 77, &parameters) == EINVAL);
	assert(pthread_setschedprio(pthread_self(), 777) == EINVAL);
	assert(pthread_setconcurrency(-1) == EINVAL);
	assert(pthread_mutex_setprioceiling(&mutex, 777, &number) == EINVAL);
}

static pthread_mutex_t *destroyed(void)
{
	pthread_mutex_destroy(&mutex);
	return &mutex;
}

MISUSE(setname_unknown, pthread_setname_np(0, "x")); // @setname_unknown
MISUSE(getname_unknown, pthread_getname_np(0, name, sizeof name)); // @getname_unknown
MISUSE(getname_bad, pthread_getname_np(pthread_self(), (void *)8, 16)); // @getname_bad
MISUSE(setname_bad, pthread_setname_np(pthread_self(), (void *)8)); // @setname_bad
MISUSE(setaffinity_unknown, pthread_setaffinity_np(0, sizeof set, &set)); // @setaffinity_unknown
MISUSE(getaffinity_unknown, pthread_getaffinity_np(0, sizeof set, &set)); // @getaffinity_unknown
MISUSE(setschedparam_unknown, pthread_setschedparam(0, SCHED_OTHER, &parameters)); // @setschedparam_unknown
MISUSE(getschedparam_unknown, pthread_getschedparam(0, &number, &parameters)); // @getschedparam_unknown
MISUSE(getschedparam_null, pthread_getschedparam(pthread_self(), NULL, NULL)); // @getschedparam_null
MISUSE(setschedprio_unknown, pthread_setschedprio(0, 1)); // @setschedprio_unknown
MISUSE(cpuclock_unknown, pthread_getcpuclockid(0, &cpu_clock)); // @cpuclock_unknown
MISUSE(default_null, pthread_setattr_default_np(NULL)); // @default_null
MISUSE(getprioceiling_destroyed, pthread_mutex_getprioceiling(destroyed(), &number)); // @getprioceiling_destroyed
MISUSE(setprioceiling_destroyed, pthread_mutex_setprioceiling(destroyed(), 1, &number)); // @setprioceiling_destroyed
