// scanf writes what it assigns, and nothing else.
// expect: source bug=race executions=2 line=@race fork [options: --keep-going] [cc: -DCASE=1] [says: number]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=1]
// expect: source verified executions=1 [cc: -DCASE=2]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=3]
// expect: source verified executions=1 fork [cc: -DCASE=4]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=5] [says: input]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=6] [says: number]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char word[32], input[] = "17 seven";
static int number, rest;

static void *first(void *unused)
{
#if CASE == 1
	assert(sscanf("17 seven", "%d %d", &number, &rest) == 1); // @race
#elif CASE == 2
	assert(sscanf("17 seven", "%d %d", &rest, &number) == 1); /* number is not assigned */
#elif CASE == 3
	assert(sscanf("17 seven", "%d %s", &rest, word) == 2); // @race
#elif CASE == 4
	char own[8], c, *allocated;
	long value;
	float real;
	int at;

	assert(sscanf(" 12 seven 1.5xy", "%ld %7s%n%f%c%m[xy]", &value, own, &at, &real, &c, &allocated) == 5);
	assert(value == 12 && !strcmp(own, "seven") && at == 9 && real == 1.5f && c == 'x' && !strcmp(allocated, "y"));
	free(allocated);
#elif CASE == 5
	assert(sscanf(input, "%d", &rest) == 1); // @race
#elif CASE == 6
	number = atoi(input); // @race
#endif
	return unused;
}

static void *second(void *unused)
{
#if CASE == 3
	word[5] = 'x'; // @race
#elif CASE == 4
	int own;

	assert(sscanf("0x1f", "%i", &own) == 1 && own == 31);
#elif CASE == 5
	input[5] = 'x'; // @race
#else
	number = 1; // @race
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
