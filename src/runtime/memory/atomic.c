/*
 * The library calls behind atomics that the processor has no instruction for
 * (libatomic's interface): structures, and 16 bytes.  No lock is needed, because
 * nobody else runs between the announcement and the copy.
 */
#include "runtime/core/runtime.h"

#include <string.h>

/* The compiler's numbers (__ATOMIC_…) as ours; consume counts as acquire. */
static uint32_t order_of(int model)
{
	switch (model) {
	case __ATOMIC_RELAXED: return ORDER_RELAXED;
	case __ATOMIC_CONSUME:
	case __ATOMIC_ACQUIRE: return ORDER_ACQUIRE;
	case __ATOMIC_RELEASE: return ORDER_RELEASE;
	case __ATOMIC_ACQ_REL: return ORDER_ACQ_REL;
	}
	return ORDER_SEQ_CST;
}

/* The compiler knows these names as builtins of other types, hence the labels. */
void atomic_load_any(size_t size, void *from, void *to, int model) __asm__("__atomic_load");
void atomic_store_any(size_t size, void *to, void *from, int model) __asm__("__atomic_store");
void atomic_exchange_any(size_t size, void *at, void *value, void *old, int model) __asm__("__atomic_exchange");
bool atomic_compare_exchange_any(size_t size, void *at, void *expected, void *wanted, int success,
				 int failure) __asm__("__atomic_compare_exchange");

/* Each operand is copied right after its announcement: a later one may run others. */

void atomic_load_any(size_t size, void *from, void *to, int model)
{
	uint32_t site = rt->current_site;
	char value[size];

	__inspect_atomic_load(from, size, site, order_of(model));
	memcpy(value, from, size);
	__inspect_write(to, size, site);
	memcpy(to, value, size);
}

void atomic_store_any(size_t size, void *to, void *from, int model)
{
	uint32_t site = rt->current_site;
	char value[size];

	__inspect_read(from, size, site);
	memcpy(value, from, size);
	__inspect_atomic_store(to, size, site, order_of(model));
	memcpy(to, value, size);
}

void atomic_exchange_any(size_t size, void *at, void *from, void *to, int model)
{
	uint32_t site = rt->current_site;
	char value[size], old[size];

	__inspect_read(from, size, site);
	memcpy(value, from, size);
	__inspect_atomic_rmw(at, size, site, order_of(model), 0);
	memcpy(old, at, size);
	memcpy(at, value, size);
	__inspect_write(to, size, site);
	memcpy(to, old, size);
}

bool atomic_compare_exchange_any(size_t size, void *at, void *expected, void *wanted, int success, int failure)
{
	uint32_t site = rt->current_site;
	char compare[size], value[size], seen[size];
	uint64_t words[2] = {0};

	uint32_t orders = order_of(success) | order_of(failure) << FAILURE_ORDER_SHIFT;

	__inspect_read(expected, size, site);
	memcpy(compare, expected, size);
	__inspect_read(wanted, size, site);
	memcpy(value, wanted, size);
	memcpy(&words[0], compare, size < 8 ? size : 8);
	memcpy(&words[1], value, size < 8 ? size : 8);
	__inspect_atomic_cas(at, size, site, orders, words[0], words[1]);
	memcpy(seen, at, size);
	if (!memcmp(seen, compare, size)) {
		memcpy(at, value, size);
		return true;
	}
	__inspect_write(expected, size, site);
	memcpy(expected, seen, size);
	return false;
}

typedef unsigned __int128 wide;

wide atomic_load_wide(wide *from, int model) __asm__("__atomic_load_16");
void atomic_store_wide(wide *to, wide value, int model) __asm__("__atomic_store_16");
wide atomic_exchange_wide(wide *at, wide value, int model) __asm__("__atomic_exchange_16");
bool atomic_compare_exchange_wide(wide *at, wide *expected, wide wanted, int success,
				  int failure) __asm__("__atomic_compare_exchange_16");

wide atomic_load_wide(wide *from, int model)
{
	__inspect_atomic_load(from, sizeof *from, rt->current_site, order_of(model));
	return *from;
}

void atomic_store_wide(wide *to, wide value, int model)
{
	__inspect_atomic_store(to, sizeof *to, rt->current_site, order_of(model));
	*to = value;
}

wide atomic_exchange_wide(wide *at, wide value, int model)
{
	__inspect_atomic_rmw(at, sizeof *at, rt->current_site, order_of(model), 0);
	wide old = *at;
	*at = value;
	return old;
}

bool atomic_compare_exchange_wide(wide *at, wide *expected, wide wanted, int success, int failure)
{
	return atomic_compare_exchange_any(sizeof *at, at, expected, &wanted, success, failure);
}

#define FETCH(name, expression)                                                                                        \
	wide atomic_fetch_##name##_wide(wide *at, wide value, int model) __asm__("__atomic_fetch_" #name "_16");       \
	wide atomic_fetch_##name##_wide(wide *at, wide value, int model)                                               \
	{                                                                                                              \
		__inspect_atomic_rmw(at, sizeof *at, rt->current_site, order_of(model), 0);                            \
		wide old = *at;                                                                                        \
		*at = (expression);                                                                                    \
		return old;                                                                                            \
	}
FETCH(add, old + value)
FETCH(sub, old - value)
FETCH(and, old &value)
FETCH(or, old | value)
FETCH(xor, old ^ value)
FETCH(nand, ~(old &value))

bool atomic_is_lock_free_any(size_t size, const void *at) __asm__("__atomic_is_lock_free");
bool atomic_is_lock_free_any(size_t size, const void *at)
{
	return size <= 8 && (uint64_t)at % size == 0;
}
