// <threads.h>: threads, once and thread-specific data.
// covers: thrd_create thrd_join thrd_detach thrd_exit thrd_current thrd_equal thrd_sleep thrd_yield
// covers: call_once tss_create tss_delete tss_get tss_set
// misuse: thrd_create thrd_join thrd_detach thrd_sleep call_once tss_create tss_delete tss_get tss_set
// expect: source verified executions=1 [args: values]
// expect: dpor verified executions=1 [args: values]
// expect: all verified executions=20 [args: values]
// expect: source verified executions=1 [args: detached]
// expect: dpor verified executions=1 [args: detached]
// expect: all verified executions=1 [args: detached]
// expect: source verified executions=1 [args: sleeping]
// expect: source verified executions=2 [args: once]
// expect: dpor verified executions=2 [args: once]
// expect: all verified executions=6 [args: once]
// expect: source verified executions=1 [args: specific]
// expect: dpor verified executions=1 [args: specific]
// expect: all verified executions=1 [args: specific]
// expect: source bug=crash executions=1 line=@create_null [args: create_null]
// expect: source bug=lock executions=1 line=@join_unknown [args: join_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@join_twice [args: join_twice] [says: joined already]
// expect: source bug=lock executions=1 line=@detach_twice [args: detach_twice] [says: detached already]
// expect: source bug=crash executions=1 line=@sleep_null [args: sleep_null]
// expect: source verified executions=1 [args: sleep_wrong]
// expect: source bug=crash executions=1 line=@once_null [args: once_null]
// expect: source bug=crash executions=1 line=@tss_create_null [args: tss_create_null]
// expect: source bug=lock executions=1 line=@tss_get_unknown [args: tss_get_unknown] [says: does not exist]
// expect: source bug=lock executions=1 line=@tss_set_unknown [args: tss_set_unknown] [says: does not exist]
// expect: source bug=lock executions=1 line=@tss_delete_used [args: tss_delete_used] [says: does not exist]
#include "api.h"

#include <threads.h>

static thrd_t main_thread;
static tss_t key;
static once_flag flag = ONCE_FLAG_INIT;
static int ran, destroyed;

static int negative(void *argument)
{
	assert(!thrd_equal(thrd_current(), main_thread));
	thrd_yield();
	return -*(int *)argument;
}

static int leave(void *argument)
{
	thrd_exit(*(int *)argument);
}

CASE(values)
{
	thrd_t first, second;
	int number = 7, result = 0;

	main_thread = thrd_current();
	assert(thrd_equal(main_thread, thrd_current()));
	assert(thrd_create(&first, negative, &number) == thrd_success);
	assert(thrd_create(&second, leave, &number) == thrd_success);
	assert(!thrd_equal(first, second));
	assert(thrd_join(first, &result) == thrd_success && result == -7);
	assert(thrd_join(second, &result) == thrd_success && result == 7);
}

static int nothing(void *unused)
{
	(void)unused;
	return 0;
}

CASE(detached)
{
	thrd_t thread;

	assert(thrd_create(&thread, nothing, NULL) == thrd_success && thrd_detach(thread) == thrd_success);
}

CASE(sleeping)
{
	struct timespec second = {.tv_sec = 5}, left = {.tv_sec = 1}, before, after;

	assert(timespec_get(&before, TIME_UTC) == TIME_UTC);
	assert(thrd_sleep(&second, &left) == 0);
	assert(timespec_get(&after, TIME_UTC) == TIME_UTC && after.tv_sec >= before.tv_sec + 5);
}

static void routine(void)
{
	ran++;
}

static int call(void *unused)
{
	(void)unused;
	call_once(&flag, routine);
	assert(ran == 1);
	return 0;
}

CASE(once)
{
	thrd_t thread;

	assert(thrd_create(&thread, call, NULL) == thrd_success);
	call(NULL);
	assert(thrd_join(thread, NULL) == thrd_success);
	call(NULL);
}

static void destroy(void *value)
{
	assert(value == &ran);
	destroyed++;
}

static int use(void *unused)
{
	(void)unused;
	assert(tss_get(key) == NULL);
	assert(tss_set(key, &ran) == thrd_success && tss_get(key) == &ran);
	return 0;
}

CASE(specific)
{
	thrd_t thread;

	assert(tss_create(&key, destroy) == thrd_success);
	assert(tss_set(key, &flag) == thrd_success);
	assert(thrd_create(&thread, use, NULL) == thrd_success && thrd_join(thread, NULL) == thrd_success);
	assert(destroyed == 1 && tss_get(key) == &flag);
	tss_delete(key);
}

static thrd_t joined(void)
{
	thrd_t thread;

	thrd_create(&thread, nothing, NULL);
	thrd_join(thread, NULL);
	return thread;
}

static thrd_t detached_thread(void)
{
	thrd_t thread;

	thrd_create(&thread, nothing, NULL);
	thrd_detach(thread);
	return thread;
}

static tss_t deleted(void)
{
	tss_create(&key, NULL);
	tss_delete(key);
	return key;
}

CASE(sleep_wrong)
{
	struct timespec wrong = {.tv_nsec = -1};

	assert(thrd_sleep(&wrong, NULL) < 0);
}

MISUSE(create_null, thrd_create(NULL, nothing, NULL)); // @create_null
MISUSE(join_unknown, thrd_join(0, NULL)); // @join_unknown
MISUSE(join_twice, thrd_join(joined(), NULL)); // @join_twice
MISUSE(detach_twice, thrd_detach(detached_thread())); // @detach_twice
MISUSE(sleep_null, thrd_sleep(NULL, NULL)); // @sleep_null
MISUSE(once_null, call_once(NULL, routine)); // @once_null
MISUSE(tss_create_null, tss_create(NULL, NULL)); // @tss_create_null
MISUSE(tss_get_unknown, tss_get(99)); // @tss_get_unknown
MISUSE(tss_set_unknown, tss_set(99, NULL)); // @tss_set_unknown
MISUSE(tss_delete_used, tss_get(deleted())); // @tss_delete_used
