// Streams are locked objects: output on stdout commutes, all else does not, and the unlocked variants race.
// expect: source verified executions=3 fork [cc: -DCASE=1]
// expect: source bug=assertion executions=2 fork replay [options: --keep-going] [cc: -DCASE=2]
// expect: dpor bug=assertion executions=2 [options: --keep-going] [cc: -DCASE=2]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=3] [says: a stream]
// expect: source verified executions=2 fork [cc: -DCASE=4]
// expect: source verified executions=2 [cc: -DCASE=5]
// expect: source bug=deadlock executions=3 [options: --keep-going] [cc: -DCASE=6]
// expect: dpor bug=deadlock executions=3 [options: --keep-going] [cc: -DCASE=6]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=7] [says: buffer]
// expect: source bug=assertion executions=3 [options: --keep-going] [cc: -DCASE=8]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=9] [says: a stream]
// expect: source verified executions=3 [cc: -DCASE=10]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *stream;
static char text[] = "alpha\nbeta\n", buffer[32];

static void *first(void *unused)
{
#if CASE == 1
	fputs("one\n", stream);
	fwrite("two", 1, 3, stream);
#elif CASE == 2
	assert(fgetc(stream) == 'a');
#elif CASE == 3
	putc_unlocked('x', stream); // @race
#elif CASE == 4
	flockfile(stream);
	putc_unlocked('x', stream);
	fputs("y", stream);
	funlockfile(stream);
#elif CASE == 5
	flockfile(stream);
	flockfile(stream);
	fputs("x", stream);
	funlockfile(stream);
	funlockfile(stream);
#elif CASE == 6
	flockfile(stream);
	fputs("held", stdout);
	funlockfile(stream);
#elif CASE == 7
	fgets(buffer, sizeof buffer, stream); // @race
#elif CASE == 8
	fputs("x", stream);
#elif CASE == 9
	putc_unlocked('x', stream); // @race
#elif CASE == 10
	if (!ftrylockfile(stream))
		funlockfile(stream);
#endif
	return unused;
}

static void *second(void *unused)
{
#if CASE == 1
	fprintf(stream, "%d\n", 3);
#elif CASE == 2
	assert(fgetc(stream) != EOF);
#elif CASE == 3
	putc_unlocked('y', stream); // @race
#elif CASE == 4
	flockfile(stream);
	putc_unlocked('z', stream);
	funlockfile(stream);
#elif CASE == 5
	fputs("z", stream);
#elif CASE == 6
	flockfile(stdout);
	fputs("held", stream);
	funlockfile(stdout);
#elif CASE == 7
	return buffer[2] ? unused : NULL; // @race
#elif CASE == 8
	assert(ftell(stream) == 0);
#elif CASE == 9
	fputs("z", stream); // @race
#elif CASE == 10
	flockfile(stream);
	funlockfile(stream);
#endif
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	stream = fmemopen(text, sizeof text, CASE == 2 || CASE == 7 ? "r" : "r+");
	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	fclose(stream);
	return 0;
}
