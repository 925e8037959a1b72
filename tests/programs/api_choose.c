// include/inspect.h: choices, assumptions, assertions, atomic blocks.
// expect: source verified executions=6 [args: all_values]
// expect: dpor verified executions=6 [args: all_values]
// expect: all verified executions=6 [args: all_values]
// expect: source bug=assertion executions=100 [args: one_value] [options: --keep-going] line=@one_value
// expect: dpor bug=assertion executions=100 [args: one_value] [options: --keep-going] line=@one_value
// expect: all bug=assertion executions=100 [args: one_value] [options: --keep-going] line=@one_value
// expect: source verified executions=1 [args: choice_of_one]
// expect: dpor verified executions=1 [args: choice_of_one]
// expect: all verified executions=1 [args: choice_of_one]
// expect: - incomplete executions=0 [args: assumed] [options: --max-executions=4]
// expect: source verified executions=3 [args: assumed]
// expect: dpor verified executions=3 [args: assumed]
// expect: all verified executions=3 [args: assumed]
// expect: source verified executions=3 [args: assumed_before_bug]
// expect: dpor verified executions=3 [args: assumed_before_bug]
// expect: all verified executions=3 [args: assumed_before_bug]
// expect: source bug=assertion executions=1 [args: assumption_may_hold] [options: --keep-going] line=@assumption_may_hold
// expect: dpor bug=assertion executions=1 [args: assumption_may_hold] [options: --keep-going] line=@assumption_may_hold
// expect: all bug=assertion executions=1 [args: assumption_may_hold] [options: --keep-going] line=@assumption_may_hold
// expect: source verified executions=0 [args: blocked_by_assumption]
// expect: dpor verified executions=0 [args: blocked_by_assumption]
// expect: all verified executions=0 [args: blocked_by_assumption]
// expect: source bug=assertion executions=1 [args: asserted] line=@asserted
// expect: dpor bug=assertion executions=1 [args: asserted] line=@asserted
// expect: all bug=assertion executions=1 [args: asserted] line=@asserted
// expect: source verified executions=2 [args: atomic_increment]
// expect: dpor verified executions=2 [args: atomic_increment]
// expect: all verified executions=2 [args: atomic_increment]
// expect: source bug=assertion executions=4 [args: split_increment] [options: --keep-going] line=@split_increment
// expect: dpor bug=assertion executions=4 [args: split_increment] [options: --keep-going] line=@split_increment
// expect: all bug=assertion executions=6 [args: split_increment] [options: --keep-going] line=@split_increment
// expect: source verified executions=2 [args: nested_blocks]
// expect: dpor verified executions=2 [args: nested_blocks]
// expect: all verified executions=2 [args: nested_blocks]
// expect: source verified executions=4 [args: waiting_inside]
// expect: dpor verified executions=4 [args: waiting_inside]
// expect: all verified executions=4 [args: waiting_inside]
// expect: source error line=@choose_nothing [args: choose_nothing] [says: 1 to 65535]
// expect: source error line=@choose_too_many [args: choose_too_many] [says: 1 to 65535]
// expect: source bug=lock executions=1 line=@end_without_begin [args: end_without_begin] [says: not begun]
#include "api.h"

#include "../../include/inspect.h"

#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int word;

/* Two times three executions. */
CASE(all_values)
{
	unsigned first = inspect_choose(2), second = inspect_choose(3);

	assert(first < 2 && second < 3);
}

CASE(one_value)
{
	assert(inspect_choose(100) != 77); // @one_value
}

CASE(choice_of_one)
{
	assert(inspect_choose(1) == 0);
}

CASE(assumed)
{
	unsigned value = inspect_choose(10);

	inspect_assume(value > 6);
	assert(value == 7 || value == 8 || value == 9);
}

CASE(assumed_before_bug)
{
	unsigned value = inspect_choose(4);

	inspect_assume(value != 3);
	assert(value != 3);
}

static void *set_word(void *unused)
{
	pthread_mutex_lock(&mutex);
	word = 1;
	pthread_mutex_unlock(&mutex);
	return unused;
}

CASE(assumption_may_hold)
{
	pthread_t thread = start(set_word, NULL);

	pthread_mutex_lock(&mutex);
	int seen = word;
	pthread_mutex_unlock(&mutex);
	inspect_assume(seen == 1);
	assert(seen != 1); // @assumption_may_hold
	finish(thread);
}

/* A thread whose assumption failed is no deadlock for the one that joins it. */
static void *assume_nothing(void *unused)
{
	inspect_assume(0);
	return unused;
}

CASE(blocked_by_assumption)
{
	finish(start(assume_nothing, NULL));
	assert(!"it is never joined");
}

CASE(asserted)
{
	inspect_assert(1 + 1 == 2);
	inspect_assert(1 + 1 == 3); // @asserted
}

static void *increment_atomically(void *unused)
{
	inspect_atomic_begin();
	word++;
	inspect_atomic_end();
	return unused;
}

CASE(atomic_increment)
{
	pthread_t thread = start(increment_atomically, NULL);

	increment_atomically(NULL);
	finish(thread);
	assert(word == 2);
}

static void *increment_in_two(void *unused)
{
	int value = __atomic_load_n(&word, __ATOMIC_SEQ_CST);

	__atomic_store_n(&word, value + 1, __ATOMIC_SEQ_CST);
	return unused;
}

CASE(split_increment)
{
	pthread_t thread = start(increment_in_two, NULL);

	increment_in_two(NULL);
	finish(thread);
	assert(word == 2); // @split_increment
}

static void *nested(void *unused)
{
	inspect_atomic_begin();
	inspect_atomic_begin();
	increment_in_two(NULL);
	inspect_atomic_end();
	increment_in_two(NULL);
	inspect_atomic_end();
	return unused;
}

CASE(nested_blocks)
{
	pthread_t thread = start(nested, NULL);

	nested(NULL);
	finish(thread);
	assert(word == 4);
}

/* What must wait in an atomic block lets the others run. */
static void *lock_inside(void *unused)
{
	inspect_atomic_begin();
	pthread_mutex_lock(&mutex);
	word++;
	pthread_mutex_unlock(&mutex);
	inspect_atomic_end();
	return unused;
}

CASE(waiting_inside)
{
	pthread_mutex_lock(&mutex);
	pthread_t thread = start(lock_inside, NULL);
	word++;
	pthread_mutex_unlock(&mutex);
	finish(thread);
	assert(word == 2);
}

MISUSE(choose_nothing, inspect_choose(0)); // @choose_nothing
MISUSE(choose_too_many, inspect_choose(65536)); // @choose_too_many
MISUSE(end_without_begin, inspect_atomic_end()); // @end_without_begin
