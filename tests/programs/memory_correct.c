// Correct use of the heap by several threads: nothing may be reported, nor may a free that nobody else can notice cost
// executions.
// WAY 1: each thread its own blocks: one execution
// expect: source verified executions=1 fork [cc: -DWAY=1] [options: --leaks]
// expect: dpor verified executions=1 [cc: -DWAY=1]
// WAY 2: reference counts under a lock: 2 orders
// expect: source verified executions=2 fork [cc: -DWAY=2] [options: --leaks]
// expect: dpor verified executions=2 [cc: -DWAY=2]
// WAY 3: atomic reference counts: 2 orders
// expect: source verified executions=2 [cc: -DWAY=3] [options: --leaks]
// WAY 4: … whose last decrement does not acquire: the free is not ordered after the other's use
// expect: source bug=race executions=2 [cc: -DWAY=4] [options: --keep-going]
// WAY 5: freed by whoever receives it: the receiver comes before or after the sender
// expect: source verified executions=2 [cc: -DWAY=5] [options: --leaks]
// WAY 6: far more than the quarantine holds
// expect: source verified executions=1 [cc: -DWAY=6]
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct object {
	atomic_int count;
	int users, value;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct object *sent;

static void own_blocks(void)
{
	char *text = NULL;

	for (size_t i = 1; i < 40; i++) {
		text = realloc(text, i);
		text[i - 1] = (char)i;
		assert(text[0] == 1 && malloc_usable_size(text) == i);
	}
	free(text);
	text = aligned_alloc(256, 300);
	assert((uintptr_t)text % 256 == 0);
	memset(text, 1, 300);
	free(text);
}

static void drop_locked(struct object *object)
{
	pthread_mutex_lock(&mutex);
	int users = --object->users;
	pthread_mutex_unlock(&mutex);
	if (!users)
		free(object);
}

static void drop(struct object *object)
{
	assert(object->value == 0);
	memory_order order = WAY == 4 ? memory_order_release : memory_order_acq_rel;
	if (atomic_fetch_sub_explicit(&object->count, 1, order) == 1)
		free(object);
}

static void hand_over(void)
{
	struct object *mine = calloc(1, sizeof *mine);

	pthread_mutex_lock(&mutex);
	struct object *theirs = sent;
	sent = mine;
	pthread_mutex_unlock(&mutex);
	if (theirs)
		theirs->value++;
	free(theirs);
}

static void endless(void)
{
	static char *blocks[16];

	for (unsigned i = 0; i < 20000; i++) {
		free(blocks[i % 16]);
		blocks[i % 16] = malloc(i * 7919 % 40000);
	}
	for (unsigned i = 0; i < 16; i++)
		free(blocks[i]);
	/* all of it would be 400 MB; a thread's heap is 1 GiB, so twice would not fit thrice */
	for (unsigned i = 0; i < 16; i++)
		free(malloc(300u << 20));
}

static void *work(void *argument)
{
	(void)own_blocks, (void)drop, (void)drop_locked, (void)hand_over;
#if WAY == 1
	own_blocks();
#elif WAY == 2
	drop_locked(argument);
#elif WAY == 3 || WAY == 4
	drop(argument);
#elif WAY == 5
	hand_over();
#endif
	return argument;
}

int main(void)
{
	struct object *object = calloc(1, sizeof *object);
	pthread_t t1, t2;

	if (WAY == 6)
		endless();
	atomic_init(&object->count, 2);
	object->users = 2;
	pthread_create(&t1, NULL, work, object);
	pthread_create(&t2, NULL, work, object);
	if (WAY < 2 || WAY > 4)
		free(object);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(sent);
	return 0;
}
