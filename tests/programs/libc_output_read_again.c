// Output on a stream that the program can read again: its order matters, other than on stdout and stderr.
// expect: - bug=assertion executions=2 fork replay [options: --keep-going] [cc: -DCASE=1]
// expect: source bug=assertion executions=2 [options: --keep-going] [cc: -DCASE=1]
// expect: - bug=assertion executions=3 [options: --keep-going --stateful] [cc: -DCASE=1]
// expect: - bug=assertion executions=2 [options: --keep-going] [cc: -DCASE=2]
// expect: - bug=assertion executions=3 [options: --keep-going --stateful] [cc: -DCASE=2]
// expect: - bug=assertion executions=2 [options: --keep-going] [cc: -DCASE=3]
// expect: - bug=assertion executions=2 [options: --keep-going] [cc: -DCASE=4]
// expect: - verified executions=1 [cc: -DCASE=5]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *stream;
static char *memory, buffer[16];
static size_t size;

static void *print(void *text)
{
	fputs(text, stream);
	return NULL;
}

static void begin(void)
{
#if CASE == 1
	stream = open_memstream(&memory, &size);
#elif CASE == 2
	stream = tmpfile();
#elif CASE == 3
	stream = fmemopen(buffer, sizeof buffer, "w");
#elif CASE == 4
	assert(freopen("/dev/null", "w", stdout));
	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	stream = stdout;
#elif CASE == 5
	stream = stdout;
#endif
	assert(stream);
}

static char first_character(void)
{
#if CASE == 1
	fclose(stream);
	char first = memory[0];
	free(memory);
	return first;
#elif CASE == 2
	rewind(stream);
	char first = (char)fgetc(stream);
	fclose(stream);
	return first;
#elif CASE == 3
	fclose(stream);
	return buffer[0];
#elif CASE == 4
	return buffer[0];
#else
	return 'a';
#endif
}

int main(void)
{
	pthread_t thread;

	begin();
	pthread_create(&thread, NULL, print, "b");
	print("a");
	pthread_join(thread, NULL);
	assert(first_character() == 'a');
	return 0;
}
