// Threads: handles, arguments, results, detaching, the end of main.
// covers: pthread_create pthread_join pthread_exit pthread_detach pthread_self pthread_equal
// misuse: pthread_create pthread_join pthread_detach
// expect: source verified executions=1 [args: values]
// expect: dpor verified executions=1 [args: values]
// expect: all verified executions=1 [args: values]
// expect: source verified executions=2 [args: detached]
// expect: dpor verified executions=2 [args: detached]
// expect: all verified executions=3 [args: detached]
// expect: source verified executions=6 [args: detached_after_end]
// expect: dpor verified executions=6 [args: detached_after_end]
// expect: all verified executions=16 [args: detached_after_end]
// expect: source verified executions=1 [args: main_ends_first]
// expect: dpor verified executions=1 [args: main_ends_first]
// expect: all verified executions=1 [args: main_ends_first]
// expect: source verified executions=1 [args: joined_by_another]
// expect: dpor verified executions=1 [args: joined_by_another]
// expect: all verified executions=1 [args: joined_by_another]
// expect: source bug=deadlock executions=1 [args: mutual_join]
// expect: dpor bug=deadlock executions=1 [args: mutual_join]
// expect: all bug=deadlock executions=1 [args: mutual_join]
// expect: source bug=lock executions=2 [args: join_race] [options: --keep-going] line=@racing [says: joined already]
// expect: dpor bug=lock executions=2 [args: join_race] [options: --keep-going] line=@racing [says: joined already]
// expect: all bug=lock executions=6 [args: join_race] [options: --keep-going] line=@racing [says: joined already]
// expect: source bug=lock executions=1 line=@unknown_join [args: unknown_join] [says: no thread]
// expect: source bug=lock executions=1 line=@unknown_detach [args: unknown_detach] [says: no thread]
// expect: source bug=lock executions=1 line=@join_twice [args: join_twice] [says: joined already] replay
// expect: source bug=lock executions=1 line=@join_detached [args: join_detached] [says: detached thread]
// expect: source bug=lock executions=1 line=@detach_twice [args: detach_twice] [says: detached already]
// expect: source bug=lock executions=1 line=@detach_joined [args: detach_joined] [says: joined already]
// expect: source verified executions=1 [args: join_self]
// expect: source bug=crash executions=1 line=@null_handle [args: null_handle]
// expect: source bug=crash executions=1 line=@null_function [args: null_function]
// expect: source bug=crash executions=1 line=@bad_result [args: bad_result]
// expect: source bug=crash executions=1 line=@bad_attributes [args: bad_attributes]
#include "api.h"

#include <stdlib.h>

static pthread_t handles[2];
static int word;

static void *return_argument(void *argument)
{
	return argument;
}

static void *exit_with_argument(void *argument)
{
	assert(!pthread_equal(pthread_self(), handles[0]));
	pthread_exit(argument);
}

CASE(values)
{
	pthread_t self = pthread_self(), first, second;
	void *result;

	handles[0] = self;
	assert(pthread_equal(self, pthread_self()));
	assert(pthread_create(&first, NULL, return_argument, &word) == 0);
	assert(pthread_create(&second, NULL, exit_with_argument, &handles) == 0);
	assert(!pthread_equal(first, second) && !pthread_equal(first, self) && pthread_equal(first, first));
	assert(pthread_join(second, &result) == 0 && result == &handles);
	assert(pthread_join(first, &result) == 0 && result == &word);
	first = start(return_argument, NULL);
	assert(pthread_join(first, &result) == 0 && result == NULL);
	first = start(return_argument, NULL);
	assert(pthread_join(first, NULL) == 0);
}

static void *detach_itself(void *argument)
{
	assert(pthread_detach(pthread_self()) == 0);
	return argument;
}

CASE(detached)
{
	start(detach_itself, NULL);
	pthread_t thread = start(return_argument, NULL);
	assert(pthread_detach(thread) == 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *add_locked(void *argument)
{
	pthread_mutex_lock(&mutex);
	word++;
	pthread_mutex_unlock(&mutex);
	return argument;
}

CASE(detached_after_end)
{
	pthread_t thread = start(add_locked, NULL);

	pthread_mutex_lock(&mutex);
	word++;
	pthread_mutex_unlock(&mutex);
	assert(pthread_detach(thread) == 0);
}

static void *end_process(void *argument)
{
	assert(pthread_join(handles[0], &argument) == 0 && argument == &word);
	add_locked(NULL);
	exit(word == 1 ? 0 : 1);
}

CASE(main_ends_first)
{
	handles[0] = pthread_self();
	start(end_process, NULL);
	pthread_exit(&word);
}

static void *join_first(void *argument)
{
	return finish(*(pthread_t *)argument);
}

CASE(joined_by_another)
{
	pthread_t first = start(return_argument, &word);
	pthread_t second = start(join_first, &first);

	assert(finish(second) == &word);
}

static void *join_main(void *argument)
{
	pthread_join(handles[0], NULL);
	return argument;
}

CASE(mutual_join)
{
	handles[0] = pthread_self();
	pthread_join(start(join_main, NULL), NULL);
}

static void *join_shared(void *argument)
{
	pthread_join(handles[0], NULL); // @racing
	return argument;
}

CASE(join_race)
{
	handles[0] = start(return_argument, NULL);
	pthread_t second = start(join_shared, NULL);
	pthread_join(handles[0], NULL); // @racing
	pthread_join(second, NULL);
}

CASE(unknown_join)
{
	pthread_join((pthread_t)0, NULL); // @unknown_join
}

CASE(unknown_detach)
{
	pthread_detach((pthread_t)&word); // @unknown_detach
}

CASE(join_twice)
{
	pthread_t thread = start(return_argument, NULL);

	assert(pthread_join(thread, NULL) == 0);
	pthread_join(thread, NULL); // @join_twice
}

CASE(join_detached)
{
	pthread_t thread = start(return_argument, NULL);

	assert(pthread_detach(thread) == 0);
	pthread_join(thread, NULL); // @join_detached
}

CASE(detach_twice)
{
	pthread_t thread = start(return_argument, NULL);

	assert(pthread_detach(thread) == 0);
	pthread_detach(thread); // @detach_twice
}

CASE(detach_joined)
{
	pthread_t thread = start(return_argument, NULL);

	finish(thread);
	pthread_detach(thread); // @detach_joined
}

CASE(join_self)
{
	assert(pthread_join(pthread_self(), NULL) == EDEADLK);
}

CASE(null_handle)
{
	pthread_create(NULL, NULL, return_argument, NULL); // @null_handle
}

CASE(null_function)
{
	pthread_t thread;

	pthread_create(&thread, NULL, NULL, NULL); // @null_function
	pthread_join(thread, NULL);
}

CASE(bad_result)
{
	pthread_join(start(return_argument, NULL), (void **)8); // @bad_result
}

CASE(bad_attributes)
{
	pthread_t thread;

	pthread_create(&thread, (pthread_attr_t *)8, return_argument, NULL); // @bad_attributes
}
