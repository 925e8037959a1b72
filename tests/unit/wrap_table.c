/* Every function of wire/libc.def has a test in one of the wrap_*.c beside this file. */
#define _GNU_SOURCE
#include "check.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>

static const char *const functions[] = {
#define LIBC(name, effects) #name,
#define ALIAS(name, function)
#include "wire/libc.def"
#undef LIBC
#undef ALIAS
};

static const struct {
	const char *name, *function;
} aliases[] = {
#define LIBC(name, effects)
#define ALIAS(name, function) {#name, #function},
#include "wire/libc.def"
#undef LIBC
#undef ALIAS
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static char *tests; /* the text of all tests */

static void append_file(const char *path)
{
	char *text = NULL;
	size_t room = 0, length = tests ? strlen(tests) : 0;
	FILE *file = fopen(path, "r");
	ssize_t size = getdelim(&text, &room, 0, file);

	CHECK(size > 0);
	tests = realloc(tests, length + (size_t)size + 1);
	memcpy(tests + length, text, (size_t)size + 1);
	free(text);
	fclose(file);
}

/* Tests are run in the directory where they were compiled. */
static void read_tests(void)
{
	char pattern[] = __FILE__;
	glob_t found;

	strcpy(strrchr(pattern, '_'), "_*.c");
	CHECK(!glob(pattern, 0, NULL, &found));
	CHECK(found.gl_pathc >= 4);
	for (size_t i = 0; i < found.gl_pathc; i++)
		append_file(found.gl_pathv[i]);
	globfree(&found);
}

static void check_tested(const char *name)
{
	char touches[64], gives[64];

	snprintf(touches, sizeof touches, "TOUCHES(%s,", name);
	snprintf(gives, sizeof gives, "GIVES(%s,", name);
	if (!strstr(tests, touches) && !strstr(tests, gives)) {
		printf("no test of %s\n", name);
		CHECK(false);
	}
}

static void every_function_is_tested(void)
{
	for (size_t i = 0; i < LENGTH(functions); i++)
		check_tested(functions[i]);
}

static bool is_function(const char *name)
{
	for (size_t i = 0; i < LENGTH(functions); i++)
		if (!strcmp(functions[i], name))
			return true;
	return false;
}

static void aliases_lead_to_functions(void)
{
	for (size_t i = 0; i < LENGTH(aliases); i++) {
		CHECK(is_function(aliases[i].function));
		CHECK(!is_function(aliases[i].name));
	}
}

static void no_function_is_there_twice(void)
{
	for (size_t i = 0; i < LENGTH(functions); i++)
		for (size_t j = i + 1; j < LENGTH(functions); j++)
			CHECK(strcmp(functions[i], functions[j]));
}

int main(void)
{
	read_tests();
	TEST(every_function_is_tested);
	TEST(aliases_lead_to_functions);
	TEST(no_function_is_there_twice);
	free(tests);
	return check_result();
}
