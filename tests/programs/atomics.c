// Every C11 atomic operation and the __sync and __atomic builtins, with their results.  Each thread works on variables
// of its own, and both add to a shared one: two orders.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_int shared;
static atomic_int number[2];
static atomic_uchar byte[2];
static _Atomic uint16_t half[2];
static _Atomic uint64_t wide[2];
static atomic_flag flag[2] = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT};
static atomic_bool truth[2];
static _Atomic(int *) pointer[2];
static int plain[2];

static void c11_operations(atomic_int *n)
{
	int expected = 4;

	atomic_init(n, 1);
	atomic_store(n, 2);
	assert(atomic_load(n) == 2);
	assert(atomic_exchange(n, 3) == 2);
	assert(!atomic_compare_exchange_strong(n, &expected, 9) && expected == 3);
	assert(atomic_compare_exchange_strong(n, &expected, 4));
	while (!atomic_compare_exchange_weak(n, &expected, 5))
		;
	assert(atomic_fetch_add(n, 2) == 5);
	assert(atomic_fetch_sub(n, 1) == 7);
	assert(atomic_fetch_or(n, 9) == 6);
	assert(atomic_fetch_and(n, 12) == 15);
	assert(atomic_fetch_xor(n, 5) == 12);
	assert(*n == 9);
	*n += 1;
	++*n;
	assert((*n)-- == 11);
}

static void c11_orders(atomic_int *n)
{
	atomic_store_explicit(n, 1, memory_order_relaxed);
	atomic_store_explicit(n, 2, memory_order_release);
	assert(atomic_load_explicit(n, memory_order_relaxed) == 2);
	assert(atomic_load_explicit(n, memory_order_acquire) == 2);
	assert(atomic_fetch_add_explicit(n, 1, memory_order_acq_rel) == 2);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_signal_fence(memory_order_seq_cst);
}

static void c11_types(int i)
{
	byte[i] = 255;
	assert(atomic_fetch_add(&byte[i], 1) == 255 && byte[i] == 0);
	half[i] = 65535;
	assert(++half[i] == 0);
	wide[i] = UINT64_MAX;
	assert(++wide[i] == 0);
	assert(!atomic_flag_test_and_set(&flag[i]));
	assert(atomic_flag_test_and_set(&flag[i]));
	atomic_flag_clear(&flag[i]);
	assert(!atomic_exchange(&truth[i], true) && truth[i]);
	atomic_store(&pointer[i], plain);
	assert(atomic_fetch_add(&pointer[i], 1) == plain && pointer[i] == plain + 1);
}

static void sync_builtins(int *n)
{
	*n = 1;
	assert(__sync_fetch_and_add(n, 2) == 1);
	assert(__sync_add_and_fetch(n, 2) == 5);
	assert(__sync_fetch_and_sub(n, 1) == 5);
	assert(__sync_sub_and_fetch(n, 1) == 3);
	assert(__sync_or_and_fetch(n, 4) == 7);
	assert(__sync_and_and_fetch(n, 6) == 6);
	assert(__sync_xor_and_fetch(n, 2) == 4);
	assert(__sync_bool_compare_and_swap(n, 4, 8));
	assert(__sync_val_compare_and_swap(n, 4, 9) == 8);
	assert(__sync_lock_test_and_set(n, 1) == 8);
	__sync_lock_release(n);
	__sync_synchronize();
}

static void atomic_builtins(int *n)
{
	int value = 7, old;

	__atomic_store(n, &value, __ATOMIC_SEQ_CST);
	__atomic_load(n, &old, __ATOMIC_ACQUIRE);
	assert(old == 7);
	assert(__atomic_exchange_n(n, 8, __ATOMIC_ACQ_REL) == 7);
	assert(__atomic_compare_exchange_n(n, &(int){8}, 3, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	assert(__atomic_add_fetch(n, 1, __ATOMIC_RELAXED) == 4);
	assert(__atomic_fetch_nand(n, 4, __ATOMIC_SEQ_CST) == 4 && __atomic_load_n(n, __ATOMIC_SEQ_CST) == ~4);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void *work(void *argument)
{
	int i = (int)(intptr_t)argument;

	c11_operations(&number[i]);
	c11_orders(&number[i]);
	c11_types(i);
	sync_builtins(&plain[i]);
	atomic_builtins(&plain[i]);
	atomic_fetch_add(&shared, 1);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, work, (void *)0);
	pthread_create(&t2, NULL, work, (void *)1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(shared == 2);
	return 0;
}
