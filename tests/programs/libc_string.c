// String functions read and write like any other access, and no more than they need.
// expect: source bug=race executions=2 line=@race fork replay [options: --keep-going] [cc: -DCASE=1] [says: shared]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=1]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=2]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=3]
// expect: source verified executions=1 [cc: -DCASE=4]
// expect: source bug=race executions=2 line=@race [cc: -DCASE=5] [options: --keep-going]
// expect: source bug=race executions=2 line=@race [cc: -DCASE=6] [options: --keep-going]
// expect: source verified executions=2 fork [cc: -DCASE=7]
// expect: dpor verified executions=2 [cc: -DCASE=7]
// expect: source verified executions=1 [cc: -DCASE=8]
// expect: source bug=assertion,race executions=2 [cc: -DCASE=9] [options: --keep-going]
// expect: source verified executions=1 [cc: -DCASE=10]
// expect: source bug=crash executions=1 line=@crash [cc: -DCASE=11]
// expect: source bug=crash executions=1 line=@crash [cc: -DCASE=12]
// expect: source verified executions=2 [cc: -DCASE=13]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char shared[64] = "one two three";
static char other[64] = "other";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *(*copy)(char *, const char *) = strcpy;

#if CASE == 10
/* a function of the program's own, whatever its name, is the program's */
int strverscmp(const char *a, const char *b)
{
	return a == b;
}
#endif

static void *first(void *unused)
{
#if CASE == 1
	strcpy(shared, other); // @race
#elif CASE == 2
	copy(shared, other); // @race
#elif CASE == 3
	strcat(other, shared); // @race
#elif CASE == 4
	strcmp(shared, "ona"); /* reads three characters */
#elif CASE == 5
	strchr(shared, 'w'); // @race
#elif CASE == 6
	strcmp(shared, "one twist"); // @race
#elif CASE == 7
	pthread_mutex_lock(&mutex);
	strcpy(shared, other);
	pthread_mutex_unlock(&mutex);
#elif CASE == 8
	char own[16];

	strcpy(own, "private");
	assert(!strcmp(own, "private") && strlen(own) == 7);
#elif CASE == 9
	assert(strlen(shared) == 13);
#elif CASE == 10
	strverscmp(shared, other);
#elif CASE == 11
	strsep((char **)8, " "); // @crash
#elif CASE == 12
	return strcmp((char *)8, "x") ? unused : NULL; // @crash
#elif CASE == 13
	char *large = calloc(1, 1000000), *copy_of_it;

	memset(large, 'x', 999999);
	pthread_mutex_lock(&mutex);
	copy_of_it = strdup(large); /* too large for a stack */
	assert(!strcmp(large, copy_of_it));
	pthread_mutex_unlock(&mutex);
	free(copy_of_it);
	free(large);
#endif
	return copy == strcpy ? unused : NULL;
}

static void *second(void *unused)
{
#if CASE == 3 || CASE == 4 || CASE == 5 || CASE == 6
	shared[5] = 'W'; // @race
#elif CASE == 7 || CASE == 13
	pthread_mutex_lock(&mutex);
	assert(strlen(shared) == 13 || strlen(shared) == 5);
	pthread_mutex_unlock(&mutex);
#elif CASE == 8
	char own[16] = "private";

	assert(strstr(own, "vat") == own + 3);
#elif CASE >= 9 && CASE <= 12
	shared[5] = 0;
#else
	return strlen(shared) ? unused : NULL; // @race
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
