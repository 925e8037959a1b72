/*
 * Thread-specific data: keys, their values and destructors.  Also what C11 calls tss.
 *
 * The table of keys and each thread's values are blocks of the program's heap, so that the
 * snapshot rolls them back.  A value belongs to one thread; which keys exist is shared.
 */
#include "common/invariant.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/memory/memory.h"
#include "runtime/state/state.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

struct key {
	void (*destructor)(void *);
	bool used;
};

static bool is_key(pthread_key_t key)
{
	return key < PTHREAD_KEYS_MAX && rt->sync.keys && rt->sync.keys[key].used;
}

static int find_unused(void)
{
	if (!rt->sync.keys)
		rt->sync.keys = calloc(PTHREAD_KEYS_MAX, sizeof *rt->sync.keys);
	for (unsigned i = 0; rt->sync.keys && i < PTHREAD_KEYS_MAX; i++)
		if (!rt->sync.keys[i].used)
			return (int)i;
	return -1;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	struct op op = make_op(EV_KEY_CREATE, NULL);

	touch(key);
	point(&op);
	int number = find_unused();
	if (number < 0)
		return rt->sync.keys ? EAGAIN : ENOMEM;
	state_will_change(&rt->sync.keys[number], sizeof *rt->sync.keys);
	rt->sync.keys[number] = (struct key){.destructor = destructor, .used = true};
	__inspect_write(key, sizeof *key, op.site);
	*key = (pthread_key_t)number;
	return 0;
}

/*
 * A value whose key was deleted is as good as NULL.  Not NULL, though: whether its thread has
 * something to look at when it ends must not depend on what others do.
 */
#define FORGOTTEN ((void *)rt)

static void forget_value(void **value)
{
	if (!*value)
		return;
	state_will_change(value, sizeof *value);
	*value = FORGOTTEN;
}

int pthread_key_delete(pthread_key_t key)
{
	struct op op = make_op(EV_KEY_DELETE, NULL);

	point(&op);
	if (!is_key(key))
		return EINVAL;
	state_will_change(&rt->sync.keys[key], sizeof *rt->sync.keys);
	rt->sync.keys[key].used = false;
	for (unsigned i = 0; i < MAX_THREADS; i++) /* the next key of this number begins without values */
		if (rt->threads[i].state != THREAD_FREE && key < rt->threads[i].sync.nspecific)
			forget_value(&rt->threads[i].sync.specific[key]);
	return 0;
}

/* Ends with a finding when there is no such key. */
static void check_key(pthread_key_t key, const char *misuse)
{
	struct op op = make_op(EV_KEY_USE, NULL);

	if (rt->phase == PHASE_RUN && rt->nthreads > 1)
		point(&op);
	if (!is_key(key))
		anomaly(EV_MISUSE, misuse);
}

void *pthread_getspecific(pthread_key_t key)
{
	check_key(key, "pthread_getspecific of a key that does not exist");
	void *value = key < self()->sync.nspecific ? self()->sync.specific[key] : NULL;
	return value == FORGOTTEN ? NULL : value;
}

static bool make_room(struct thread *thread, pthread_key_t key)
{
	uint32_t wanted = (key + 32) / 32 * 32;
	invariant(wanted > key && wanted > thread->sync.nspecific);
	void **values = realloc(thread->sync.specific, wanted * sizeof *values);

	if (!values)
		return false;
	state_will_change(values, wanted * sizeof *values);
	for (uint32_t i = thread->sync.nspecific; i < wanted; i++)
		values[i] = NULL;
	thread->sync.specific = values;
	thread->sync.nspecific = wanted;
	return true;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
	struct thread *thread = self();

	check_key(key, "pthread_setspecific of a key that does not exist");
	if (key >= thread->sync.nspecific && !make_room(thread, key))
		return ENOMEM;
	invariant(key < thread->sync.nspecific);
	state_will_change(&thread->sync.specific[key], sizeof *thread->sync.specific);
	thread->sync.specific[key] = (void *)value;
	rt->changed = 1; /* a loop may go by it */
	return 0;
}

/* The value at the end of its thread, which is taken out.  Others may delete the key until the thread looks. */
static void *take_value(pthread_key_t key)
{
	struct op op = make_op(EV_KEY_USE, NULL);

	invariant(key < self()->sync.nspecific);
	if (!self()->sync.specific[key])
		return NULL;
	if (rt->phase == PHASE_RUN && rt->nthreads > 1)
		point(&op);
	void *value = self()->sync.specific[key];
	state_will_change(&self()->sync.specific[key], sizeof *self()->sync.specific);
	self()->sync.specific[key] = NULL;
	return is_key(key) && value != FORGOTTEN ? value : NULL;
}

/* One round over all values; true if a destructor was called. */
static bool run_round(void)
{
	bool any = false;

	for (pthread_key_t key = 0; key < self()->sync.nspecific; key++) {
		void *value = take_value(key);
		if (!value || !rt->sync.keys[key].destructor)
			continue;
		any = true;
		rt->sync.keys[key].destructor(value);
	}
	return any;
}

void keys_run_destructors(void)
{
	for (unsigned i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && run_round(); i++)
		;
	free(self()->sync.specific);
	self()->sync.specific = NULL;
	self()->sync.nspecific = 0;
}
