/*
 * Lazy initialisation: whoever needs the table first makes it.
 *
 * Correct: pthread_once, which runs the initialisation once and makes the others wait for it.
 * Fault:   an exchange on a flag, which sees to "once" but not to the waiting: a thread that
 *          comes while another is still busy uses a table that is not there.
 *
 *     inspect check -DN=3 examples/classic/lazy_once.c
 *     inspect check -DN=3 -DFAULTY examples/classic/lazy_once.c
 *
 * Who comes first matters, the order of the others does not: N executions.
 */
// expect: source verified executions=2 fork [cc: -DN=2]
// expect: source verified executions=3 [cc: -DN=3]
// expect: dpor verified executions=2 [cc: -DN=2]
// expect: dpor verified executions=3 [cc: -DN=3]
// expect: all verified executions=35 [cc: -DN=2]
// expect: source bug=crash executions=2 line=@use replay [cc: -DFAULTY -DN=2]
// expect: source bug=crash executions=21 line=@use [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: source bug=crash executions=289 blocked=3 line=@use [cc: -DFAULTY -DN=3] [options: --keep-going]
// expect: dpor bug=crash executions=21 line=@use [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: all bug=crash executions=1075 line=@use [cc: -DFAULTY -DN=2] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif

struct table {
	int squares[4];
};

static struct table *_Atomic table;
static atomic_int made;

static void make_table(void)
{
	struct table *fresh = malloc(sizeof *fresh);

	for (int i = 0; i < 4; i++)
		fresh->squares[i] = i * i;
	table = fresh;
	made++;
}

static struct table *get_table(void)
{
#ifdef FAULTY
	static atomic_bool begun;

	if (!atomic_exchange(&begun, true))
		make_table();
#else
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_table);
#endif
	return table;
}

static void *use(void *unused)
{
	assert(get_table()->squares[3] == 9); // @use
	return unused;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(made == 1);
	free(table);
	return 0;
}
