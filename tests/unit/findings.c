/*
 * The table of kinds of findings: complete, and the same as what the documentation says.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/trouble.h"
#include "report/account/telling.h"

static void test_complete(void)
{
	for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
		const struct finding_info *info = &finding_table[kind];
		struct finding finding = {.kind = kind};
		CHECK(info->name && *info->name && info->about && *info->about);
		CHECK(!info->verdict_place == !info->absent && !info->verdict_place == !info->many);
		CHECK(telling_of(&finding)->explain != NULL);
		for (unsigned other = 0; other < kind; other++)
			CHECK(strcmp(info->name, finding_table[other].name));
	}
}

/* From 1 on, without gaps: the sentence ends where there is no next one. */
static void test_places_in_verdict(void)
{
	unsigned named = 0, last = 0;

	for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
		unsigned place = finding_table[kind].verdict_place;
		CHECK(!place || finding_at_place(place) == &finding_table[kind]);
		named += place > 0;
		last = place > last ? place : last;
	}
	CHECK(named == last);
	CHECK(!finding_at_place(last + 1));
}

static char *slurp(const char *path)
{
	char *text = xcalloc(1, 1 << 18);
	FILE *in = fopen(path, "r");

	CHECK(in != NULL);
	if (in) {
		CHECK(fread(text, 1, (1 << 18) - 1, in) > 0);
		fclose(in);
	}
	return text;
}

static void check_contains(const char *text, const char *where, char *row)
{
	if (!strstr(text, row))
		printf("%s lacks: %s\n", where, row);
	CHECK(strstr(text, row) != NULL);
	free(row);
}

static void test_documented(void)
{
	char *readme = slurp("README.md"), *manual = slurp("docs/inspect.1"), *kinds = strstr(manual, "\nKinds are ");

	CHECK(kinds != NULL);
	for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
		const struct finding_info *info = &finding_table[kind];
		check_contains(readme, "README.md", xasprintf("| `%s` | %s |\n", info->name, info->about));
		check_contains(kinds ? kinds : "", "docs/inspect.1", xstrdup(info->name));
	}
	free(readme);
	free(manual);
}

static void test_what_is_sought(void)
{
	struct result result = {.endless = true, .exit_policy = EXIT_ANY};

	CHECK(result_seeks(&result, &finding_table[FINDING_RACE]));
	CHECK(!result_seeks(&result, &finding_table[FINDING_LIVELOCK]));
	CHECK(!result_seeks(&result, &finding_table[FINDING_LEAK]));
	CHECK(!result_seeks(&result, &finding_table[FINDING_EXIT]));
	result = (struct result){.leaks = true};
	CHECK(result_seeks(&result, &finding_table[FINDING_LIVELOCK]));
	CHECK(result_seeks(&result, &finding_table[FINDING_LEAK]));
	CHECK(result_seeks(&result, &finding_table[FINDING_EXIT]));
}

int main(void)
{
	TEST(test_complete);
	TEST(test_places_in_verdict);
	TEST(test_documented);
	TEST(test_what_is_sought);
	return check_result();
}
