// expect: optimal verified executions=1 [args: own]
// expect: all verified executions=1 [args: own] [options: --awaits]
// expect: - verified executions=1 [args: own] [options: --stateful]
// expect: optimal verified executions=1 blocked=1 [args: published]
// expect: dpor verified executions=1 blocked=1 [args: published]
// expect: optimal verified executions=6 blocked=6 [args: mcs]
// expect: source verified executions=6 blocked=6 [args: mcs]
// expect: all verified executions=2349 blocked=374 [args: mcs] [options: --awaits]
// expect: - verified executions=37 blocked=0 [args: mcs] [options: --stateful]
// expect: - verified executions=6 blocked=6 [args: mcs] [options: --seed=3]
/*
 * A thread that spins on a variable of its own stack, which another changes: atomic operations are visible there, too, before
 * anybody else has touched it.  The last one is the lock of Mellor-Crummey and Scott, with its nodes on the stacks.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct node {
	_Atomic(struct node *) next;
	atomic_int waits;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(atomic_int *) place;
static _Atomic(struct node *) tail;
static int number;

static void *finish(void *done)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	*(atomic_int *)done = 1;
	return NULL;
}

static void own(void)
{
	atomic_int done = 0;
	pthread_t other;

	pthread_create(&other, NULL, finish, &done);
	while (!done)
		;
	pthread_join(other, NULL);
}

static void *publish(void *unused)
{
	atomic_int done = 0;

	(void)unused;
	place = &done;
	while (!done)
		;
	return NULL;
}

static void published(void)
{
	pthread_t other;
	atomic_int *where;

	pthread_create(&other, NULL, publish, NULL);
	while (!(where = place))
		;
	*where = 1;
	pthread_join(other, NULL);
}

static void *enter(void *unused)
{
	struct node mine = {.waits = 1}, *before = atomic_exchange(&tail, &mine), *after, *expected = &mine;

	(void)unused;
	if (before) {
		before->next = &mine;
		while (mine.waits)
			;
	}
	number++;
	if (!mine.next && atomic_compare_exchange_strong(&tail, &expected, NULL))
		return NULL;
	while (!(after = mine.next))
		;
	after->waits = 0;
	return NULL;
}

static void mcs(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, enter, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(number == 2);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "own";

	if (!strcmp(what, "own"))
		own();
	else if (!strcmp(what, "published"))
		published();
	else
		mcs();
	return 0;
}
