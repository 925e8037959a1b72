/*
 * Readers and writers with a read-write lock.
 *
 * Writers change two numbers that must stay equal; readers look at both.
 *
 * Correct: writers take the lock for writing.
 * Fault:   one word wrong, writers take it for reading as well.  Then nobody excludes
 *          anybody: a race on the numbers, and with --keep-going a reader that sees them
 *          differ.
 *
 *     inspect check examples/classic/readers_writers_rwlock.c
 *     inspect check -DFAULTY --keep-going examples/classic/readers_writers_rwlock.c
 *
 * The W writers come in any order, and each of the R readers before, between or after them;
 * readers among themselves have no order: W! * (W+1)^R executions.
 */
// expect: source verified executions=4 fork [cc: -DREADERS=2 -DWRITERS=1]
// expect: source verified executions=18 [cc: -DREADERS=2 -DWRITERS=2]
// expect: source verified executions=54 [cc: -DREADERS=3 -DWRITERS=2]
// expect: dpor verified executions=4 [cc: -DREADERS=2 -DWRITERS=1]
// expect: dpor verified executions=18 [cc: -DREADERS=2 -DWRITERS=2]
// expect: all verified executions=6 [cc: -DREADERS=1 -DWRITERS=1]
// expect: all verified executions=1140 [cc: -DREADERS=2 -DWRITERS=1]
// expect: source bug=race executions=1 line=@data replay [cc: -DFAULTY]
// expect: source bug=assertion,race executions=10 line=@data [cc: -DFAULTY] [options: --keep-going]
// expect: dpor bug=assertion,race executions=10 line=@data [cc: -DFAULTY] [options: --keep-going]
// expect: all bug=assertion,race executions=448 line=@data [cc: -DFAULTY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int width, height;

static void *writer(void *unused)
{
#ifdef FAULTY
	pthread_rwlock_rdlock(&lock);
#else
	pthread_rwlock_wrlock(&lock);
#endif
	width++; // @data
	height++; // @data
	pthread_rwlock_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	int w, h;

	pthread_rwlock_rdlock(&lock);
	w = width; // @data
	h = height; // @data
	pthread_rwlock_unlock(&lock);
	assert(w == h);
	return unused;
}

int main(void)
{
	pthread_t threads[WRITERS + READERS];

	for (int i = 0; i < WRITERS + READERS; i++)
		pthread_create(&threads[i], NULL, i < WRITERS ? writer : reader, NULL);
	for (int i = 0; i < WRITERS + READERS; i++)
		pthread_join(threads[i], NULL);
	assert(width == WRITERS && height == WRITERS);
	return 0;
}
