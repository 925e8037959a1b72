// Thread-specific data: a value for each thread, destructors in rounds.
// covers: pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific
// misuse: pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific
// expect: source verified executions=1 [args: values]
// expect: dpor verified executions=1 [args: values]
// expect: source verified executions=1 [args: destructors]
// expect: dpor verified executions=1 [args: destructors]
// expect: all verified executions=1 [args: destructors]
// expect: source verified executions=1 [args: set_again]
// expect: dpor verified executions=1 [args: set_again]
// expect: all verified executions=1 [args: set_again]
// expect: source verified executions=1 [args: deleted]
// expect: source verified executions=1 [args: all_of_them]
// expect: source verified executions=1 [args: exit_value]
// expect: dpor verified executions=1 [args: exit_value]
// expect: all verified executions=1 [args: exit_value]
// expect: source bug=race executions=4 [args: destructor_races] [options: --keep-going] line=@racing
// expect: dpor bug=race executions=4 [args: destructor_races] [options: --keep-going] line=@racing
// expect: all bug=race executions=352716 [args: destructor_races] [options: --keep-going] line=@racing
// expect: source verified executions=1 [args: errors]
// expect: source bug=lock executions=1 line=@get_unknown [args: get_unknown] [says: does not exist]
// expect: source bug=lock executions=1 line=@set_unknown [args: set_unknown] [says: does not exist]
// expect: source bug=lock executions=1 line=@get_deleted [args: get_deleted] [says: does not exist]
// expect: source bug=lock executions=1 line=@set_deleted [args: set_deleted] [says: does not exist]
// expect: source bug=crash executions=1 line=@create_null [args: create_null]
#include "api.h"

#include <limits.h>

static pthread_key_t key, second;
static int calls, words[3];
static void *seen;

static void *use_value(void *argument)
{
	assert(pthread_getspecific(key) == NULL);
	assert(pthread_setspecific(key, argument) == 0);
	assert(pthread_getspecific(key) == argument);
	return argument;
}

CASE(values)
{
	assert(pthread_key_create(&key, NULL) == 0 && pthread_key_create(&second, NULL) == 0 && key != second);
	assert(pthread_setspecific(key, &words[2]) == 0);
	pthread_t first = start(use_value, &words[0]), other = start(use_value, &words[1]);
	assert(pthread_getspecific(key) == &words[2] && pthread_getspecific(second) == NULL);
	finish(first);
	finish(other);
	assert(pthread_getspecific(key) == &words[2]);
	assert(pthread_setspecific(key, NULL) == 0 && pthread_getspecific(key) == NULL);
	assert(pthread_key_delete(key) == 0 && pthread_key_delete(second) == 0);
}

static void note(void *value)
{
	assert(pthread_getspecific(key) == NULL); /* before the call it is cleared */
	seen = value;
	calls++;
}

static void *nothing(void *argument)
{
	return argument;
}

CASE(destructors)
{
	assert(pthread_key_create(&key, note) == 0);
	assert(finish(start(use_value, &words[0])) == &words[0]);
	assert(calls == 1 && seen == &words[0]);
	finish(start(nothing, NULL)); /* without a value none is called */
	assert(calls == 1);
}

static void set_again_always(void *value)
{
	calls++;
	pthread_setspecific(key, value);
}

CASE(set_again)
{
	assert(pthread_key_create(&key, set_again_always) == 0);
	finish(start(use_value, &words[0]));
	assert(calls == PTHREAD_DESTRUCTOR_ITERATIONS);
}

static void *delete_own(void *argument)
{
	use_value(argument);
	assert(pthread_key_delete(key) == 0);
	return NULL;
}

CASE(deleted)
{
	assert(pthread_key_create(&key, note) == 0);
	finish(start(delete_own, &words[0]));
	assert(calls == 0); /* a key that is gone has no destructor */
	assert(pthread_key_create(&second, NULL) == 0);
	assert(pthread_getspecific(second) == NULL);
}

CASE(all_of_them)
{
	pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
	int n = 0;

	while (n <= PTHREAD_KEYS_MAX && pthread_key_create(&keys[n], NULL) == 0)
		n++;
	assert(n >= _POSIX_THREAD_KEYS_MAX && n <= PTHREAD_KEYS_MAX);
	assert(pthread_key_create(&key, NULL) == EAGAIN);
	assert(pthread_setspecific(keys[n - 1], &calls) == 0 && pthread_getspecific(keys[n - 1]) == &calls);
	assert(pthread_key_delete(keys[0]) == 0 && pthread_key_create(&key, NULL) == 0);
}

static void *set_and_exit(void *argument)
{
	use_value(argument);
	pthread_exit(&words[1]);
}

CASE(exit_value)
{
	assert(pthread_key_create(&key, note) == 0);
	assert(finish(start(set_and_exit, &words[0])) == &words[1] && calls == 1);
}

static void write_word(void *unused)
{
	(void)unused;
	words[0]++; // @racing
}

CASE(destructor_races)
{
	assert(pthread_key_create(&key, write_word) == 0);
	pthread_t first = start(use_value, &words[1]), other = start(use_value, &words[2]);
	finish(first);
	finish(other);
}

CASE(errors)
{
	assert(pthread_key_delete(12) == EINVAL);
	assert(pthread_key_delete(PTHREAD_KEYS_MAX) == EINVAL);
	assert(pthread_key_create(&key, NULL) == 0 && pthread_key_delete(key) == 0);
	assert(pthread_key_delete(key) == EINVAL);
}

static pthread_key_t deleted_key(void)
{
	pthread_key_create(&key, NULL);
	pthread_key_delete(key);
	return key;
}

MISUSE(get_unknown, pthread_getspecific(PTHREAD_KEYS_MAX + 5)); // @get_unknown
MISUSE(set_unknown, pthread_setspecific(9, &key)); // @set_unknown
MISUSE(get_deleted, pthread_getspecific(deleted_key())); // @get_deleted
MISUSE(set_deleted, pthread_setspecific(deleted_key(), &key)); // @set_deleted
MISUSE(create_null, pthread_key_create(NULL, NULL)); // @create_null
