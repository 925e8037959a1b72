/*
 * A sequence lock: readers take no lock, but read again if a writer was there meanwhile.
 *
 * Correct: the writer makes the sequence number odd, writes, and makes it even again.
 * Fault:   it counts the number up only at the end.  A reader in the middle of the writing sees the
 *          same even number before and after, and takes a half-written pair for good.
 *
 *     inspect check examples/classic/seqlock.c
 *     inspect check -DFAULTY examples/classic/seqlock.c
 *
 * Correct, one write and one reader: the first look at the number finds 2 (1 execution) or 0.
 * After 0, the second look finds 0 (1), or 1 or 2, with each of the two values read old or new
 * (8), and the reading is done again, now after the writer: 10 executions (107 for two writes).
 * If readings that are thrown away count as waiting, only the last one matters: 2 executions, 3.
 */
// expect: source verified executions=10 [cc: -DWRITES=1]
// expect: dpor verified executions=10 [cc: -DWRITES=1]
// expect: source verified executions=107 [cc: -DWRITES=2]
// expect: source bug=assertion executions=4 blocked=0 line=@pair replay [cc: -DFAULTY -DWRITES=1]
// expect: source bug=assertion executions=14 blocked=0 line=@pair [cc: -DFAULTY -DWRITES=1] [options: --keep-going]
// expect: dpor bug=assertion executions=14 blocked=0 line=@pair [cc: -DFAULTY -DWRITES=1] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef WRITES
#define WRITES 1
#endif

static atomic_uint sequence;
static atomic_int left, right; /* always equal; atomic, since a reader may look in the middle of the writing */

static void write_pair(int value)
{
#ifdef FAULTY
	atomic_store(&left, value);
	atomic_store(&right, value);
	atomic_fetch_add(&sequence, 2);
#else
	atomic_fetch_add(&sequence, 1);
	atomic_store(&left, value);
	atomic_store(&right, value);
	atomic_fetch_add(&sequence, 1);
#endif
}

static void read_pair(int *l, int *r)
{
	unsigned before;

	do {
		while ((before = atomic_load(&sequence)) % 2)
			;
		*l = atomic_load(&left);
		*r = atomic_load(&right);
	} while (atomic_load(&sequence) != before);
}

static void *writer(void *unused)
{
	for (int i = 1; i <= WRITES; i++)
		write_pair(i);
	return unused;
}

static void *reader(void *unused)
{
	int l, r;

	read_pair(&l, &r);
	assert(l == r); // @pair
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
