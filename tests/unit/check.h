/*
 * The smallest test harness that does the job.
 *
 *   static void test_something(void)
 *   {
 *           CHECK(1 + 1 == 2);
 *   }
 *
 *   int main(void)
 *   {
 *           TEST(test_something);
 *           return check_result();
 *   }
 *
 * TEST prints `ok NAME` unless a CHECK in it failed; each one that fails prints
 * where and what, and the test goes on.
 */
#ifndef INSPECT_TESTS_UNIT_CHECK_H
#define INSPECT_TESTS_UNIT_CHECK_H

#include <stdio.h>
#include <string.h>

static unsigned check_failures;

#define CHECK(condition)                                                                                               \
	((condition) ? (void)0                                                                                         \
		     : (void)(check_failures++, printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition)))

/* Two strings; both are printed when they differ. */
#define CHECK_TEXT(actual, expected)                                                                                   \
	do {                                                                                                           \
		const char *actual_ = (actual), *expected_ = (expected);                                               \
		if (strcmp(actual_, expected_)) {                                                                      \
			check_failures++;                                                                              \
			printf("%s:%d: got \"%s\", not \"%s\"\n", __FILE__, __LINE__, actual_, expected_);             \
		}                                                                                                      \
	} while (0)

#define TEST(function)                                                                                                 \
	do {                                                                                                           \
		unsigned before_ = check_failures;                                                                     \
		function();                                                                                            \
		printf("%s %s\n", check_failures == before_ ? "ok" : "FAILED", #function);                             \
	} while (0)

static inline int check_result(void)
{
	return check_failures != 0;
}

#endif
