// Functions with hidden state race like variables; those that the standards call safe only conflict, and those that glibc
// alone makes safe are worth a warning.
// expect: source bug=race executions=2 line=@race fork replay [options: --keep-going] [cc: -DCASE=1] [says: the hidden state of strtok]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=1]
// expect: source verified executions=1 [cc: -DCASE=2]
// expect: source verified executions=2 warns=race line=@race [cc: -DCASE=3] [says: the hidden state of rand]
// expect: source verified executions=2 warns=race line=@race [options: --strict=init] [cc: -DCASE=3]
// expect: source bug=race executions=2 line=@race replay [options: --keep-going --strict=posix] [cc: -DCASE=3] [says: the hidden state of rand]
// expect: source bug=race executions=2 line=@race [options: --keep-going --strict=all] [cc: -DCASE=3]
// expect: source verified executions=2 fork [cc: -DCASE=4]
// expect: source verified executions=2 [cc: -DCASE=5]
// expect: source bug=race executions=4 line=@race [options: --keep-going] [cc: -DCASE=6] [says: localtime]
// expect: source verified executions=1 [cc: -DCASE=7]
// expect: source verified executions=1 [cc: -DCASE=8]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=9] [says: getenv and setenv]
// expect: source verified executions=2 warns=race line=@race [cc: -DCASE=10] [says: the hidden state of strerror]
// expect: source bug=race executions=2 line=@race [options: --keep-going --strict=posix] [cc: -DCASE=10] [says: the hidden state of strerror]
// expect: source bug=race executions=4 line=@race [options: --keep-going] [cc: -DCASE=11] [says: a stream]
// expect: source verified executions=2 [cc: -DCASE=12]
// expect: source bug=race executions=8 warns=race line=@behind replay [options: --keep-going] [cc: -DCASE=13]
// expect: source verified executions=2 warns=race line=@race [cc: -DCASE=14] [says: inet_ntoa]
// expect: source verified executions=2 warns=race line=@race [cc: -DCASE=15] [says: nl_langinfo]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=16] [says: drand48]
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <langinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static time_t moment;
static DIR *directory;
static char one[] = "one two", two[] = "one two";

static void *use(void *argument)
{
	char *text = argument;

#if CASE == 1
	return strtok(text, " "); // @race
#elif CASE == 2
	char *place;

	assert(!strcmp(strtok_r(text, " ", &place), "one") && !strcmp(strtok_r(NULL, " ", &place), "two"));
	assert(!strtok_r(NULL, " ", &place));
#elif CASE == 3
	return rand() == 1 ? text : NULL; // @race
#elif CASE == 4
	pthread_mutex_lock(&mutex);
	text = rand() == 1 ? text : NULL;
	pthread_mutex_unlock(&mutex);
#elif CASE == 5
	return random() == 1 ? text : NULL;
#elif CASE == 6
	return localtime(&moment) ? text : NULL; // @race
#elif CASE == 7
	struct tm date;

	assert(gmtime_r(&moment, &date)->tm_year == 70);
#elif CASE == 8
	return getenv("HOME");
#elif CASE == 9
	if (text == one)
		setenv("NAME", "value", 1); // @race
	else
		return getenv("OTHER"); // @race
#elif CASE == 10
	return strerror(1); // @race
#elif CASE == 11
	return readdir(directory); // @race
#elif CASE == 12
	pthread_mutex_lock(&mutex);
	assert(!strcmp(strtok(text, " "), "one") && !strcmp(strtok(NULL, " "), "two"));
	pthread_mutex_unlock(&mutex);
#elif CASE == 13
	(void)rand(); // @race
	counter++; // @behind
#elif CASE == 14
	struct in_addr address = {.s_addr = 1};

	assert(strlen(inet_ntoa(address)) > 0); // @race
#elif CASE == 15
	assert(nl_langinfo(CODESET)); // @race
#elif CASE == 16
	return lrand48() == 1 ? text : NULL; // @race
#endif
	return text;
}

int main(void)
{
	pthread_t t1, t2;

	directory = CASE == 11 ? opendir("/") : NULL;
	assert(strtok(NULL, " ") == NULL);
	pthread_create(&t1, NULL, use, one);
	pthread_create(&t2, NULL, use, two);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return moment != 0;
}
