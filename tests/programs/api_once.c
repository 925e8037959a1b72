// pthread_once: the routine has been run when any caller returns, and was run once.
// covers: pthread_once
// misuse: pthread_once
// expect: source verified executions=3 [args: once]
// expect: dpor verified executions=3 [args: once]
// expect: all verified executions=126 [args: once]
// expect: source verified executions=3 [args: waiting]
// expect: dpor verified executions=3 [args: waiting]
// expect: all verified executions=47 [args: waiting]
// expect: source verified executions=2 [args: begun_again]
// expect: dpor verified executions=2 [args: begun_again]
// expect: all verified executions=6 [args: begun_again]
// expect: source verified executions=1 [args: two_controls]
// expect: dpor verified executions=1 [args: two_controls]
// expect: all verified executions=1 [args: two_controls]
// expect: source bug=deadlock executions=1 [args: from_itself] line=@from_itself
// expect: dpor bug=deadlock executions=1 [args: from_itself] line=@from_itself
// expect: all bug=deadlock executions=1 [args: from_itself] line=@from_itself
// expect: source verified executions=1 [args: garbage]
// expect: source bug=crash executions=1 line=@once_null [args: once_null]
// expect: source bug=crash executions=1 line=@routine_null [args: routine_null]
#include "api.h"

static pthread_once_t control = PTHREAD_ONCE_INIT, other = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ran;

static void routine(void)
{
	ran++;
}

static void *call(void *unused)
{
	assert(pthread_once(&control, routine) == 0);
	assert(ran == 1); /* and no race */
	return unused;
}

CASE(once)
{
	pthread_t first = start(call, NULL), second = start(call, NULL);

	call(NULL);
	finish(first);
	finish(second);
	call(NULL);
}

static void slow_routine(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	ran++;
}

static void *call_slow(void *unused)
{
	assert(pthread_once(&control, slow_routine) == 0);
	assert(ran == 1);
	return unused;
}

/* Whoever comes while it runs waits for its end. */
CASE(waiting)
{
	pthread_t thread = start(call_slow, NULL);

	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	call_slow(NULL);
	finish(thread);
}

static void leaving_routine(void)
{
	pthread_exit(NULL);
}

static void *call_leaving(void *unused)
{
	pthread_once(&control, leaving_routine);
	assert(!"it comes back");
	return unused;
}

/* What did not come to its end was not run. */
CASE(begun_again)
{
	finish(start(call_leaving, NULL));
	pthread_t thread = start(call, NULL);
	call(NULL);
	finish(thread);
}

CASE(two_controls)
{
	assert(pthread_once(&control, routine) == 0 && pthread_once(&other, routine) == 0);
	assert(pthread_once(&control, routine) == 0 && pthread_once(&other, routine) == 0);
	assert(ran == 2);
}

static void endless_routine(void)
{
	pthread_once(&control, routine); // @from_itself
}

CASE(from_itself)
{
	pthread_once(&control, endless_routine);
}

CASE(garbage)
{
	memset(&control, 0xff, sizeof control);
	assert(pthread_once(&control, routine) == EINVAL);
}

MISUSE(once_null, pthread_once(NULL, routine)); // @once_null
MISUSE(routine_null, pthread_once(&control, NULL)); // @routine_null
