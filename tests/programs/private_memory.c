// Memory that only one thread has accessed so far is no event; once a second one does, it must count from the start.
// What each case does is beside its code.
// expect: - verified executions=1 [args: alone] [options: --max-steps=20]
// expect: - verified executions=2 fork [args: handed]
// expect: - bug=race executions=2 replay [args: late]
// expect: source bug=race executions=3 [args: late] [options: --keep-going]
// expect: - bug=race executions=0 blocked=1 replay [args: spin]
// expect: - bug=livelock executions=1 [args: own]
// expect: - bug=race executions=1 replay [args: free]
// expect: - bug=race executions=1 [args: mixed]
// expect: - verified executions=2 fork [args: either]
// expect: all verified executions=56 [args: either]
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long slot, other_slot, turn;
static volatile int flag;
static atomic_int word;
static long *block;

static void in_turn(void)
{
	pthread_mutex_lock(&lock);
	turn++;
	pthread_mutex_unlock(&lock);
}

/* alone: a global, a block and a local variable of one thread each: nothing but locks and threads is visible */
static void *alone(void *place)
{
	long *mine = malloc(4 * sizeof *mine), local = 0, *volatile pointer = &local;

	for (int i = 0; i < 100; i++) {
		mine[i & 3] = i;
		*(long *)place += mine[(i + 1) & 3] + ++*pointer;
	}
	free(mine);
	return NULL;
}

/* handed: first one thread's, then the other's, in either order, by a lock */
static void *handed(void *unused)
{
	pthread_mutex_lock(&lock);
	slot++;
	pthread_mutex_unlock(&lock);
	return unused;
}

/* late: the second thread accesses it only if it has the lock first */
static void *late_writer(void *unused)
{
	slot = 1;
	in_turn();
	return unused;
}

static void *late_reader(void *unused)
{
	pthread_mutex_lock(&lock);
	int first = turn == 0;
	turn++;
	pthread_mutex_unlock(&lock);
	if (first)
		slot = 2;
	return unused;
}

/* spin: main waits for something that it is the first to read */
static void *spin(void *unused)
{
	in_turn();
	flag = 1;
	return unused;
}

/* own: a thread waits for a lock that it holds itself and that nobody else has touched */
static void *own(void *unused)
{
	for (int i = 0; i < 2; i++)
		while (atomic_exchange(&word, 1))
			;
	return unused;
}

/* free: one thread writes the block, the other frees it, unordered */
static void *write_block(void *unused)
{
	long *mine = block;

	in_turn();
	mine[1] = 1;
	return unused;
}

static void *free_block(void *unused)
{
	in_turn();
	free(block);
	return unused;
}

/* mixed: plain accesses of one thread, atomic ones of the other */
static void *write_plain(void *unused)
{
	in_turn();
	*(int *)(void *)&word = 2;
	return unused;
}

static void *write_atomic(void *unused)
{
	in_turn();
	atomic_store(&word, 3);
	return unused;
}

/* either: whoever comes first accesses it, so that no execution has accesses of both */
static void *either(void *unused)
{
	pthread_mutex_lock(&lock);
	int first = turn++ == 0;
	pthread_mutex_unlock(&lock);
	if (first)
		slot++;
	return unused;
}

static void both(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, one, &slot);
	pthread_create(&threads[1], NULL, other, &other_slot);
	if (one == spin)
		while (!flag)
			;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "alone";

	block = malloc(2 * sizeof *block);
	if (!strcmp(what, "alone"))
		both(alone, alone);
	else if (!strcmp(what, "handed"))
		both(handed, handed);
	else if (!strcmp(what, "late"))
		both(late_writer, late_reader);
	else if (!strcmp(what, "spin"))
		both(spin, handed);
	else if (!strcmp(what, "own"))
		both(own, handed);
	else if (!strcmp(what, "free"))
		both(write_block, free_block);
	else if (!strcmp(what, "mixed"))
		both(write_plain, write_atomic);
	else if (!strcmp(what, "either"))
		both(either, either);
	return 0;
}
