// printf reads its strings, sprintf writes its buffer; threads that only print stay independent.
// expect: source bug=race executions=2 line=@race fork replay [options: --keep-going] [cc: -DCASE=1] [says: shared]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=1]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=2]
// expect: source verified executions=1 [cc: -DCASE=3]
// expect: source verified executions=1 fork [cc: -DCASE=4]
// expect: dpor verified executions=1 [cc: -DCASE=4]
// expect: source verified executions=1 [cc: -DCASE=5]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=6] [says: length]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=7]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=8]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static char shared[64] = "0123456789";
static wchar_t wide[16] = L"0123456789";
static int length;

static int say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int result = vprintf(format, arguments); // @race
	va_end(arguments);
	return result;
}

static int (*const says)(const char *, ...) = say;

static void *first(void *unused)
{
#if CASE == 1
	sprintf(shared, "%s-%d", "number", 1); // @race
#elif CASE == 2
	printf("%d %s\n", 1, shared); // @race
#elif CASE == 3
	printf("%.5s\n", shared);
#elif CASE == 4
	printf("one %d\n", 1);
	puts("two");
	fprintf(stderr, "three %c\n", '3');
	putchar('\n');
#elif CASE == 5
	char own[16], *copy;
	int count;

	assert(snprintf(own, sizeof own, "%3d|%s%n", 7, "x", &count) == 5 && count == 5);
	assert(!strcmp(own, "  7|x") && asprintf(&copy, "%s!", own) == 6 && !strcmp(copy, "  7|x!"));
	free(copy);
#elif CASE == 6
	printf("12345%n\n", &length); // @race
#elif CASE == 7
	say("%2$*1$s\n", 20, shared);
#elif CASE == 8
	printf("%ls\n", wide); // @race
#endif
	return says ? unused : NULL;
}

static void *second(void *unused)
{
#if CASE == 4
	printf("one %d\n", 1);
	puts("two");
#elif CASE == 5
	char own[16];

	assert(sprintf(own, "%5.2f", 3.14159) == 5 && !strcmp(own, " 3.14"));
#elif CASE == 6
	length = 0; // @race
#elif CASE == 8
	wide[5] = L'x'; // @race
#else
	shared[5] = 'x'; // @race
#endif
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
