// expect: - verified executions=2 [args: 5] fork
// expect: - verified executions=2 [args: 20] fork
// expect: - verified executions=2 [args: 62] fork
// expect: - verified executions=2 [args: 20] [options: --stateful]
// expect: - verified executions=2 [args: 20] [options: --jobs=2]
// expect: - bug=exit executions=2 [args: 20] [options: --keep-going] [cc: -DTELL] replay
// expect: - error line=@create [args: 63]
/*
 * More threads than the runtime is prepared for at first (runtime/core/donors.c), in one of two interleavings: that one is
 * begun once more, with all that it has printed and allocated by then.  Nothing may tell the two apart but what they
 * say: with -DTELL, their exit status.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int go;
static __thread int mine = 7;
static void *where = NULL;

static void *work(void *number)
{
	mine += (int)(long)number;
	int *block = malloc(sizeof *block);
	*block = mine;
	long result = *block;
	free(block);
	return (void *)result;
}

static void *start(void *unused)
{
	(void)unused;
	go = 1;
	return NULL;
}

static void many(long count)
{
	pthread_t threads[64];

	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, (void *)i); // @create
	for (long i = 0; i < count; i++) {
		void *result;
		pthread_join(threads[i], &result);
		assert((long)result == 7 + i);
	}
}

int main(int argc, char **argv)
{
	pthread_t starter;
	int went = 0;

	pthread_create(&starter, NULL, start, NULL);
	where = malloc(100);
	printf("%p\n", where);
	fflush(stdout);
	if (go) {
		many(argc > 1 ? atol(argv[1]) : 20);
		went = 1;
	}
	pthread_join(starter, NULL);
	free(where);
#ifdef TELL
	return went;
#else
	(void)went;
	return 0;
#endif
}
