// <stdatomic.h> and the compiler's own atomics: flags, all operations, fences, whole structures.
// expect: source verified executions=4 [args: flag_as_lock]
// expect: dpor verified executions=4 [args: flag_as_lock]
// expect: all verified executions=8 [args: flag_as_lock]
// expect: source verified executions=1 [args: operations]
// expect: source verified executions=1 [args: old_builtins]
// expect: source verified executions=4 [args: add_together]
// expect: dpor verified executions=4 [args: add_together]
// expect: all verified executions=6 [args: add_together]
// expect: source verified executions=2 [args: exchanged_once]
// expect: dpor verified executions=2 [args: exchanged_once]
// expect: all verified executions=2 [args: exchanged_once]
// expect: source verified executions=3 [args: whole_structure]
// expect: dpor verified executions=3 [args: whole_structure]
// expect: all verified executions=10 [args: whole_structure]
// expect: source verified executions=2 [args: fences]
// expect: dpor verified executions=2 [args: fences]
// expect: all verified executions=3 [args: fences]
// expect: source bug=race executions=2 [args: no_fence] [options: --keep-going] line=@no_fence
// expect: dpor bug=race executions=2 [args: no_fence] [options: --keep-going] line=@no_fence
// expect: all bug=race executions=3 [args: no_fence] [options: --keep-going] line=@no_fence
// expect: source verified executions=1 [args: signal_fence]
// expect: source verified executions=2 [args: large_structure]
// expect: dpor verified executions=2 [args: large_structure]
// expect: all verified executions=2 [args: large_structure]
#include "api.h"

#pragma clang diagnostic ignored "-Watomic-alignment"

#include <stdatomic.h>

static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_int number;
static int word, turns;

/* Only one of the two gets it: no race on what it protects. */
static void *take_flag(void *unused)
{
	if (!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) {
		word++;
		atomic_flag_clear_explicit(&flag, memory_order_release);
	}
	return unused;
}

CASE(flag_as_lock)
{
	pthread_t thread = start(take_flag, NULL);

	take_flag(NULL);
	finish(thread);
	assert(word == 1 || word == 2);
}

CASE(operations)
{
	int expected = 5;
	_Atomic unsigned char small = 250;
	_Atomic long long large = 1;

	atomic_init(&number, 5);
	assert(atomic_fetch_add(&number, 3) == 5 && atomic_fetch_sub(&number, 2) == 8);
	assert(atomic_fetch_or(&number, 8) == 6 && atomic_fetch_and(&number, 12) == 14);
	assert(atomic_fetch_xor(&number, 15) == 12 && atomic_load(&number) == 3);
	assert(atomic_exchange(&number, 4) == 3);
	assert(!atomic_compare_exchange_strong(&number, &expected, 9) && expected == 4);
	assert(atomic_compare_exchange_strong(&number, &expected, 9) && atomic_load(&number) == 9);
	assert(atomic_fetch_add(&small, 10) == 250 && atomic_load(&small) == 4);
	atomic_store(&large, 1ll << 40);
	assert(atomic_fetch_sub(&large, 1) == 1ll << 40 && atomic_load(&large) == (1ll << 40) - 1);
	assert(atomic_is_lock_free(&number));
}

CASE(old_builtins)
{
	assert(__sync_fetch_and_add(&word, 2) == 0 && __sync_add_and_fetch(&word, 2) == 4);
	assert(__sync_sub_and_fetch(&word, 1) == 3 && __sync_fetch_and_or(&word, 4) == 3);
	assert(__sync_and_and_fetch(&word, 6) == 6 && __sync_xor_and_fetch(&word, 7) == 1);
	assert(__sync_fetch_and_nand(&word, 1) == 1 && word == -2);
	assert(__sync_val_compare_and_swap(&word, -2, 5) == -2 && !__sync_bool_compare_and_swap(&word, 1, 2));
	assert(__sync_lock_test_and_set(&word, 1) == 5);
	__sync_lock_release(&word);
	__sync_synchronize();
	assert(word == 0);
}

static void *add_both_ways(void *unused)
{
	atomic_fetch_add_explicit(&number, 1, memory_order_relaxed);
	__sync_fetch_and_add(&turns, 1);
	return unused;
}

CASE(add_together)
{
	pthread_t thread = start(add_both_ways, NULL);

	add_both_ways(NULL);
	finish(thread);
	assert(number == 2 && turns == 2);
}

static void *win(void *unused)
{
	int expected = 0;

	(void)unused;
	return atomic_compare_exchange_strong(&number, &expected, 1) ? &number : NULL;
}

CASE(exchanged_once)
{
	pthread_t thread = start(win, NULL);
	void *mine = win(NULL), *other = finish(thread);

	assert((mine == NULL) != (other == NULL));
}

struct pair {
	int first, second;
};
static _Atomic struct pair pair;

static void *write_pair(void *argument)
{
	int value = *(int *)argument;

	atomic_store(&pair, ((struct pair){value, value}));
	return NULL;
}

CASE(whole_structure)
{
	int one = 1, two = 2;
	pthread_t thread = start(write_pair, &one);

	write_pair(&two);
	struct pair seen = atomic_load(&pair);
	assert(seen.first == seen.second && seen.first);
	finish(thread);
}

/* Too large for one instruction. */
struct large {
	long words[3];
};
static _Atomic struct large large;

static void *write_large(void *unused)
{
	atomic_store(&large, ((struct large){{1, 1, 1}}));
	return unused;
}

CASE(large_structure)
{
	pthread_t thread = start(write_large, NULL);
	struct large seen = atomic_load(&large);

	assert(seen.words[0] == seen.words[1] && seen.words[1] == seen.words[2]);
	finish(thread);
}

static void *send(void *unused)
{
	word = 1;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&number, 1, memory_order_relaxed);
	return unused;
}

CASE(fences)
{
	pthread_t thread = start(send, NULL);

	if (atomic_load_explicit(&number, memory_order_relaxed)) {
		atomic_thread_fence(memory_order_acquire);
		assert(word == 1);
	}
	finish(thread);
}

static void *send_without(void *unused)
{
	word = 1; // @no_fence
	atomic_store_explicit(&number, 1, memory_order_relaxed);
	return unused;
}

CASE(no_fence)
{
	pthread_t thread = start(send_without, NULL);

	if (atomic_load_explicit(&number, memory_order_relaxed))
		assert(word == 1); // @no_fence
	finish(thread);
}

CASE(signal_fence)
{
	atomic_signal_fence(memory_order_seq_cst);
	assert(atomic_load(&number) == 0);
}
