/*
 * For the tests of the threads API (api_*.c): several cases in one program, the one to run
 * is its argument.  A case that is not there is a failed assertion, never a passed test.
 */
#ifndef TESTS_API_H
#define TESTS_API_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#pragma clang diagnostic ignored "-Wnonnull" /* the misuse is meant */

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

struct api_case {
	const char *name;
	void (*run)(void);
};

/* CASE(name) { … } is a case; MISUSE(name, calls); is one on a line of its own. */
#define CASE(function)                                                                                                 \
	static void function(void);                                                                                    \
	static const struct api_case case_of_##function                                                                \
		__attribute__((section("api_cases"), used)) = {#function, function};                                   \
	static void function(void)
#define MISUSE(function, ...)                                                                                          \
	CASE(function)                                                                                                 \
	{                                                                                                              \
		__VA_ARGS__;                                                                                           \
	}                                                                                                              \
	_Static_assert(1, "a semicolon follows")

extern const struct api_case __start_api_cases[], __stop_api_cases[];

int main(int argc, char **argv)
{
	for (const struct api_case *it = __start_api_cases; argc == 2 && it < __stop_api_cases; it++) {
		if (!strcmp(it->name, argv[1])) {
			it->run();
			return 0;
		}
	}
	assert(!"there is such a case");
}

static inline pthread_t start(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	assert(pthread_create(&thread, NULL, function, argument) == 0);
	return thread;
}

static inline void *finish(pthread_t thread)
{
	void *result;

	assert(pthread_join(thread, &result) == 0);
	return result;
}

/* A time that lies so many seconds ahead. */
static inline struct timespec in_seconds(clockid_t clock, int seconds)
{
	struct timespec time;

	assert(clock_gettime(clock, &time) == 0);
	time.tv_sec += seconds;
	return time;
}

#endif
